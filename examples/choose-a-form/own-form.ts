import type { Form } from 'toolfold/web';

/** Lists two tools for any number of operations: one names them, the other runs one of them. */
export const menuForm: Form = {
  name: 'menu',
  base: 'flat',
  createTools: ({ view }) => ({
    listed: [
      {
        name: 'show_menu',
        description: 'Lists the operations with their arguments. Call it before run_operation.',
        readOnly: true,
        inputSchema: {},
        handler: () =>
          view.listTools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      },
      {
        name: 'run_operation',
        description: 'Runs an operation of the menu.',
        inputSchema: {
          type: 'object',
          properties: { operation: { type: 'string' }, arguments: { type: 'object' } },
          required: ['operation'],
        },
        forward: (given: Readonly<Record<string, unknown>>) => ({
          name: String(given['operation']),
          arguments: (given['arguments'] ?? {}) as Record<string, unknown>,
        }),
      },
    ],
  }),
};
