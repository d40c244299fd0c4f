import { GroupedToolBuilder } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';

const note = z.object({ id: z.number().int(), text: z.string() });

/** Creates the tool "notes" with a memory of its own, so that tests do not share notes. */
export function createNotes() {
  const notes = new Map<number, z.infer<typeof note>>();
  let nextId = 1;

  return new GroupedToolBuilder('notes')
    .description('Notes of the team')
    .action({
      name: 'list',
      description: 'Lists notes',
      readOnly: true,
      inputSchema: z.object({
        contains: z.string().optional().describe('Only notes with this text'),
      }),
      outputSchema: z.object({ notes: z.array(note) }),
      handler: ({ input: { contains = '' } }) => ({
        notes: [...notes.values()].filter(({ text }) => text.includes(contains)),
      }),
    })
    .action({
      name: 'add',
      description: 'Adds a note',
      destructive: false,
      inputSchema: z.object({ text: z.string().min(1).max(1_000).describe('Text of the note') }),
      outputSchema: note,
      handler: ({ input }) => {
        const added = { id: nextId++, text: input.text };
        notes.set(added.id, added);
        return added;
      },
    })
    .action({
      name: 'remove',
      description: 'Removes a note',
      destructive: true,
      // if api-keys
      scopes: ['notes:write'],
      // end
      inputSchema: z.object({ id: z.number().int().describe('Id of the note') }),
      handler: ({ input }) => {
        if (!notes.delete(input.id)) throw new ErrToolFailed(`There is no note ${input.id}.`);
        return `Removed note ${input.id}.`;
      },
    });
}
