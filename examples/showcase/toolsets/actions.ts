/** Settings that actions of one kind share, and the first step of all tools that work in a budget. */
import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';
import { MANAGE, WRITE } from '../access.js';
import { findDefaultBudget } from '../books/references.js';
import type { Finance } from '../finance.js';
import { explainErrors } from './explain-errors.js';

/** The cache tag of the books: every write invalidates all cached reads. */
const BOOKS = 'books';

export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** Long lists are written as tables, and cut before they fill the context of a model. */
export const lists = { ...reads, textFormat: 'toon', outputBudget: { tokens: 4_000 } } as const;

const PAGE_BYTES = 24_000;
/** Bytes for the fields around the rows of a page, and for the names of the columns. */
const FRAME_BYTES = 1_000;

/** Lists with `limit` and `offset`. `fitPage` keeps them within the budget, so the framework never cuts them. */
export const pages = { ...reads, textFormat: 'toon', outputBudget: { bytes: PAGE_BYTES } } as const;

export const pageFields = {
  limit: z.int().min(1).max(200).default(50).describe('Most rows of a page; fewer if they are very long'),
  offset: z
    .int()
    .min(0)
    .default(0)
    .describe('Rows to skip: next_offset of the page before, which is null on the last page'),
};

/** Takes as many rows as fit into a page, at least one, and says where the next page begins. */
export function fitPage<Row extends object>(
  rows: readonly Row[],
  { offset, count }: { readonly offset: number; readonly count: number },
): { readonly rows: readonly Row[]; readonly next_offset: number | null } {
  let used = FRAME_BYTES;
  const end = rows.findIndex((row, index) => {
    // A row of a table is never longer than its values in JSON, apart from the indentation.
    used += Buffer.byteLength(JSON.stringify(Object.values(row))) + 4;
    return index > 0 && used > PAGE_BYTES;
  });
  const kept = end === -1 ? rows : rows.slice(0, end);
  const next = offset + kept.length;
  return { rows: kept, next_offset: next < count && kept.length > 0 ? next : null };
}

/** Sums over many transactions are cached for only ten seconds, because another process may write to the same database. */
export const sums = { ...reads, cached: { ttlMs: 10_000, tags: [BOOKS] }, cost: 3 } as const;

const writes = { readOnly: false, openWorld: false, scopes: [WRITE], invalidates: [BOOKS] } as const;

/** Writes that have a second effect when they are repeated. */
export const adds = { ...writes, destructive: false, idempotent: false } as const;

/** Writes that have no further effect when they are repeated. */
export const sets = { ...writes, destructive: false, idempotent: true } as const;

/** Writes that delete something for good. */
export const removes = { ...writes, destructive: true, idempotent: true, scopes: [WRITE, MANAGE] } as const;

/** Writes a name for a question to the user. JSON keeps it in one line, so that it cannot look like a part of the question. */
export const quote = (name: string | null): string => JSON.stringify(name ?? 'nobody');

/** Names need a character that is not a digit, because references may be names or ids. */
export const nameField = z
  .string()
  .trim()
  .min(1)
  .max(80)
  .regex(/\D/, 'must not be a number, which would be taken for an id');

export const requestIdField = {
  request_id: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('A text that you choose, new for each order. Sending the same one again changes nothing twice'),
};

/** Starts a tool whose actions work in a budget: the user's default one if the call names none. */
export function toolInBudget(name: string, { db }: Finance) {
  return new GroupedToolBuilder(name)
    .use(explainErrors)
    .commonSchema(
      z.object({
        budget: z.string().optional().describe('Name or id of the budget. Default: the default budget'),
      }),
    )
    .defaultArguments(async ({ rawArguments }) => {
      if (rawArguments['budget'] !== undefined) return undefined;
      const budget = await findDefaultBudget(db);
      // Tools that need a budget report that it is missing; tools over all books do not need one.
      return { budget: budget ? String(budget.id) : '' };
    });
}
