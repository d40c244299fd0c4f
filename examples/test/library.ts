import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
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
      if (lent.has(book)) throw new Error(`${book} is lent to ${lent.get(book)}.`);
      lent.set(book, to);
    },
  };
}

/** The shelf and the clock are parameters, so that tests can set them. */
export function createLibrary(shelf: Shelf, clock: () => number = Date.now): ToolRegistry {
  const books = new GroupedToolBuilder('books')
    .description('The books of the library')
    .action({
      name: 'list',
      description: 'Lists what is lent',
      readOnly: true,
      inputSchema: z.object({ to: z.string().describe('Who has it').optional() }),
      handler: ({ input }) =>
        [...shelf.lent].filter(([, reader]) => input.to === undefined || reader === input.to),
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
    });
  return new ToolRegistry({
    name: 'library',
    version: '1.0.0',
    clock,
    rateLimiter: { calls: 3, windowMs: 60_000 },
  }).register(books);
}
