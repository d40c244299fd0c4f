import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

export function createRegistry(): ToolRegistry {
  const books = new GroupedToolBuilder('books')
    .description('The books of a library')
    .action({
      name: 'find',
      description: 'Finds books by their title',
      readOnly: true,
      inputSchema: z.object({ title: z.string().describe('A part of the title') }),
      handler: ({ input }) => [`${input.title} and other stories`],
    })
    .action({
      name: 'lend',
      description: 'Lends a book to a reader',
      destructive: false,
      scopes: ['books:write'],
      inputSchema: z.object({ book: z.string(), reader: z.string() }),
      handler: ({ input }) => `${input.reader} has ${input.book}`,
    });
  return new ToolRegistry({ name: 'library', version: '1.0.0' }).register(books);
}
