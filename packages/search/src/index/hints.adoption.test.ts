import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createToolSearch, type ToolSearchDocument } from './tool-search.js';

const readData = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../test/data/${file}`, import.meta.url), 'utf8'));

const { tools } = readData('github-tools.json') as {
  tools: {
    name: string;
    description: string;
    inputSchema: { properties?: Record<string, { description?: string }> };
  }[];
};
const { queries } = readData('github-questions.json') as { queries: { query: string; tools: string[] }[] };
const { tools: keywords } = readData('github-keywords.json') as {
  tools: Record<string, { keywords: string[] }>;
};

const plain: ToolSearchDocument[] = tools.map(({ name, description, inputSchema }) => ({
  address: name,
  name,
  description,
  arguments: Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
    name: argument,
    description: schema.description,
  })),
}));

/** The number of questions with a right tool among the first five. */
function countHits(documents: readonly ToolSearchDocument[], asked: typeof queries): number {
  const search = createToolSearch(documents);
  const hits = asked.filter(({ query, tools: right }) =>
    search.search(query, { limit: 5 }).some(({ address }) => right.includes(address)),
  );
  return hits.length;
}

it('finds tools without keywords as well as before, if half of the tools get keywords', () => {
  const before = { asked: 0, without: 0, with: 0 };
  const after = { without: 0, with: 0 };
  for (let bit = 0; bit < 8; bit++) {
    // Different halves: every second tool, every second pair of tools and so on, and their counterparts.
    const isChosen = (at: number): boolean => ((at >> (bit >> 1)) & 1) === (bit & 1);
    const chosen = new Set(plain.filter((_, at) => isChosen(at)).map(({ address }) => address));
    const half = plain.map((each) =>
      chosen.has(each.address) ? { ...each, keywords: keywords[each.address]?.keywords } : each,
    );
    const ask = (isWith: boolean): typeof queries =>
      queries.filter(({ tools: right }) => right.every((tool) => chosen.has(tool) === isWith));
    before.asked += ask(false).length;
    before.without += countHits(plain, ask(false));
    after.without += countHits(half, ask(false));
    before.with += countHits(plain, ask(true));
    after.with += countHits(half, ask(true));
  }
  expect((after.without - before.without) / before.asked).toBeGreaterThan(-0.02);
  expect((after.with - before.with) / before.asked).toBeGreaterThan(0.1);
});
