import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { declaredFields } from '@toolfold/schema/internal';
import { describeArguments } from '../form/entries.js';
import { createToolSearch, fuseRanker, type ToolSearchDocument } from '../index/tool-search.js';

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../../test/data/${file}`, import.meta.url), 'utf8'));
const { tools } = read('github-tools.json') as {
  tools: { name: string; description: string; inputSchema: object }[];
};
const gitHub = tools.map(({ name, description, inputSchema }) => ({
  address: name,
  name,
  description,
  arguments: describeArguments(declaredFields(inputSchema)),
}));
const search = createToolSearch(gitHub);

describe('a search that no tool answers', () => {
  it('has no results, and names the words that no tool has as they are written', () => {
    expect(search.search('Book a flight to Paris')).toEqual([]);
    const { results, more, unmatched } = search.answer(
      'Please find a flight to Paris, and a hotel for the 14th in PARIS',
    );
    expect({ results, more, unmatched }).toEqual({
      results: [],
      more: 0,
      unmatched: ['flight', 'Paris', 'hotel', 'th'],
    });
  });

  it('names at most ten words, each of at most 40 characters', () => {
    const { unmatched } = search.answer(
      Array.from({ length: 30 }, (_, at) => `zq${'xyz'[at % 3]}`.repeat(20 + at)).join(' '),
    );
    expect(unmatched).toHaveLength(10);
    for (const word of unmatched) expect(word.length).toBeLessThanOrEqual(40);
  });

  it('still has the hits of a ranker, with weak confidence', async () => {
    const fused = fuseRanker(search, { rank: () => ['create_issue'] });
    const found = await fused.search('Book a flight to Paris');
    expect(found.map(({ address, confidence }) => [address, confidence])).toEqual([['create_issue', 'weak']]);
  });
});

describe('a search that is restricted to some tools', () => {
  const zoo = {
    address: 'zoo',
    name: 'zookeeper',
    description: 'Feeds the giraffe.',
    keywords: ['xylophone'],
  };
  const shop: ToolSearchDocument[] = [
    { address: 'list', name: 'list_orders', description: 'Lists orders of a customer.' },
    { address: 'cancel', name: 'cancel_order', description: 'Cancels an order.' },
    { address: 'refund', name: 'refund_order', description: 'Pays the price back.', keywords: ['money'] },
    { address: 'mail', name: 'send_mail', description: 'Sends mail to a customer.' },
  ];
  const only = (address: string): boolean => address !== 'zoo';

  it('answers a word that only other tools have like a word that no tool has', () => {
    const both = createToolSearch([...shop, zoo]);
    const query = fc.array(
      fc.constantFrom('cancel', 'order', 'money', 'customer', 'mail', 'gimme', 'HIDDEN'),
      { minLength: 1, maxLength: 5 },
    );
    const hidden = fc.constantFrom('giraffe', 'xylophone', 'zookeeper');
    fc.assert(
      fc.property(query, hidden, (words, word) => {
        const ask = (written: string) => {
          const text = words.map((each) => (each === 'HIDDEN' ? written : each)).join(' ');
          const { unmatched, ...answer } = both.answer(text, { only });
          return { ...answer, unmatched: unmatched.map((each) => (each === written ? 'HIDDEN' : each)) };
        };
        expect(ask(word)).toEqual(ask('qqvvwwjj'));
      }),
    );
  });
});

describe('the confidence', () => {
  it('is strong for the name of a tool, whose score is 1', () => {
    for (const { name, address } of gitHub)
      expect(search.search(name)[0]).toEqual({ address, score: 1, confidence: 'strong' });
  });

  it('is strong only for a tool with a lead over the next one', () => {
    const archive = {
      address: 'a',
      name: 'archive_invoice',
      description: 'Archives the invoice of a supplier.',
    };
    const others = [
      { address: 'c', name: 'send_mail', description: 'Sends a mail to a customer.' },
      { address: 'd', name: 'list_users', description: 'Lists the users of a team.' },
    ];
    const judge = (documents: readonly ToolSearchDocument[]) =>
      createToolSearch(documents).search('archive the invoice of this supplier')[0]?.confidence;
    expect(judge([archive, ...others])).toBe('strong');
    expect(judge([archive, { ...archive, address: 'b' }, ...others])).toBe('likely');
  });

  it('counts an unknown word less if it is a value, such as a name, a quoted title or a word of another script', () => {
    const measure = (word: string): number => search.explain(`list the branches of ${word}`).signals.known;
    for (const value of ['Qqvvww', '"qqvvww"', 'щщъъ'])
      expect(measure(value), value).toBeGreaterThan(measure('qqvvww'));
  });

  it('considers that an index with many terms has words of any query by chance', () => {
    const measure = (terms: number): number => {
      const description = Array.from({ length: terms }, (_, at) => `w${at.toString(36)}w`).join(' ');
      return createToolSearch([{ address: 'a', name: 'a', description }]).explain('a').signals.chance;
    };
    expect(measure(10)).toBe(measure(400));
    expect(measure(1_000)).toBeGreaterThan(measure(600));
  });

  it('never rises from one result to the next', () => {
    const ranks = { weak: 0, likely: 1, strong: 2 };
    const words =
      'create issue pull request branch the delete list commit file weather jazz label review 42'.split(' ');
    const query = fc
      .array(fc.constantFrom(...words), { minLength: 1, maxLength: 7 })
      .map((all) => all.join(' '));
    fc.assert(
      fc.property(query, (text) => {
        const results = search.search(text, { limit: 20 });
        results.forEach(({ score, confidence }, at) => {
          expect(score).toBeGreaterThanOrEqual(0);
          expect(score).toBeLessThanOrEqual(results[at - 1]?.score ?? 1);
          expect(ranks[confidence]).toBeLessThanOrEqual(ranks[results[at - 1]?.confidence ?? 'strong']);
        });
      }),
      { numRuns: 200 },
    );
  });

  it('counts the tools that the limit left out, and none that match far worse', () => {
    const same: ToolSearchDocument[] = Array.from({ length: 67 }, (_, at) => ({
      address: `t${at}`,
      name: `ping_${at}`,
      description: 'Pings a host.',
    }));
    const pings = createToolSearch([
      ...same,
      { address: 'other', name: 'bill', description: 'Pays a bill.' },
    ]);
    expect(pings.answer('ping a host', { limit: 50 })).toMatchObject({ more: 17 });
    expect(pings.answer('ping a host', { limit: 67 })).toMatchObject({ more: 0 });
  });

  it('refuses many questions far from the domain, and few that a tool answers', () => {
    type Questions = { queries: { query: string; distance?: string }[] };
    const refuse = (questions: Questions['queries']): number =>
      questions.filter(({ query }) => search.search(query).length === 0).length / questions.length;
    const { queries: unanswerable } = read('github-unanswerable.json') as Questions;
    const { queries: answerable } = read('github-questions.json') as Questions;
    expect(refuse(unanswerable.filter(({ distance }) => distance === 'far'))).toBeGreaterThan(0.3);
    expect(refuse(answerable)).toBeLessThan(0.04);
  });
});

describe('a destructive tool', () => {
  const desk: ToolSearchDocument[] = [
    { address: 'merge', name: 'merge', description: 'Merges two tickets.', risk: 'destructive' },
    { address: 'agents', name: 'agents', description: 'Lists agents of the desk.', risk: 'read' },
    { address: 'tags', name: 'tags', description: 'Lists tags.', risk: 'read' },
  ];
  const judge = (query: string, tools = desk): unknown => {
    const [first] = createToolSearch(tools).search(query);
    return [first?.address, first?.confidence];
  };
  const status: ToolSearchDocument = {
    address: 'set_status',
    name: 'set_status',
    description: 'Sets the status of a ticket.',
    arguments: [{ name: 'status', values: ['open', 'closed'] }],
    risk: 'write',
  };

  it('is strong only if it has all words of the query and does what the query asks for', () => {
    expect(judge('merge tickets')).toEqual(['merge', 'strong']);
    expect(judge('close the two tickets')).toEqual(['merge', 'likely']);
    const closing = desk.map((tool) =>
      tool.address === 'merge' ? { ...tool, description: 'Merges two tickets and closes one.' } : tool,
    );
    expect(judge('close tickets', closing)).toEqual(['merge', 'likely']);
    expect(
      judge(
        'close tickets',
        closing.map((tool) => ({ ...tool, risk: 'write' })),
      ),
    ).toEqual(['merge', 'strong']);
  });

  it('comes after a tool that accepts a value of the query', () => {
    expect(judge('close a ticket', [...desk, status])).toEqual(['set_status', expect.any(String)]);
  });
});
