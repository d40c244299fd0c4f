import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrDuplicateName } from 'toolfold/errors';
import { usedMemory } from '../../../../test/used-memory.js';
import { runInSlices } from './slices.js';
import { buildToolSearch, createToolSearch, type ToolSearchDocument } from './tool-search.js';

const readData = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../test/data/${file}`, import.meta.url), 'utf8'));

const { tools: gitHubTools } = readData('github-tools.json') as {
  tools: {
    name: string;
    description: string;
    inputSchema: { properties?: Record<string, { description?: string }> };
  }[];
};
const gitHub: ToolSearchDocument[] = gitHubTools.map(({ name, description, inputSchema }) => ({
  address: `github/${name}`,
  name,
  description,
  arguments: Object.entries(inputSchema.properties ?? {}).map(([argument, schema]) => ({
    name: argument,
    description: schema.description,
  })),
}));

/** Fields that the real catalogs do not have. */
const marks = { tags: ['webHooks', 'v2'], toolset: 'Daily work. The café’s tools' };

const office: ToolSearchDocument[] = [
  {
    address: 'calendar.create',
    name: 'create_event',
    description: 'Schedules a meeting.',
    toolset: 'Calendar',
  },
  { address: 'mail.send', name: 'sendMessage', description: 'Sends an email to a recipient.' },
  {
    address: 'weather.today',
    name: 'forecast',
    description: 'Tells whether it will rain.',
    tags: ['umbrella'],
  },
  {
    address: 'cars.rent',
    name: 'rent',
    description: 'Rents a vehicle.',
    arguments: [{ name: 'pickupAirport' }],
  },
];

const first = (documents: readonly ToolSearchDocument[], query: string): string | undefined =>
  createToolSearch(documents).search(query, { limit: 1 })[0]?.address;

describe('a search', () => {
  it('finds tools by name, description, argument, tag and toolset', () => {
    const words = ['event', 'recipient', 'airport', 'umbrella', 'calendar'];
    expect(words.map((word) => first(office, word))).toEqual([
      'calendar.create',
      'mail.send',
      'cars.rent',
      'weather.today',
      'calendar.create',
    ]);
  });

  it('finds other forms of a word, misspellings and compounds', () => {
    expect(first(office, 'scheduling meetings')).toBe('calendar.create');
    expect(first(office, 'sned an emial')).toBe('mail.send');
    expect(first(office, 'rentvehicle')).toBe('cars.rent');
  });

  it('finds nothing for words that no tool has', () => {
    expect(createToolSearch(office).search('Could it be stormy outside tomorrow?')).toEqual([]);
  });

  it('ranks every tool first for its own name', () => {
    const search = createToolSearch(gitHub);
    const missed = gitHub.filter(({ name, address }) => search.search(name)[0]?.address !== address);
    expect(missed.map(({ name }) => name)).toEqual([]);
  });

  it('returns at most the requested number of tools, ten by default, the best first', () => {
    const search = createToolSearch(gitHub);
    const results = search.search('pull request', { limit: 7 });
    expect(results).toHaveLength(7);
    expect(search.search('pull request')).toHaveLength(10);
    expect(search.search('pull request').slice(0, 7)).toEqual(results);
    expect(search.search('pull request', { limit: Infinity }).length).toBeGreaterThan(30);
    expect(results.map(({ score }) => score)).toEqual(
      results.map(({ score }) => score).toSorted((a, b) => b - a),
    );
    for (const limit of [0, -1, Number.NaN, 0.5])
      expect(search.search('pull request', { limit })).toEqual([]);
  });

  it('orders equal scores by address, for any order of the documents', () => {
    const same = ['b', 'a', 'c', 'B'].map((address) => ({
      address,
      name: 'ping',
      description: 'Pings a host.',
    }));
    const found = createToolSearch(same).search('ping');
    expect(found.map(({ address }) => address)).toEqual(['B', 'a', 'b', 'c']);
    expect(createToolSearch(same.toReversed()).search('ping')).toEqual(found);
  });

  it('returns an empty list if nothing matches', () => {
    expect(createToolSearch([]).search('anything')).toEqual([]);
    const search = createToolSearch(office);
    for (const query of ['', '   ', 'the of and', '😀😀', '!?%$', 'qzxqzxqzx'])
      expect(search.search(query), query).toEqual([]);
  });

  it('has its size and its addresses', () => {
    const search = createToolSearch(office);
    expect(search.size).toBe(4);
    expect(search.has('mail.send')).toBe(true);
    expect(search.has('__proto__')).toBe(false);
  });

  it('works with one tool, and with tools without any text', () => {
    expect(first([{ address: 'x', name: 'ping' }], 'ping the host')).toBe('x');
    const empty = createToolSearch([
      { address: 'x', name: '' },
      { address: 'y', name: '!!!', description: 'the' },
    ]);
    expect(empty.search('anything')).toEqual([]);
  });

  it('rejects two tools with the same address', () => {
    expect(() => createToolSearch([...office, { address: 'mail.send', name: 'again' }])).toThrow(
      ErrDuplicateName,
    );
  });

  it('treats names of object properties as ordinary words', () => {
    const odd = ['constructor', '__proto__', 'toString', 'hasOwnProperty'].map((name) => ({
      address: name,
      name,
    }));
    const search = createToolSearch([...office, ...odd]);
    for (const { address } of odd) expect(search.search(address)[0]?.address).toBe(address);
  });
});

describe('any query', () => {
  const search = createToolSearch(gitHub);
  const addresses = new Set(gitHub.map(({ address }) => address));
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 200 }),
    fc
      .array(
        fc.constantFrom(
          'issue',
          'PULL',
          '.*',
          '(a+)+$',
          '[',
          '\\',
          '__proto__',
          '\u0000',
          '😀',
          'ﬁ',
          "''",
          '\ud800',
          '1e9',
        ),
      )
      .map((parts) => parts.join(' ')),
  );

  it('returns existing tools, each once, with scores from 0 to 1, and the same every time', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 200 }), (query, limit) => {
        const results = search.search(query, { limit });
        expect(results.length).toBeLessThanOrEqual(limit);
        expect(new Set(results.map(({ address }) => address))).toHaveLength(results.length);
        for (const { address, score } of results) {
          expect(addresses.has(address)).toBe(true);
          expect(score).toBeGreaterThan(0);
          expect(score).toBeLessThanOrEqual(1);
        }
        expect(search.search(query, { limit })).toEqual(results);
      }),
    );
  });

  it('has the same answer in a search that has answered other queries before', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), text, (before, query) => {
        const used = createToolSearch(office);
        for (const each of before) used.search(each);
        expect(used.search(query)).toEqual(createToolSearch(office).search(query));
      }),
      { numRuns: 30 },
    );
  });

  it('returns only documents of the index, for any documents', () => {
    const document = fc.record({
      address: fc.string({ maxLength: 10 }),
      name: text,
      description: fc.option(text, { nil: undefined }),
      tags: fc.array(text, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(document, { selector: ({ address }) => address, maxLength: 8 }),
        text,
        (some, query) => {
          const given = new Set(some.map(({ address }) => address));
          for (const { address, score } of createToolSearch(some).search(query)) {
            expect(given.has(address)).toBe(true);
            expect(Number.isFinite(score)).toBe(true);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it('is fast, for any length and content', () => {
    const long = [
      'a'.repeat(10_000),
      'aB'.repeat(5_000),
      "a'".repeat(5_000),
      'issue '.repeat(2_000),
      '😀'.repeat(5_000),
      '\u0301'.repeat(10_000),
      'x'.repeat(31).concat(' ').repeat(300),
      Array.from({ length: 2_000 }, (_, at) => `${at.toString(36)}zq`).join(' '),
      gitHubTools.map(({ description }) => description).join(' '),
      'ﷺ'.repeat(10_000),
    ];
    // The best of three, because a garbage collection also takes the time of what earlier tests have left.
    const times = [0, 1, 2].map(() => {
      const fresh = createToolSearch(gitHub);
      const started = process.cpuUsage();
      for (const query of long) fresh.search(query);
      return process.cpuUsage(started).user / 1_000 / long.length;
    });
    expect(Math.min(...times)).toBeLessThan(100);
  });

  it('is cached for a limited time, so the cache does not grow with the number of queries', async () => {
    const many = createToolSearch(office);
    const ask = (from: number): void => {
      for (let at = from; at < from + 20_000; at++) many.search(`${at.toString(36)}zqx`);
    };
    ask(0);
    const before = await usedMemory();
    ask(20_000);
    ask(40_000);
    expect((await usedMemory()) - before).toBeLessThan(40_000_000);
  });
});

const { tools: devTools, queries } = readData('tool-search-dev.json') as {
  tools: { name: string; description: string }[];
  queries: { query: string; tool: string }[];
};
const dev: ToolSearchDocument[] = devTools.map((tool) => ({ ...tool, address: tool.name }));

describe('a long query', () => {
  it('has at most 64 words, even if they are written as one', () => {
    const search = createToolSearch(gitHub);
    const letters = 'bcdfghjklm';
    const parts = Array.from(
      { length: 400 },
      (_, at) => `Qa${[...String(at)].map((digit) => letters[Number(digit)]).join('')}`,
    );
    for (const query of [parts.join(''), parts.join(' '), `issue ${parts.join('')} ${parts.join('')}`]) {
      const { words } = search.explain(query.slice(0, 2_000));
      expect(new Set(words.flatMap(({ stems }) => stems)).size).toBeLessThanOrEqual(64);
    }
  });
});

describe('an index that is built in slices', () => {
  it.each([
    ['GitHub', gitHub],
    ['ToolE', dev],
    ['both, with toolsets and tags', [...gitHub, ...dev].map((each) => ({ ...each, ...marks }))],
  ])('gives the same results and scores as one that is built at once: %s', async (_, documents) => {
    const atOnce = createToolSearch(documents);
    const inSlices = await runInSlices(buildToolSearch(documents));
    for (const { query } of queries.slice(0, 300)) {
      expect(inSlices.search(query, { limit: 30 })).toEqual(atOnce.search(query, { limit: 30 }));
    }
  });
});

describe('real queries', () => {
  it('have the right tool first for 48 % of them and among the first five for 69 %', () => {
    const search = createToolSearch(dev);
    const places = queries.map(({ query, tool }) =>
      search.search(query, { limit: 5 }).findIndex(({ address }) => address === tool),
    );
    expect(places.filter((place) => place === 0).length / queries.length).toBeGreaterThanOrEqual(0.48);
    expect(places.filter((place) => place >= 0).length / queries.length).toBeGreaterThanOrEqual(0.69);
  });
});
