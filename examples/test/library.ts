import { setTimeout } from 'node:timers/promises';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';

export interface Shelf {
  readonly lent: Map<string, string>;
  lend(book: string, to: string): void;
}

export function createShelf(): Shelf {
  const lent = new Map<string, string>();
  return {
    lent,
    lend: (book, to) => {
      if (lent.has(book)) throw new ErrToolFailed(`${book} is lent to ${lent.get(book)}.`);
      lent.set(book, to);
    },
  };
}

/** The shelf and the clock are parameters, so that tests can set them. */
export function createLibrary(shelf: Shelf, clock: () => number = Date.now) {
  const books = new GroupedToolBuilder('books')
    .description('The books of the library')
    .action({
      name: 'list',
      description: 'Lists what is lent',
      readOnly: true,
      inputSchema: z.object({ to: z.string().describe('Who has it').optional() }),
      outputSchema: z.object({ lent: z.array(z.object({ book: z.string(), to: z.string() })) }),
      handler: ({ input }) => ({
        lent: [...shelf.lent]
          .map(([book, to]) => ({ book, to }))
          .filter(({ to }) => input.to === undefined || to === input.to),
      }),
    })
    .action({
      name: 'lend',
      description: 'Lends a book',
      destructive: false,
      scopes: ['books:lend'],
      inputSchema: z.object({ book: z.string(), to: z.string(), request_id: z.string() }),
      idempotency: { field: 'request_id' },
      handler: ({ input }) => {
        shelf.lend(input.book, input.to);
        return `${input.book} is lent to ${input.to}`;
      },
    })
    .action({
      name: 'write_off',
      description: 'Removes a lent book for good, after the user has confirmed',
      destructive: true,
      inputSchema: z.object({ book: z.string() }),
      confirm: 'Write {book} off?',
      handler: ({ input }) => {
        shelf.lent.delete(input.book);
        return `${input.book} is written off`;
      },
    })
    .action({
      name: 'count',
      description: 'Counts the shelves, which takes long',
      readOnly: true,
      inputSchema: z.object({ shelves: z.int().min(1) }),
      task: true,
      handler: async ({ input, context }) => {
        for (let done = 1; done <= input.shelves; done++) {
          await setTimeout(1, undefined, { signal: context.signal });
          await context.progress(done, input.shelves, `shelf ${done}`);
        }
        return `${input.shelves} shelves counted`;
      },
    });
  return new ToolRegistry({
    name: 'library',
    version: '1.0.0',
    clock,
    rateLimiter: { calls: 5, windowMs: 60_000 },
  }).register(books);
}
