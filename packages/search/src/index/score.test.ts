import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createRanking, type Rank } from './score.js';
import { buildIndex } from './search-index.js';
import { runAtOnce } from './slices.js';
import { createToolSearch, type ToolSearchDocument } from './tool-search.js';

const words = ['create', 'issue', 'list', 'branch', 'comment', 'delete', 'time', 'the', 'now'];
const text = fc.array(fc.constantFrom(...words), { maxLength: 5 }).map((all) => all.join(' '));
const document = fc.record({
  name: fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 }).map((all) => all.join('_')),
  description: text,
  keywords: fc.option(fc.array(text, { maxLength: 3 }), { nil: undefined }),
  examples: fc.option(fc.array(text, { maxLength: 2 }), { nil: undefined }),
  risk: fc.constantFrom(undefined, 'read' as const, 'write' as const, 'destructive' as const),
});
const tools = fc
  .array(document, { minLength: 1, maxLength: 8 })
  .map((all): ToolSearchDocument[] => all.map((each, at) => ({ ...each, address: `t${at}` })));

const createRank = (all: readonly ToolSearchDocument[]): Rank => createRanking(runAtOnce(buildIndex(all)));

describe('scores', () => {
  it('are from 0 to 1, descending and the same for every order of the tools', () => {
    fc.assert(
      fc.property(tools, text, (all, query) => {
        const results = createToolSearch(all).search(query, { limit: 50 });
        for (const { score } of results) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        const scores = results.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((one, other) => other - one));
        expect(createToolSearch(all.toReversed()).search(query, { limit: 50 })).toEqual(results);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a tool whose name is the query', () => {
  it('has the full score', () => {
    fc.assert(
      fc.property(tools, fc.nat(), (all, pick) => {
        const chosen = pick % all.length;
        const { sums, full } = createRank(all)(all[chosen]?.name ?? '', 50);
        expect(sums[chosen]).toBe(full);
        expect(Math.max(...sums)).toBe(full);
      }),
      { numRuns: 300 },
    );
  });

  it('is before a tool that repeats that name in its text', () => {
    const search = createToolSearch([
      { address: 'mail', name: 'mail', description: 'Sends it.' },
      { address: 'loud', name: 'loud', description: 'Mail '.repeat(1_500) },
      ...Array.from({ length: 50 }, (_, at) => ({ address: `job${at}`, name: `job${at}` })),
    ]);
    const [first, second] = search.search('mail');
    expect([first?.address, second?.address]).toEqual(['mail', 'loud']);
    expect(second?.score).toBeLessThan(1);
  });
});

describe('a word that is the whole name of a tool', () => {
  const clock: ToolSearchDocument[] = [
    ...Array.from({ length: 30 }, (_, at) => ({
      address: `other${at}`,
      name: `job${at}`,
      description: `Runs job ${at} and returns the time that it took.`,
    })),
    { address: 'time', name: 'time', description: 'Clock of a city.' },
    { address: 'now', name: 'now', description: 'Clock of the server.' },
    { address: 'users', name: 'list_users', description: 'Lists users.' },
    { address: 'x', name: 'x', description: 'A social network.' },
    { address: '2048', name: '2048', description: 'A game.' },
  ];

  it('finds this tool, also if the word is a stop word, short, common or a number', () => {
    const search = createToolSearch(clock);
    for (const [query, address] of [
      ['What time is it?', 'time'],
      ['what is it now', 'now'],
      ['open x', 'x'],
      ['play 2048', '2048'],
      ['the time please', 'time'],
    ] as const)
      expect(search.search(query)[0]?.address, query).toBe(address);
  });

  it('does not outweigh the other words of a query', () => {
    expect(createToolSearch(clock).search('which users are there now')[0]?.address).toBe('users');
  });
});
