import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const notes = new GroupedToolBuilder('notes')
  .description('Notes and their tags')
  .group('text', 'What is written', (text) =>
    text
      .action({
        name: 'list',
        description: 'Lists notes',
        readOnly: true,
        inputSchema: z.object({
          limit: z.number().int().default(10).describe('How many at most'),
          tag: z.array(z.string()).optional().describe('Only notes with these tags'),
        }),
        handler: ({ input }) => ({ limit: input.limit, tags: input.tag ?? [], notes: ['Feed the cat'] }),
      })
      .action({
        name: 'add',
        description: 'Adds a note',
        destructive: false,
        idempotent: true,
        inputSchema: z.object({
          text: z.string().describe('What it says'),
          due: z.object({ day: z.iso.date(), hour: z.number().int().optional() }).optional(),
        }),
        handler: ({ input }) => `added "${input.text}"${input.due ? `, due on ${input.due.day}` : ''}`,
      })
      .action({
        name: 'wipe',
        description: 'Deletes all notes',
        destructive: true,
        scopes: ['notes:write'],
        inputSchema: z.object({}),
        handler: () => 'gone',
      }),
  );

export const registry = new ToolRegistry({ name: 'notebook', version: '1.0.0' });
registry.register(notes, {
  name: 'draw',
  description: 'Draws a dot',
  readOnly: true,
  inputSchema: z.object({ colour: z.enum(['black', 'white']) }),
  handler: () => ({
    content: [
      {
        type: 'image' as const,
        mimeType: 'image/gif',
        data: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7',
      },
    ],
  }),
});
registry.registerPrompt({
  name: 'tidy',
  description: 'Asks for order',
  inputSchema: z.object({ tag: z.string().optional() }),
  handler: () => 'Sort my notes',
});
