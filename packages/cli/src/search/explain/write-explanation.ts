import type { ExplainedMatch, ExplainedTool, ExplainedWord, SearchExplanation } from '@toolfold/search';
import { toLine } from 'toolfold/internal';
import { writtenIn } from '../written-word.js';

const MAX_QUERY = 200;
const MAX_ADDRESS = 100;
const MAX_WORD = 40;

/** The report of `toolfold search explain`, as `--json` prints it. */
export interface ExplanationReport extends SearchExplanation {
  readonly source: string;
  readonly query: string;
  readonly searched: number;
}

export function writeExplanation(report: ExplanationReport): string {
  const { source, query, searched, words, tools } = report;
  const found = tools.filter(({ isFound }) => isFound);
  const others = tools.filter(({ isFound }) => !isFound);
  return [
    `"${toLine(query, MAX_QUERY)}" in ${searched} ${searched === 1 ? 'tool' : 'tools'} of ${toLine(source)}`,
    writeWords(words),
    writeSignals(report),
    ...(found.length === 0 ? [writeRefusal(report)] : []),
    ...[...found, ...others].map((tool) => writeTool(tool, report)),
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}

function writeRefusal({ refused, tools }: ExplanationReport): string {
  return refused && tools.some(({ place }) => place !== undefined)
    ? 'No tool matches: the search returns nothing, because the best tool is below the threshold.'
    : 'No tool matches.';
}

function writeWords(words: readonly ExplainedWord[]): string {
  const searched = words.filter(({ isStopWord }) => !isStopWord);
  const stopWords = words
    .filter(({ isStopWord }) => isStopWord)
    .map(({ written }) => toLine(written, MAX_WORD));
  const width = Math.max(4, ...searched.map(({ written }) => toLine(written, MAX_WORD).length));
  const lines = searched.map(({ written, isUnknown, tools, weight }) => {
    const note = isUnknown ? '  no tool has it' : '';
    return `  ${toLine(written, MAX_WORD).padEnd(width)}  ${weight.toFixed(2).padStart(6)}  ${String(tools).padStart(5)}${note}`;
  });
  return [
    ...(lines.length > 0 ? [`  ${'word'.padEnd(width)}  weight  tools`, ...lines] : []),
    ...(stopWords.length > 0 ? [`  not searched: ${[...new Set(stopWords)].join(', ')}`] : []),
  ].join('\n');
}

function writeSignals({ signals = {} }: { readonly signals?: object }): string {
  const written = Object.entries(signals).map(([name, value]) => `${name} ${Number(value).toFixed(2)}`);
  return written.length === 0 ? '' : `  signals: ${written.join(', ')}`;
}

function writeTool(
  { address, place, isFound, missed, score, confidence, sum, parts, matches }: ExplainedTool,
  explanation: SearchExplanation,
): string {
  const head = `${place === undefined ? '-' : `${place}.`} ${toLine(address, MAX_ADDRESS)}`;
  const verdict = isFound
    ? `score ${score.toFixed(2)}, ${confidence}`
    : `not found: ${missed ?? 'outweighed'}${place === undefined ? '' : `; score ${score.toFixed(2)}`}`;
  const rows = matches
    .toSorted((one, other) => other.amount - one.amount)
    .map((match) => [match.amount, writeMatch(match, explanation)] as const);
  const rest = parts
    .filter(({ part }) => part !== 'words')
    .map(({ part, amount }) => [amount, partNames[part] ?? part] as const);
  const all = [...rows, ...rest];
  return [
    `${head}  ${verdict}`,
    ...all.map(([amount, text]) => `  ${writeAmount(amount)}  ${text}`),
    ...(all.length > 1 ? [`  ${writeAmount(sum)}  in total`] : []),
  ].join('\n');
}

/** Names of the score's parts, except for the words of the query. */
const partNames: Readonly<Record<string, string>> = {
  balance: 'balance between tools with and without keywords',
  verb: 'verb of the question',
  name: 'the question is the name, or an example, of the tool',
};

function writeMatch({ stem, term, fields, how }: ExplainedMatch, explanation: SearchExplanation): string {
  const word = toLine(writtenIn(explanation, stem), MAX_WORD);
  const matched =
    how === 'same'
      ? word
      : `${word}, ${how === 'alike' ? 'similar to' : 'spelt like'} ${toLine(term, MAX_WORD)}`;
  return fields.length > 0 ? `${matched} (${fields.join(', ')})` : matched;
}

function writeAmount(amount: number): string {
  return amount.toFixed(3).padStart(7);
}
