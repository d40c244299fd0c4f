/** What actions of one kind have in common, and what all tools that work in a budget begin with. */
import { GroupedToolBuilder } from 'toolfold';
import * as z from 'zod';
import { MANAGE, WRITE } from '../access.js';
import { findDefaultBudget } from '../books/references.js';
import type { Finance } from '../finance.js';
import { explainErrors } from './explain-errors.js';

/** Everything that is read from the books is out of date once something was written. */
const BOOKS = 'books';

export const reads = { readOnly: true, destructive: false, idempotent: true, openWorld: false } as const;

/** Long lists are tables, and are cut where they would fill the context of a model. */
export const lists = { ...reads, textFormat: 'toon', outputBudget: { tokens: 4_000 } } as const;

/** Sums over many transactions. Another process on the same PostgreSQL may have written since: hence ten seconds. */
export const sums = { ...reads, cached: { ttlMs: 10_000, tags: [BOOKS] }, cost: 3 } as const;

const writes = { readOnly: false, openWorld: false, scopes: [WRITE], invalidates: [BOOKS] } as const;

/** Twice is more than once. */
export const adds = { ...writes, destructive: false, idempotent: false } as const;

/** Twice is the same as once. */
export const sets = { ...writes, destructive: false, idempotent: true } as const;

export const removes = { ...writes, destructive: true, idempotent: true, scopes: [WRITE, MANAGE] } as const;

/** A name of digits only would be taken for an id. */
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
    .describe(
      'Any text of your own, a new one for each order. A repeat with the same one does nothing twice',
    ),
};

/** The budget that is meant where none is named is the user's default. */
export function toolInBudget(name: string, { db }: Finance) {
  return new GroupedToolBuilder(name)
    .use(explainErrors)
    .commonSchema(
      z.object({
        budget: z.string().optional().describe('Name or id of a budget; the default one if left out'),
      }),
    )
    .defaultArguments(async ({ rawArguments }) => {
      if (rawArguments['budget'] !== undefined) return undefined;
      const budget = await findDefaultBudget(db);
      // What needs one says so; what looks at all books does not.
      return { budget: budget ? String(budget.id) : '' };
    });
}
