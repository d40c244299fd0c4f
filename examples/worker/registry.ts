import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const rooms = new GroupedToolBuilder('rooms')
  .description('Meeting rooms')
  .action({ name: 'list', readOnly: true, inputSchema: z.object({}), handler: () => ['Ada', 'Grace'] })
  .action({
    name: 'book',
    inputSchema: z.object({ room: z.enum(['Ada', 'Grace']), hours: z.number().int().positive() }),
    handler: ({ input }) => `${input.room} is yours for ${input.hours} hours`,
  });

export const registry = new ToolRegistry({ name: 'rooms', version: '1.0.0' }).register(rooms, {
  name: 'convert',
  description: 'Converts minutes to hours',
  readOnly: true,
  inputSchema: {
    type: 'object',
    properties: { minutes: { type: 'integer', minimum: 1 } },
    required: ['minutes'],
  },
  handler: ({ input }) => `${Number(input['minutes']) / 60} hours`,
});
