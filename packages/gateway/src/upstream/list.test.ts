import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ListError, MAX_CURSOR_LENGTH, MAX_PAGES, readPages } from './list.js';

interface Page {
  readonly tools: unknown;
  readonly nextCursor?: unknown;
}

/** Reads from a server that answers with these pages, and repeats the last one. */
async function read(pages: readonly Page[], limits: { maxItems: number; maxSize: number }) {
  const asked: (string | undefined)[] = [];
  const fetchPage = async (cursor: string | undefined) => {
    asked.push(cursor);
    return pages[Math.min(asked.length, pages.length) - 1] as unknown as Record<string, unknown>;
  };
  const items = await readPages('tools', fetchPage, limits).catch((error: unknown) => error);
  return { items, asked };
}

const page = fc.record(
  {
    tools: fc.oneof(
      { weight: 9, arbitrary: fc.array(fc.jsonValue(), { maxLength: 5 }) },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    nextCursor: fc.oneof(fc.string({ maxLength: 3 }), fc.jsonValue()),
  },
  { requiredKeys: ['tools'] },
) as fc.Arbitrary<Page>;

describe('a list that is read page by page', () => {
  it('is complete and within its limits, or a ListError, for any answer', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(page, { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 200 }),
        async (pages, maxItems, maxSize) => {
          const { items, asked } = await read(pages, { maxItems, maxSize });
          // Every cursor is requested once.
          expect(new Set(asked).size).toBe(asked.length);
          if (!Array.isArray(items)) return void expect(items).toBeInstanceOf(ListError);
          const used = pages.slice(0, asked.length);
          expect(items).toEqual(used.flatMap(({ tools }) => tools as unknown[]));
          expect(typeof used.at(-1)?.nextCursor).not.toBe('string');
          expect(items.length).toBeLessThanOrEqual(maxItems);
          // A JSON text is longer than its counted size.
          const longest = used.reduce((sum, { tools }) => sum + JSON.stringify(tools).length, 0);
          if (longest <= maxSize) expect(items).toBeInstanceOf(Array);
        },
      ),
    );
  });

  it('ends after 1,000 pages, even if all of them are empty', async () => {
    let asked = 0;
    const reading = readPages('tools', async () => ({ tools: [], nextCursor: String(asked++) }), {
      maxItems: 1,
      maxSize: 10_000,
    });
    await expect(reading).rejects.toThrow('does not end');
    expect(asked).toBe(MAX_PAGES);
  });

  it('accepts a cursor of the maximum length, but no longer one', async () => {
    const limits = { maxItems: 10, maxSize: 1_000 };
    const pageWith = (length: number) => [{ tools: [], nextCursor: 'c'.repeat(length) }, { tools: ['a'] }];
    expect((await read(pageWith(MAX_CURSOR_LENGTH), limits)).items).toEqual(['a']);
    expect((await read(pageWith(MAX_CURSOR_LENGTH + 1), limits)).items).toBeInstanceOf(ListError);
  });

  it('is measured at any depth', async () => {
    const deep = JSON.parse(`${'['.repeat(500_000)}${']'.repeat(500_000)}`) as unknown;
    const { items } = await read([{ tools: [deep] }], { maxItems: 10, maxSize: 400_000 });
    expect(items).toBeInstanceOf(ListError);
  });
});
