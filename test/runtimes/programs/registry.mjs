import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

/** One tool with a Zod schema, one with a JSON Schema, one that asks the client, and one that fails. */
export const registry = new ToolRegistry({ name: 'smoke', version: '1.0.0' }).register(
  new GroupedToolBuilder('rooms')
    .description('Meeting rooms')
    .action({
      name: 'book',
      inputSchema: z.object({ room: z.enum(['Ada', 'Grace']), hours: z.number().int() }),
      handler: ({ input }) => ({ booked: input.room, hours: input.hours }),
    })
    .action({
      name: 'cancel',
      destructive: true,
      inputSchema: z.object({ room: z.string() }),
      handler: async ({ input, context }) => {
        const answer = await context.requestInput({
          sure: { message: `Cancel ${input.room}?`, schema: z.object({ yes: z.boolean() }) },
        });
        return JSON.stringify(answer.sure);
      },
    }),
  {
    name: 'convert',
    description: 'Converts minutes to hours',
    inputSchema: {
      type: 'object',
      properties: { minutes: { type: 'integer', minimum: 1 } },
      required: ['minutes'],
    },
    handler: ({ input }) => `${input.minutes / 60} hours`,
  },
  {
    name: 'fail',
    description: 'Fails',
    inputSchema: z.object({}),
    handler: () => {
      throw new Error('The room is on fire.');
    },
  },
);
