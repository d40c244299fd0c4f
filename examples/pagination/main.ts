/** Lists notes by page while others are added and removed. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region imports
import { paginate, ToolRegistry } from 'toolfold';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';
// #endregion imports

// #region tools
const notes = [
  { id: 5, day: '2026-03-02', text: 'Call Ada' },
  { id: 3, day: '2026-03-02', text: 'Buy milk' },
  { id: 2, day: '2026-02-27', text: 'Water the plants' },
];

const registry = new ToolRegistry({ name: 'notes' }).register({
  name: 'list_notes',
  description: 'Lists notes by page, the newest first',
  readOnly: true,
  inputSchema: z.object({
    cursor: z.string().optional().describe('nextCursor of the page before. Default: the first page'),
    limit: z.int().min(1).max(100).default(50).describe('Most notes of a page'),
  }),
  outputSchema: z.object({
    notes: z.array(z.object({ id: z.int(), day: z.string(), text: z.string() })),
    nextCursor: z.string().nullable(),
  }),
  handler: async ({ input }) => {
    const { rows, nextCursor } = await paginate({
      ...input,
      // With SQL: where (day, id) < ($1, $2) order by day desc, id desc limit $3
      read: ([day = '9999', id = Infinity] = [], count) =>
        notes.filter((note) => note.day < day || (note.day === day && note.id < Number(id))).slice(0, count),
      keyOf: ({ day, id }) => [day, id],
    });
    return { notes: rows, nextCursor };
  },
});
// #endregion tools

// #region pages
const client = await createTestClient(registry);
const first = await client.tools.list_notes({ limit: 2 });
notes.unshift({ id: 6, day: '2026-03-03', text: 'Added meanwhile' });
notes.splice(2, 1);
const second = await client.tools.list_notes({ limit: 2, cursor: first.nextCursor ?? undefined });
console.log(
  first.notes.map(({ text }) => text),
  first.nextCursor,
);
console.log(
  second.notes.map(({ text }) => text),
  second.nextCursor,
);
// #endregion pages
const wrong = await client.call('list_notes', { cursor: 'x' });
assert.equal(wrong.isError, true);
await client.close();
