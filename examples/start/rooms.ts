import { ToolRegistry } from 'toolfold';
import * as z from 'zod';

export const registry = new ToolRegistry({
  name: 'acme',
  version: '1.0.0',
  instructions: 'Rooms are booked by the hour.',
});
registry.register(
  {
    name: 'find_rooms',
    description: 'Finds rooms that are free',
    readOnly: true,
    inputSchema: z.object({ seats: z.int().min(1) }),
    handler: ({ input }) => [{ room: 'north', seats: input.seats + 2 }],
  },
  {
    name: 'book_room',
    description: 'Books a room',
    destructive: false,
    inputSchema: z.object({ room: z.string() }),
    handler: async ({ input, context }) => {
      const { you } = await context.requestInput({
        you: { message: 'Who is the room for?', schema: z.object({ name: z.string() }) },
      });
      if (you.action !== 'accept') return 'Nothing was booked.';
      return `${input.room} is booked for ${you.content.name}.`;
    },
  },
);
