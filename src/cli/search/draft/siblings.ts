import type { SearchWords } from '../../../index.js';
import type { DraftedTool } from './drafted-tools.js';
import { stemsOf } from './word-sets.js';

/** Two tools that a search can hardly tell apart. */
export interface Siblings {
  readonly addresses: readonly [string, string];
  /** The share of their searchable words that both have, from 0 to 1. */
  readonly before: number;
  readonly after: number;
  /** The keywords that both have after the change. */
  readonly shared: readonly string[];
}

/** Tools that share more of their words than this are hard to tell apart. */
const ALIKE = 0.7;
/** A keyword that more tools have than this tells no pair apart, and would make the comparison of many tools slow. */
const MAX_HOLDERS = 200;
const MAX_PAIRS = 200_000;

type WordsOf = (address: string) => SearchWords | undefined;

/**
 * Finds pairs of tools that have nearly all searchable words in common after a change of keywords.
 */
export function findSiblings(tools: readonly DraftedTool[], before: WordsOf, after: WordsOf): Siblings[] {
  const stems = tools.map((tool) => ({
    tool,
    before: searchableStems(tool, before(tool.address)),
    after: searchableStems(tool, after(tool.address)),
  }));
  const found: Siblings[] = [];
  for (const [one, other] of pairsWithSharedKeywords(tools, after)) {
    const [first, second] = [stems[one], stems[other]];
    if (!first || !second) continue;
    const share = overlap(first.after, second.after);
    const earlier = overlap(first.before, second.before);
    const isChanged = [first, second].some(
      ({ tool: { address } }) => !isEqual(before(address), after(address)),
    );
    if (share < ALIKE || !isChanged) continue;
    found.push({
      addresses: [first.tool.address, second.tool.address],
      before: earlier,
      after: share,
      shared: sharedKeywords(after(first.tool.address), after(second.tool.address)),
    });
  }
  return found.toSorted((one, other) => other.after - one.after);
}

function searchableStems(tool: DraftedTool, words: SearchWords | undefined): Set<string> {
  return stemsOf(
    tool.name,
    tool.title,
    tool.description,
    ...tool.arguments.flatMap(({ name, description }) => [name, description]),
    ...(tool.search?.keywords ?? []),
    ...(words?.keywords ?? []),
    ...(words?.examples ?? []),
  );
}

/** The share of all words of two sets that both have. */
function overlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  let both = 0;
  for (const stem of one) if (other.has(stem)) both++;
  const all = one.size + other.size - both;
  return all === 0 ? 0 : both / all;
}

function isEqual(one: SearchWords | undefined, other: SearchWords | undefined): boolean {
  return one?.keywords?.join('\n') === other?.keywords?.join('\n');
}

function sharedKeywords(one: SearchWords | undefined, other: SearchWords | undefined): string[] {
  const known = new Set(other?.keywords);
  return (one?.keywords ?? []).filter((word) => known.has(word));
}

/** The places of tools that share a keyword, each pair once. */
function pairsWithSharedKeywords(
  tools: readonly DraftedTool[],
  after: WordsOf,
): (readonly [number, number])[] {
  const holders = new Map<string, number[]>();
  for (const [at, { address }] of tools.entries()) {
    for (const word of after(address)?.keywords ?? []) {
      const places = holders.get(word);
      if (places) places.push(at);
      else holders.set(word, [at]);
    }
  }
  const seen = new Set<number>();
  const pairs: (readonly [number, number])[] = [];
  for (const places of holders.values()) {
    if (places.length > MAX_HOLDERS) continue;
    for (const [index, one] of places.entries()) {
      for (const other of places.slice(index + 1)) {
        const pair = one * tools.length + other;
        if (one === other || seen.has(pair)) continue;
        if (seen.size >= MAX_PAIRS) return pairs;
        seen.add(pair);
        pairs.push([one, other]);
      }
    }
  }
  return pairs;
}
