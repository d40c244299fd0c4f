import type { Confidence, ToolSearchAnswer } from '../index/tool-search.js';

export interface MergedHit {
  readonly address: string;
  readonly confidence: Confidence;
  /** The position of the tool among the results of the first query that found it. */
  readonly place: number;
  readonly queries: readonly number[];
}

const order: readonly Confidence[] = ['strong', 'likely', 'weak'];

/**
 * Merges the answers to several queries into at most `limit` tools. The queries take turns: their first results come before their
 * second ones, so that a query with many results leaves space for the others. Within a turn, confident results come first. A
 * tool that several queries find takes one place. A greater limit only adds tools at the end.
 */
export function mergeAnswers(answers: readonly ToolSearchAnswer[], limit: number): MergedHit[] {
  const hits = new Map<string, MergedHit & { readonly queries: number[] }>();
  const longest = Math.max(0, ...answers.map(({ results }) => results.length));
  for (let place = 0; place < longest && hits.size < limit; place++) {
    const turn = answers
      .flatMap(({ results }, query) => {
        const result = results[place];
        return result ? [{ ...result, query }] : [];
      })
      .toSorted((one, other) => order.indexOf(one.confidence) - order.indexOf(other.confidence));
    for (const { address, confidence, query } of turn) {
      const known = hits.get(address);
      if (known) known.queries.push(query);
      else if (hits.size < limit) hits.set(address, { address, confidence, place, queries: [query] });
    }
  }
  return [...hits.values()];
}

/**
 * Counts the further tools that match. For several queries the count is a lower bound, because they may share tools beyond their results.
 */
export function countLeft(answers: readonly ToolSearchAnswer[], seen: readonly MergedHit[]): number {
  const shown = new Set(seen.map(({ address }) => address));
  const known = new Set(answers.flatMap(({ results }) => results.map(({ address }) => address)));
  const counts = answers.map(({ results, more }) => {
    const own = results.filter(({ address }) => shown.has(address)).length;
    // Other queries may have found tools that are among the further results of this query.
    return results.length - own + Math.max(0, more - (shown.size - own));
  });
  return Math.max(known.size - shown.size, 0, ...counts);
}
