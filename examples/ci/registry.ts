import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const notes = new GroupedToolBuilder('notes')
  .description('Notes and their tags')
  .action({
    name: 'list',
    title: 'List notes',
    description: 'Lists the notes of the user, the newest first',
    readOnly: true,
    openWorld: false,
    inputSchema: z.object({
      limit: z.int().min(1).max(100).default(20).describe('How many notes to return'),
      tag: z.string().optional().describe('Only notes with this tag'),
    }),
    handler: ({ input }) => `No notes, limit ${input.limit}`,
  })
  .action({
    name: 'add',
    title: 'Add a note',
    description: 'Adds a note',
    destructive: false,
    openWorld: false,
    scopes: ['notes:write'],
    inputSchema: z.object({
      text: z.string().min(1).describe('Text of the note'),
      colour: z.enum(['yellow', 'blue']).default('yellow').describe('Colour of the note'),
    }),
    handler: ({ input }) => `Added "${input.text}"`,
  })
  .action({
    name: 'archive',
    title: 'Archive a note',
    description: 'Hides a note from the list',
    destructive: false,
    openWorld: false,
    inputSchema: z.object({ id: z.string().describe('ID of the note') }),
    handler: ({ input }) => `Archived ${input.id}`,
  });

export const registry = new ToolRegistry({ name: 'notebook', version: '2.0.0' });
registry.register(notes);
