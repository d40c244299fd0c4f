import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Confidence, ToolSearchAnswer } from '../index/tool-search.js';
import { countLeft, mergeAnswers } from './merge-answers.js';

const found = (
  addresses: readonly string[],
  confidence: Confidence = 'likely',
  more = 0,
): ToolSearchAnswer => ({
  results: addresses.map((address) => ({ address, score: 0.5, confidence })),
  more,
  unmatched: [],
});
const addressesOf = (hits: readonly { readonly address: string }[]): string[] =>
  hits.map(({ address }) => address);

describe('merged answers', () => {
  it('take turns by place, and show a tool of several queries once', () => {
    const hits = mergeAnswers([found(['a', 'b', 'c']), found(['b', 'd']), found(['e'])], 10);
    expect(hits.map(({ address, queries }) => [address, queries])).toEqual([
      ['a', [0]],
      ['b', [1, 0]],
      ['e', [2]],
      ['d', [1]],
      ['c', [0]],
    ]);
  });

  it('prefer confident results within a turn, so that a small limit shows these', () => {
    const answers = [found(['a', 'b'], 'weak'), found(['c', 'd'], 'strong'), found(['e', 'f'])];
    expect(addressesOf(mergeAnswers(answers, 2))).toEqual(['c', 'e']);
    expect(addressesOf(mergeAnswers(answers, 4))).toEqual(['c', 'e', 'a', 'd']);
  });

  it('count further tools exactly for one query, and not too many for several', () => {
    const one = [found(['a', 'b'], 'likely', 7)];
    expect(countLeft(one, mergeAnswers(one, 2))).toBe(7);
    expect(countLeft(one, mergeAnswers(one, 1))).toBe(8);
    const two = [found(['a', 'b'], 'likely', 3), found(['c', 'd'])];
    // Two of the three further tools of the first query may be those of the second one.
    expect(countLeft(two, mergeAnswers(two, 4))).toBe(1);
    expect(countLeft(two, mergeAnswers(two, 2))).toBe(3);
  });
});

const letters = [...'abcdefghijkl'];
const confidences = fc.constantFrom<Confidence>('strong', 'likely', 'weak');
/** The whole ranking of a query. */
const rankings = fc.array(fc.tuple(fc.shuffledSubarray(letters), confidences), { maxLength: 6 });

/** The answer of an index that returns a part of a ranking. */
const cut = ([ranking, confidence]: readonly [string[], Confidence], limit: number): ToolSearchAnswer =>
  found(ranking.slice(0, limit), confidence, Math.max(0, ranking.length - limit));

describe('merged answers of any queries', () => {
  it('have no tool twice, fit the limit, and use all of it if there are enough tools', () => {
    fc.assert(
      fc.property(rankings, fc.integer({ min: 1, max: 15 }), (all, limit) => {
        const hits = mergeAnswers(
          all.map((ranking) => cut(ranking, limit)),
          limit,
        );
        const union = new Set(all.flatMap(([ranking]) => ranking));
        expect(new Set(addressesOf(hits)).size).toBe(hits.length);
        expect(hits).toHaveLength(Math.min(limit, union.size));
        for (const { address, queries } of hits)
          for (const query of queries) expect(all[query]?.[0]).toContain(address);
      }),
    );
  });

  it('give each query its turn: no query shows a further result before the others show theirs', () => {
    fc.assert(
      fc.property(rankings, fc.integer({ min: 1, max: 15 }), (all, limit) => {
        const hits = mergeAnswers(
          all.map((ranking) => cut(ranking, limit)),
          limit,
        );
        const shown = new Set(addressesOf(hits));
        const last = Math.max(-1, ...hits.map(({ place }) => place));
        for (const [ranking] of all)
          for (const address of ranking.slice(0, Math.max(0, last))) expect(shown).toContain(address);
        if (limit >= all.length)
          for (const [[best]] of all) if (best !== undefined) expect(shown).toContain(best);
      }),
    );
  });

  it('begin with the tools of a smaller limit, so that pages have no gaps', () => {
    fc.assert(
      fc.property(rankings, fc.integer({ min: 1, max: 6 }), (all, size) => {
        const pages: string[] = [];
        for (let offset = 0; offset < letters.length + size; offset += size) {
          const answers = all.map((ranking) => cut(ranking, offset + size));
          pages.push(...addressesOf(mergeAnswers(answers, offset + size).slice(offset)));
        }
        expect(new Set(pages).size).toBe(pages.length);
        expect(new Set(pages)).toEqual(new Set(all.flatMap(([ranking]) => ranking)));
      }),
    );
  });

  it('never report more further tools than there are, and none only if none is left', () => {
    fc.assert(
      fc.property(rankings, fc.integer({ min: 1, max: 15 }), (all, limit) => {
        const answers = all.map((ranking) => cut(ranking, limit));
        const hits = mergeAnswers(answers, limit);
        const union = new Set(all.flatMap(([ranking]) => ranking));
        const left = countLeft(answers, hits);
        expect(left).toBeLessThanOrEqual(union.size - hits.length);
        expect(left === 0).toBe(union.size === hits.length);
        if (all.length === 1) expect(left).toBe(union.size - hits.length);
      }),
    );
  });
});
