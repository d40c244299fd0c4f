import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createToolSearch, type ToolSearch, type ToolSearchDocument } from './tool-search.js';

const mail: ToolSearchDocument[] = [
  { address: 'send', name: 'send_message', description: 'Sends an email to a recipient.' },
  { address: 'list', name: 'list_messages', description: 'Lists the newest emails of a folder.' },
  { address: 'purge', name: 'purge_folder', description: 'Removes all emails of a folder.' },
  { address: 'rule', name: 'add_rule', description: 'Files new emails in a folder.' },
];

const give = (address: string, hints: Partial<ToolSearchDocument>): ToolSearchDocument[] =>
  mail.map((each) => (each.address === address ? { ...each, ...hints } : each));

const find = (documents: readonly ToolSearchDocument[], query: string): string[] =>
  createToolSearch(documents)
    .search(query)
    .map(({ address }) => address);

describe('keywords', () => {
  it('find a tool by words that its texts lack, also by one word of a phrase', () => {
    expect(find(mail, 'vacuum')[0]).not.toBe('send');
    expect(find(give('send', { keywords: ['vacuum'] }), 'vacuum')[0]).toBe('send');
    expect(find(give('send', { keywords: ['spring vacuuming'] }), 'vacuum')[0]).toBe('send');
  });

  it('do not beat the name and the description of another tool', () => {
    expect(find(give('send', { keywords: ['rule'] }), 'rule').slice(0, 2)).toEqual(['rule', 'send']);
    expect(find(give('send', { keywords: ['recipient', 'newest'] }), 'newest')[0]).toBe('list');
  });

  it('do not make the other words of their tool weaker', () => {
    const many = Array.from({ length: 16 }, (_, at) => `keyword${'abcdefghijklmnop'[at]}`);
    const score = (documents: ToolSearchDocument[]): number | undefined =>
      createToolSearch(documents).explain('folder newest').tools[0]?.sum;
    expect(score(give('list', { keywords: many }))).toBeCloseTo(score(mail) ?? 0, 5);
  });
});

describe('words that keywords and texts share', () => {
  it('count more than words of one of them', () => {
    const score = (hints: Partial<ToolSearchDocument>, query: string): number =>
      createToolSearch(give('list', hints))
        .explain(query, { addresses: ['list'] })
        .tools.find(({ address }) => address === 'list')?.sum ?? 0;
    expect(score({ keywords: ['newest'] }, 'newest')).toBeGreaterThan(
      score({ keywords: ['other'] }, 'newest') + 0.1,
    );
  });

  it('match the synonyms of keywords', () => {
    expect(find(give('send', { keywords: ['bug'] }), 'defect')[0]).toBe('send');
  });
});

describe('examples', () => {
  it('count more for a word that several of them repeat', () => {
    const score = (examples: string[]): number =>
      createToolSearch(give('send', { examples })).explain('vacuum').tools[0]?.sum ?? 0;
    const once = score(['vacuum the flat', 'clean it', 'make it shine']);
    expect(score(['vacuum the flat', 'vacuum it', 'vacuum here'])).toBeGreaterThan(once);
  });

  it('find their tool first if the query is one of them', () => {
    const example = 'Are there any emails of my boss in a folder that I should send?';
    const documents = give('rule', { examples: ['something else', example] });
    expect(find(mail, example)[0]).not.toBe('rule');
    expect(find(documents, example)[0]).toBe('rule');
    expect(find(documents, example.toLowerCase().replace('?', ' !'))[0]).toBe('rule');
  });

  it('do not beat the name of another tool', () => {
    expect(find(give('rule', { examples: ['send message'] }), 'send a message')).toEqual(
      expect.arrayContaining(['rule']),
    );
    expect(find(give('rule', { examples: ['send message'] }), 'send a message')[0]).toBe('send');
  });
});

describe('a keyword that is added to a tool', () => {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'list', 'user'];
  const some = fc.uniqueArray(fc.constantFrom(...words), { maxLength: 4 });
  const document = fc.record({
    name: some,
    description: some,
    keywords: fc.option(some, { nil: undefined }),
  });

  const create = (
    all: readonly {
      name: readonly string[];
      description: readonly string[];
      keywords?: readonly string[] | undefined;
    }[],
    chosen: number,
    added: readonly string[],
  ): ToolSearch =>
    createToolSearch(
      all.map(({ name, description, keywords }, at) => ({
        address: `tool${at}`,
        name: ['x', ...name].join('_'),
        description: description.join(' '),
        keywords: at === chosen ? [...(keywords ?? []), ...added] : keywords,
      })),
    );

  it('never lowers the place of this tool for this word, which its texts lack', () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 2, maxLength: 7 }),
        fc.constantFrom(...words),
        fc.nat(),
        (given, word, pick) => {
          const chosen = pick % given.length;
          const others = (texts: readonly string[]): string[] => texts.filter((each) => each !== word);
          const all = given.map((each, at) =>
            at === chosen
              ? { ...each, name: others(each.name), description: others(each.description) }
              : each,
          );
          const place = (added: readonly string[]): number => {
            const results = create(all, chosen, added).search(word);
            const at = results.findIndex(({ address }) => address === `tool${chosen}`);
            return at < 0 ? Infinity : at;
          };
          expect(place([word])).toBeLessThanOrEqual(place([]));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('never lowers the score of this tool for this word', () => {
    fc.assert(
      fc.property(
        fc.array(document, { minLength: 2, maxLength: 7 }),
        fc.constantFrom(...words),
        fc.nat(),
        (all, word, pick) => {
          const chosen = pick % all.length;
          const score = (added: readonly string[]): number =>
            create(all, chosen, added)
              .explain(word, { limit: all.length })
              .tools.find(({ address }) => address === `tool${chosen}`)?.sum ?? 0;
          expect(score([word])).toBeGreaterThanOrEqual(score([]) - 1e-6);
        },
      ),
      { numRuns: 500 },
    );
  });
});
