/** A typical server without McpServer: hand-written schemas, and one function for all calls. */
import { readNote } from './register-tools.js';

const id = { type: 'string' } as const;

export const tools = [
  {
    name: 'read_note',
    description: 'Reads a note',
    inputSchema: { type: 'object' as const, properties: { id }, required: ['id'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'shout_note',
    description: 'Reads a note aloud',
    inputSchema: { type: 'object' as const, properties: { id }, required: ['id'] },
    annotations: { readOnlyHint: true },
  },
];

export function callTool(name: string, args: Readonly<Record<string, unknown>>) {
  switch (name) {
    case 'read_note':
      return { content: [{ type: 'text' as const, text: readNote(String(args['id'])) }] };
    case 'shout_note':
      return { content: [{ type: 'text' as const, text: readNote(String(args['id'])).toUpperCase() }] };
    default:
      throw new Error(`Unknown tool ${name}`);
  }
}
