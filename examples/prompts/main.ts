/** Offers a prompt with arguments, completion and a resource. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region imports
import { ToolRegistry } from 'toolfold';
import { ErrValidationFailed } from 'toolfold/errors';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';
// #endregion imports

// #region prompt
const reports = new Map([
  ['2026-01', 'Income 4,200, spending 3,100'],
  ['2026-02', 'Income 4,200, spending 4,600'],
]);

const registry = new ToolRegistry({ name: 'books' }).registerPrompt({
  name: 'review_month',
  title: 'Review a month',
  description: 'Starts a review of the books of a month',
  inputSchema: z.object({
    month: z.string().describe('Month such as 2026-02'),
    rows: z.int().min(1).max(20).default(5).describe('Most findings'),
  }),
  complete: { month: (typed) => [...reports.keys()].filter((month) => month.startsWith(typed)) },
  handler: ({ input: { month, rows } }) => {
    const report = reports.get(month);
    if (report === undefined)
      throw new ErrValidationFailed(`There is no report for ${month}.`, {
        hint: `Months: ${[...reports.keys()].join(', ')}.`,
      });
    const resource = { uri: `report://${month}`, mimeType: 'text/plain', text: report };
    return [
      { role: 'user', content: { type: 'resource', resource } },
      { role: 'user', content: { type: 'text', text: `Name up to ${rows} things to change.` } },
    ];
  },
});
// #endregion prompt

// #region get
const client = await createTestClient(registry);
const ref = { type: 'ref/prompt' as const, name: 'review_month' };
const { completion } = await client.sdk.complete({ ref, argument: { name: 'month', value: '2026' } });
console.log(completion.values);
const args = { month: '2026-02', rows: '3' };
const { messages } = await client.sdk.getPrompt({ name: 'review_month', arguments: args });
for (const { content } of messages) console.log(content);
const missing = client.sdk.getPrompt({ name: 'review_month', arguments: { month: '2025-12' } });
console.log(await missing.catch((error: Error) => error.message));
// #endregion get
assert.equal(messages.length, 2);
await client.close();
