/** Opens seeded books before the tests of a file and closes them afterwards. */
import { afterAll, beforeAll } from 'vitest';
import { openTestBooks } from './test-server.js';
import type { TestBooks, TestCaller } from './test-server.js';

export interface UsedBooks {
  /** The books, once the tests run. */
  readonly books: TestBooks;
  /** The text of the answer, also of a failed call. */
  readonly ask: TestCaller['ask'];
  /** The answer as data. */
  readonly data: <T = Record<string, unknown>>(...given: Parameters<TestCaller['ask']>) => Promise<T>;
}

export function useTestBooks(): UsedBooks {
  let books: TestBooks;
  let caller: TestCaller;
  beforeAll(async () => {
    books = await openTestBooks();
    caller = books.connect();
  }, 60_000);
  afterAll(() => books.close());
  const ask: TestCaller['ask'] = (...given) => caller.ask(...given);
  return {
    get books() {
      return books;
    },
    ask,
    data: async <T>(...given: Parameters<TestCaller['ask']>) => JSON.parse(await ask(...given)) as T,
  };
}
