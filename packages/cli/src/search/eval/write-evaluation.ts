import { toLine } from 'toolfold/internal';
import { isLess } from './report.js';
import type { EvaluationReport } from './report.js';
import type { Share } from './evaluate.js';
import type { MatchedWord, Miss } from './explain-miss.js';
import { count } from '../../terminal/count.js';

const MAX_QUERY = 120;
const MAX_ADDRESS = 100;
const MAX_WORDS = 6;
const MAX_NEEDED = 4;
/** Maximum number of wrong answers in the text. The JSON contains all. */
const MAX_WRONG = 10;

export function writeEvaluation(report: EvaluationReport): string {
  return [
    writeHead(report),
    writeShares(report),
    writeUnknown(report),
    writeMisses(report),
    writeWrongAnswers(report),
  ]
    .filter((section) => section !== '')
    .join('\n\n');
}

function writeHead({ source, file, tools, questions }: EvaluationReport): string {
  return `${toLine(source)}: ${count(tools, 'tool')}, ${count(questions, 'question')} of ${toLine(file)}`;
}

function writeShares(report: EvaluationReport): string {
  const { limit, first, five, found, recall, answerable, unanswerable, minimums } = report;
  const rows: (readonly [string, Share | undefined, string])[] = [
    ['a needed tool is first', first, writeMinimum(first, minimums.first)],
    ['a needed tool is among five', five, writeMinimum(five, minimums.five)],
    [`a needed tool is among ${limit}`, limit === 5 ? undefined : found, ''],
    ['needed tools found, of questions that need several', recall, ''],
    ['refused, although a tool answers', answerable.refused, ''],
    ['first hit weak, although a tool answers', answerable.weak, ''],
    ['refused, and no tool answers', unanswerable.refused, ''],
    ['first hit weak, and no tool answers', unanswerable.weak, ''],
  ];
  const shown = rows.flatMap(([title, share, minimum]) => (share ? [{ title, share, minimum }] : []));
  const width = Math.max(...shown.map(({ title }) => title.length));
  return shown
    .map(
      ({ title, share: { percent, found: part, of }, minimum }) =>
        `  ${title.padEnd(width)}  ${percent.toFixed(1).padStart(5)} %  ${part} of ${of}${minimum}`,
    )
    .join('\n');
}

function writeMinimum(share: Share | undefined, minimum: number | undefined): string {
  if (minimum === undefined) return '';
  return `, at least ${minimum} %: ${isLess(share?.found, share?.of, minimum) ? 'missed' : 'met'}`;
}

function writeUnknown({ file, unknown }: EvaluationReport): string {
  if (unknown.length === 0) return '';
  const lines = unknown.map(({ pointer, address, nearest }) => {
    const hint = nearest === undefined ? '' : ` Did you mean "${toLine(nearest, MAX_ADDRESS)}"?`;
    return `  ${pointer}: no tool has the address "${toLine(address, MAX_ADDRESS)}".${hint}`;
  });
  return [`Unknown addresses in ${toLine(file)}`, ...lines].join('\n');
}

function writeMisses({ misses }: EvaluationReport): string {
  if (misses.length === 0) return '';
  return [`Misses: ${misses.length}`, ...misses.map(writeMiss)].join('\n');
}

function writeMiss({ query, needed, reason, place, words, unknownWords, rivals }: Miss): string {
  const named = needed.slice(0, MAX_NEEDED).map((address) => toLine(address, MAX_ADDRESS));
  const more = needed.length > named.length ? ` or ${needed.length - named.length} others` : '';
  const at = place === undefined ? '' : `, place ${place}`;
  return [
    `  "${toLine(query, MAX_QUERY)}"`,
    `    ${named.join(' or ')}${more}: ${reason}${at}${writeWords(words)}`,
    ...rivals.map(
      ({ address, words: its }) => `      found instead: ${toLine(address, MAX_ADDRESS)}${writeWords(its)}`,
    ),
    ...(unknownWords.length > 0
      ? [
          `      no tool has: ${unknownWords
            .slice(0, MAX_WORDS)
            .map((word) => toLine(word, 40))
            .join(', ')}`,
        ]
      : []),
  ].join('\n');
}

function writeWords(words: readonly MatchedWord[]): string {
  if (words.length === 0) return '';
  const shown = words
    .slice(0, MAX_WORDS)
    .map(({ word, amount }) => `${toLine(word, 40)} ${amount.toFixed(2)}`);
  return ` (${shown.join(', ')}${words.length > shown.length ? ', …' : ''})`;
}

function writeWrongAnswers({ wrongAnswers }: EvaluationReport): string {
  if (wrongAnswers.length === 0) return '';
  const shown = wrongAnswers
    .toSorted((one, other) => order.indexOf(one.confidence) - order.indexOf(other.confidence))
    .slice(0, MAX_WRONG);
  const more = wrongAnswers.length - shown.length;
  return [
    `Answered, although no tool answers: ${wrongAnswers.length}`,
    ...shown.map(
      ({ query, address, confidence }) =>
        `  "${toLine(query, MAX_QUERY)}": ${toLine(address, MAX_ADDRESS)}, ${confidence}`,
    ),
    ...(more > 0 ? [`  and ${more} more: see --json`] : []),
  ].join('\n');
}

const order = ['strong', 'likely', 'weak'];
