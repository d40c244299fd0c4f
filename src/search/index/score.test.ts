import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { english } from './english.js';
import { noLexicon } from './lexicon.js';
import { createRanking, type Rank } from './score.js';
import { buildIndex, searchParameters } from './search-index.js';
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
const strengths = fc
  .array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
  .map((all) => new Map(all.entries()));

const createRank = (all: readonly ToolSearchDocument[]): Rank =>
  createRanking(runAtOnce(buildIndex(all, noLexicon, searchParameters)), noLexicon, searchParameters);

describe('scores', () => {
  it('are from 0 to 1, descending and the same for every order of the tools', () => {
    fc.assert(
      fc.property(tools, text, fc.option(strengths, { nil: undefined }), (all, query, byDocument) => {
        const learned = byDocument && new Map([...byDocument].map(([at, strength]) => [`t${at}`, strength]));
        const results = createToolSearch(all).search(query, { learned, limit: 50 });
        for (const { score } of results) {
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        const scores = results.map(({ score }) => score);
        expect(scores).toEqual(scores.toSorted((one, other) => other - one));
        expect(createToolSearch(all.toReversed()).search(query, { learned, limit: 50 })).toEqual(results);
      }),
      { numRuns: 300 },
    );
  });
});

describe('earlier calls', () => {
  const within = (learned: ReadonlyMap<number, number>, all: readonly unknown[]): Map<number, number> =>
    new Map([...learned].filter(([document]) => document < all.length));

  const office: ToolSearchDocument[] = [
    { address: 'send', name: 'send_mail', description: 'Sends a mail.' },
    { address: 'read', name: 'read_mail', description: 'Reads a mail.' },
    { address: 'rent', name: 'rent_car', description: 'Rents a car.' },
  ];
  const find = (query: string, learned?: ReadonlyMap<string, number>): string[] =>
    createToolSearch(office)
      .search(query, { learned })
      .map(({ address }) => address);

  it('lift the tool that was called, also one that matches no word', () => {
    expect(find('the newest mail')[0]).toBe('read');
    expect(find('the newest mail', new Map([['send', 1]]))[0]).toBe('send');
    expect(find('wheels')).toEqual([]);
    expect(find('wheels', new Map([['rent', 0.5]]))).toEqual(['rent']);
  });

  it('never lift a tool above one whose name is the query', () => {
    expect(find('send mail', new Map([['read', 1]]))[0]).toBe('send');
    fc.assert(
      fc.property(tools, strengths, fc.nat(), (all, learned, pick) => {
        const chosen = pick % all.length;
        const { sums, full } = createRank(all)(all[chosen]?.name ?? '', 50, {
          learned: within(learned, all),
        });
        expect(sums[chosen]).toBe(full);
        expect(Math.max(...sums)).toBe(full);
        const isNamed = createRank(all)(all[chosen]?.name ?? '', 50).sums.map((sum) => Number(sum === full));
        expect(sums.map((sum) => Number(sum === full))).toEqual(isNamed);
      }),
      { numRuns: 300 },
    );
  });

  it('never lift a tool above one whose name is the query by repeating that name in its text', () => {
    const search = createToolSearch([
      { address: 'mail', name: 'mail', description: 'Sends it.' },
      { address: 'loud', name: 'loud', description: 'Mail '.repeat(1_500) },
      ...Array.from({ length: 50 }, (_, at) => ({ address: `job${at}`, name: `job${at}` })),
    ]);
    const [first, second] = search.search('mail', { learned: new Map([['loud', 1]]) });
    expect([first?.address, second?.address]).toEqual(['mail', 'loud']);
    expect(second?.score).toBeLessThan(1);
  });

  it('add at most 15 % of the full score, and change no score of other tools', () => {
    fc.assert(
      fc.property(tools, text, strengths, (all, query, learned) => {
        const rank = createRank(all);
        const before = rank(query, 50).sums;
        const { sums, full } = rank(query, 50, { learned: within(learned, all) });
        sums.forEach((sum, at) => {
          const most = searchParameters.learned * full * (learned.get(at) ?? 0);
          expect(sum).toBeLessThanOrEqual((before[at] ?? 0) + most + 1e-6);
          expect(sum).toBeGreaterThanOrEqual((before[at] ?? 0) - 1e-6);
        });
      }),
      { numRuns: 300 },
    );
  });

  it('are ignored for tools that are not in the index and for strengths that are no number', () => {
    const plain = createToolSearch(office).search('mail');
    const odd = new Map([
      ['gone', 1],
      ['__proto__', 1],
      ['read', Number.NaN],
      ['send', -5],
    ]);
    expect(createToolSearch(office).search('mail', { learned: odd })).toEqual(plain);
    expect(
      createToolSearch(office).search('mail', { learned: new Map([['send', 1e9]]) })[0]?.score,
    ).toBeLessThan(1);
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

  it('counts like a typical word, although the lexicon calls it a general one', () => {
    const weigh = (name: string): number =>
      createToolSearch(
        [
          { address: 'a', name, description: 'Shows the time.' },
          { address: 'b', name: 'weather', description: 'Forecast for Tokyo.' },
          { address: 'c', name: 'news', description: 'News of a city.' },
        ],
        { lexicon: english },
      )
        .explain('what time is it in Tokyo')
        .words.find(({ written }) => written === 'time')?.weight ?? 0;
    expect(weigh('time')).toBeGreaterThan(1.5 * weigh('clock_time'));
  });

  it('does not outweigh the other words of a query', () => {
    expect(createToolSearch(clock).search('which users are there now')[0]?.address).toBe('users');
  });
});
