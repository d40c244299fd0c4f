import { ToolRegistry } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import { serveStdio } from 'toolfold/node';
import * as z from 'zod';

const notes = new Map([['1', 'Buy milk']]);

function readNote(id: string): string {
  const text = notes.get(id);
  if (text === undefined) throw new ErrToolFailed(`There is no note ${id}.`);
  return text;
}

const registry = new ToolRegistry({ name: 'notes', version: '1.0.0' });
registry.register(
  {
    name: 'read_note',
    description: 'Reads a note',
    readOnly: true,
    inputSchema: z.object({ id: z.string() }),
    handler: ({ input }) => readNote(input.id),
  },
  {
    name: 'count_words',
    description: 'Counts the words of a note',
    readOnly: true,
    inputSchema: z.object({ id: z.string(), longest: z.boolean().optional() }),
    outputSchema: z.object({ words: z.number(), longest: z.string().optional() }),
    handler: ({ input }) => {
      const words = readNote(input.id).split(' ');
      const last = words.toSorted((a, b) => a.length - b.length).at(-1);
      return { words: words.length, ...(input.longest ? { longest: last } : {}) };
    },
  },
  {
    name: 'write_note',
    description: 'Writes a note',
    destructive: true,
    inputSchema: z.object({ id: z.string(), text: z.string().min(1) }),
    handler: async ({ input, context }) => {
      await context.progress(1, 1);
      notes.set(input.id, input.text);
      return `note ${input.id} is written`;
    },
  },
);
registry.registerResource({
  name: 'note',
  uriTemplate: 'note://{id}',
  mimeType: 'text/plain',
  handler: ({ variables }) => readNote(variables['id'] ?? ''),
});
serveStdio(registry);
