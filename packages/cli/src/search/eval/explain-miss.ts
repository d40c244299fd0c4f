import type { ExplainedTool, MissReason, SearchExplanation, ToolSearchResult } from '@toolfold/search';
import type { OpenedSearch } from '../open-search.js';
import { writtenIn } from '../written-word.js';
import type { Question } from './questions.js';

export interface MatchedWord {
  readonly word: string;
  readonly amount: number;
}

interface Rival {
  readonly address: string;
  readonly words: readonly MatchedWord[];
}

export interface Miss {
  readonly pointer: string;
  /** The query, or the step of a task for which the tool ranks best. */
  readonly query: string;
  readonly needed: readonly string[];
  readonly reason: MissReason;
  /** Rank of the tool among all tools, from 1. Missing if it matches no word. */
  readonly place?: number | undefined;
  readonly words: readonly MatchedWord[];
  /** Words of the query that no tool contains. */
  readonly unknownWords: readonly string[];
  readonly rivals: readonly Rival[];
}

const MAX_RIVALS = 3;

/** Explains why a search misses a needed tool. Of several acceptable tools, explains the one that ranks best. */
export function explainMiss(
  { search }: OpenedSearch,
  { pointer, query, steps }: Question,
  needed: readonly string[],
  results: readonly Pick<ToolSearchResult, 'address'>[],
): Miss {
  const rivals = results.slice(0, MAX_RIVALS).map(({ address }) => address);
  const explained = (steps.length > 0 ? steps : [query])
    .map((text) => {
      const explanation = search.explain(text, { addresses: [...needed, ...rivals], limit: 1 });
      return { text, explanation, best: findBest(explanation, needed) };
    })
    .toSorted((one, other) => placeOf(one.best) - placeOf(other.best));
  const [{ text, explanation, best } = { text: query, explanation: undefined, best: undefined }] = explained;
  return {
    pointer,
    query: text,
    needed,
    reason: reasonOf(explanation, best),
    place: best?.place,
    words: wordsOf(best, explanation),
    unknownWords: explanation?.words.filter(({ isUnknown }) => isUnknown).map(({ written }) => written) ?? [],
    rivals: rivals.map((address) => ({
      address,
      words: wordsOf(
        explanation?.tools.find((tool) => tool.address === address),
        explanation,
      ),
    })),
  };
}

/** With a ranker, a tool that the built-in search finds may still be missed. */
function reasonOf(explanation: SearchExplanation | undefined, best: ExplainedTool | undefined): MissReason {
  if (best?.missed !== undefined) return best.missed;
  if (explanation?.refused === true) return 'below the threshold';
  return best?.place === undefined ? 'no shared word' : 'outweighed';
}

function findBest({ tools }: SearchExplanation, needed: readonly string[]): ExplainedTool | undefined {
  const [best] = tools
    .filter(({ address }) => needed.includes(address))
    .toSorted((one, other) => placeOf(one) - placeOf(other));
  return best;
}

function placeOf(tool: ExplainedTool | undefined): number {
  return tool?.place ?? Number.POSITIVE_INFINITY;
}

function wordsOf(tool: ExplainedTool | undefined, explanation: SearchExplanation | undefined): MatchedWord[] {
  return (tool?.matches ?? [])
    .map(({ stem, term, how, amount }) => {
      const word = explanation ? writtenIn(explanation, stem) : stem;
      return {
        word: how === 'same' ? word : `${word} ~ ${term}`,
        amount: Math.round(amount * 1_000) / 1_000,
      };
    })
    .toSorted((one, other) => other.amount - one.amount);
}
