import type { SearchReport } from '../../../../src/page-api.js';
import { countOf } from '../../ui/figures.js';

export type SearchedTool = SearchReport['tools'][number];
type SearchedWord = SearchReport['words'][number];
type Part = SearchedTool['parts'][number]['part'];
type Match = SearchedTool['matches'][number];

/** Names and explanations of the parts of a score, in the order of the bar. */
export const partTexts: Readonly<Record<Part, { readonly name: string; readonly explanation: string }>> = {
  words: { name: 'Words', explanation: 'Words of the question that the tool has' },
  balance: { name: 'Balance', explanation: 'Balance between tools with and without keywords' },
  verb: { name: 'Verb', explanation: 'The verb of the question fits, or does not fit, what the tool does' },
  name: { name: 'Name', explanation: 'The question is the name, or an example, of the tool' },
};

export const partColours: Readonly<Record<Part, `--${string}`>> = {
  words: '--chart-1',
  balance: '--chart-5',
  verb: '--chart-4',
  name: '--info',
};

interface BarPart {
  readonly part: Part;
  readonly amount: number;
  /** Width in percent of the widest bar. */
  readonly width: number;
}

/** Converts parts to a stacked bar. Returns negative parts separately, because a bar cannot show them. */
export function toBar(
  { parts }: Pick<SearchedTool, 'parts'>,
  widest: number,
): { readonly added: readonly BarPart[]; readonly lowered: readonly BarPart[] } {
  const toPart = ({ part, amount }: (typeof parts)[number]): BarPart => ({
    part,
    amount,
    width: widest > 0 ? (Math.abs(amount) / widest) * 100 : 0,
  });
  return {
    added: parts.filter(({ amount }) => amount > 0).map(toPart),
    lowered: parts.filter(({ amount }) => amount < 0).map(toPart),
  };
}

/** Returns the score of the best tool. All bars are drawn relative to it. */
export function widestOf(tools: readonly Pick<SearchedTool, 'parts'>[]): number {
  const added = tools.map(({ parts }) => parts.reduce((sum, { amount }) => sum + Math.max(0, amount), 0));
  return Math.max(0, ...added);
}

export const confidenceTexts: Readonly<Record<SearchedTool['confidence'], string>> = {
  strong: 'Very likely does what the question asks for',
  likely: 'Probably does what the question asks for',
  weak: 'Shares some words, and may do something else',
};

export function describeHow({ how }: Pick<Match, 'how'>): string {
  if (how === 'same') return 'same word';
  return how === 'alike' ? 'similar meaning' : 'similar spelling';
}

/** Returns the word of the query that has the given stem. */
export function writtenWord(words: readonly SearchedWord[], stem: string): string {
  return words.find(({ stems }) => stems.includes(stem))?.written ?? stem;
}

export function describeWord({ isStopWord, isUnknown, tools }: SearchedWord): string {
  if (isStopWord) return 'not searched, because it is too general';
  if (isUnknown) return 'unknown: no tool has it, or a similar word';
  if (tools === 0) return 'matches by meaning or spelling';
  return `in ${countOf(tools, 'action')}`;
}

/** Explains why the search returns nothing, and what would help. Returns `undefined` if it returns something. */
export function explainRefusal({
  refused,
  tools,
  words,
  unmatched,
  searched,
}: Pick<SearchReport, 'refused' | 'tools' | 'words' | 'unmatched' | 'searched'>):
  | { readonly why: string; readonly advice: string }
  | undefined {
  if (tools.some(({ isFound }) => isFound)) return undefined;
  if (searched === 0) return { why: 'The server has no tools.', advice: 'Register a tool first.' };
  const asked = words.filter(({ isStopWord }) => !isStopWord);
  if (asked.length === 0)
    return {
      why: 'Every word of the question is too general to search for.',
      advice: 'Ask with a noun or a verb that says what the tool does.',
    };
  const unknown = asked.filter(({ isUnknown }) => isUnknown).map(({ written }) => written);
  const best = tools.find(({ place }) => place === 1);
  if (best === undefined || !refused)
    return {
      why: 'No tool has a word of the question, or a similar word.',
      advice: 'If a tool does this, add the words that people use to its keywords or its description.',
    };
  const missing = unknown.length > 0 ? unknown : unmatched;
  return {
    why:
      missing.length > 0
        ? `The best tool is below the threshold. No tool has ${quoteAll(missing)}.`
        : 'The best tool is below the threshold: it shares too little with the question.',
    advice:
      'The search rather admits that nothing matches than return a tool that does something else. If a tool below does this, add ' +
      'the words of the question to its keywords or its description.',
  };
}

function quoteAll(words: readonly string[]): string {
  const quoted = words.slice(0, 5).map((word) => `“${word}”`);
  return quoted.length > 1 ? `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}` : (quoted[0] ?? '');
}

/** Explains why the search misses a tool, as a sentence. */
export function explainMiss(
  { missed, place }: Pick<SearchedTool, 'missed' | 'place'>,
  limit: number,
): string {
  if (missed === 'no shared word')
    return 'It has no word of the question; at most a word with a similar meaning.';
  if (missed === 'below the threshold')
    return 'It shares words with the question, but the search returns nothing for this question, because the best tool is below the threshold.';
  const where = place === undefined ? 'Other tools match better' : `It is in place ${place}`;
  return `${where}, and the search returns ${limit} tools.`;
}
