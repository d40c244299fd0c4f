import { describe, expect, it } from 'vitest';
import { createToolSearch } from '@toolfold/search';
import { addQuestion } from './recent-questions.js';
import { describeWord, explainMiss, explainRefusal, toBar, widestOf, writtenWord } from './reasons.js';
import { readSearchRoute, writeSearchRoute } from './search-route.js';

const search = createToolSearch([
  { address: 'shop/refund', name: 'refund', description: 'Pays the price of an order back to the customer.' },
  { address: 'shop/list', name: 'list_orders', description: 'Lists the orders of a customer.' },
  { address: 'mail/send', name: 'send_mail', description: 'Sends a mail to an address.' },
]);

const ask = (query: string, addresses: string[] = []) => ({
  query,
  searched: search.size,
  unmatched: search.answer(query).unmatched,
  ...search.explain(query, { addresses }),
});

describe('the reasons of a search', () => {
  it('are parts that fill the bar of the best tool and add up to its sum', () => {
    const { tools } = ask('refund an order');
    const widest = widestOf(tools);
    const { added, lowered } = toBar(tools[0]!, widest);
    const sum = [...added, ...lowered].reduce((total, { amount }) => total + amount, 0);
    expect(sum).toBeCloseTo(tools[0]!.sum, 4);
    expect(added.reduce((total, { width }) => total + width, 0)).toBeLessThanOrEqual(100.001);
    expect(tools.map((tool) => toBar(tool, widest).added.length)).not.toContain(0);
  });

  it('show parts that lower the sum apart from the bar', () => {
    const parts = [
      { part: 'words', amount: 0.8 },
      { part: 'verb', amount: -0.2 },
    ] as const;
    const { added, lowered } = toBar({ parts }, 0.8);
    expect(added).toEqual([{ part: 'words', amount: 0.8, width: 100 }]);
    expect(lowered).toMatchObject([{ part: 'verb', amount: -0.2 }]);
    expect(toBar({ parts: [] }, 0)).toEqual({ added: [], lowered: [] });
  });

  it('name the words of the question as they were written', () => {
    const { words } = ask('the orders of zxqvw');
    expect(words.map(describeWord)).toEqual([
      'not searched, because it is too general',
      'in 2 actions',
      'not searched, because it is too general',
      'unknown: no tool has it, or a similar word',
    ]);
    expect(writtenWord(words, words[1]!.stems[0]!)).toBe('orders');
    expect(writtenWord(words, 'nothing')).toBe('nothing');
  });
});

describe('a question without results', () => {
  it('is explained by its words', () => {
    expect(explainRefusal(ask('refund an order'))).toBeUndefined();
    expect(explainRefusal(ask('of the and'))?.why).toBe(
      'Every word of the question is too general to search for.',
    );
    expect(explainRefusal(ask('zxqvw'))?.why).toContain('No tool has a word of the question');
    expect(explainRefusal({ ...ask('x'), searched: 0, tools: [] })?.why).toBe('The server has no tools.');
  });

  it('is explained by the threshold if a tool comes close', () => {
    const report = ask('turquoise balcony for a customer');
    const tools = report.tools.map((tool) => ({ ...tool, isFound: false }));
    expect(explainRefusal({ ...report, tools, refused: true })?.why).toBe(
      'The best tool is below the threshold. No tool has “turquoise” or “balcony”.',
    );
  });

  it('is explained for a tool that the developer expected', () => {
    const tool = ask('refund an order', ['mail/send']).tools.find(({ address }) => address === 'mail/send');
    expect(explainMiss(tool!, 10)).toContain('no word of the question');
    expect(explainMiss({ missed: 'outweighed', place: 14 }, 10)).toBe(
      'It is in place 14, and the search returns 10 tools.',
    );
    expect(explainMiss({ missed: 'below the threshold' }, 10)).toContain('below the threshold');
  });
});

describe('recent questions', () => {
  it('have each question once, the latest first, without the steps of typing', () => {
    let questions: readonly string[] = [];
    for (const question of ['re', 'refund', ' refund an order ', 'mail', 'refund an order', ''])
      questions = addQuestion(questions, question);
    expect(questions).toEqual(['refund an order', 'mail']);
  });

  it('are limited', () => {
    let questions: readonly string[] = [];
    for (let at = 0; at < 50; at++) questions = addQuestion(questions, `${at} question`);
    expect(questions).toHaveLength(12);
  });
});

describe('the route of the search', () => {
  it('is read as it was written', () => {
    const route = { query: 'a & b = c?', other: '', tool: 'shop/refund' };
    expect(readSearchRoute(writeSearchRoute(route))).toEqual(route);
  });

  it('is a question if another section links to it', () => {
    expect(readSearchRoute('refund=an order')).toEqual({
      query: 'refund=an order',
      other: undefined,
      tool: undefined,
    });
  });
});
