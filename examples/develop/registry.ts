import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

interface Book {
  readonly title: string;
  readonly year: number;
}

const books = new Map<string, Book>([['dune', { title: 'Dune', year: 1965 }]]);

const library = new GroupedToolBuilder('library').description('The books of a library').action({
  name: 'find',
  description: 'Finds a book',
  readOnly: true,
  inputSchema: z.object({ id: z.string() }),
  handler: ({ input }) => {
    const { title, year } = books.get(input.id) as Book;
    return `${title} (${year})`;
  },
});

export const registry = new ToolRegistry({ name: 'library' }).register(library);
