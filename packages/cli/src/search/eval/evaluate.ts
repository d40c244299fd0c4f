import { setImmediate } from 'node:timers/promises';
import type { Confidence, ToolSearchResult } from '@toolfold/search';
import { mergeAnswers } from '@toolfold/search/internal';
import { nearestName } from '@toolfold/schema/internal';
import { explainMiss } from './explain-miss.js';
import type { Miss } from './explain-miss.js';
import type { OpenedSearch } from '../open-search.js';
import type { Question } from './questions.js';

/** A share of questions, or of the tools that they need. */
export interface Share {
  readonly found: number;
  readonly of: number;
  /** Rounded to one digit. */
  readonly percent: number;
}

/** An address in the file of questions that matches no tool. */
interface UnknownAddress {
  readonly pointer: string;
  readonly address: string;
  readonly nearest?: string | undefined;
}

/** A question that should have no results, but has some. */
interface WrongAnswer {
  readonly pointer: string;
  readonly query: string;
  readonly address: string;
  readonly confidence: Confidence;
}

export interface Evaluation {
  /** Number of results that count. */
  readonly limit: number;
  /** Questions that tools answer: share with a needed tool first, among the first five, and among all results. */
  readonly first?: Share | undefined;
  readonly five?: Share | undefined;
  readonly found?: Share | undefined;
  /** Share of the needed tools that were found, for questions that need several. */
  readonly recall?: Share | undefined;
  /** Shares of answerable questions without results, and with a weak first result. */
  readonly answerable: { readonly refused?: Share | undefined; readonly weak?: Share | undefined };
  readonly unanswerable: { readonly refused?: Share | undefined; readonly weak?: Share | undefined };
  readonly misses: readonly Miss[];
  readonly wrongAnswers: readonly WrongAnswer[];
  readonly unknown: readonly UnknownAddress[];
}

interface EvaluateOptions {
  readonly limit: number;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

const FIVE = 5;
/** Milliseconds of work between two pauses in which signals are handled. */
const TURN_MS = 20;

export async function evaluate(
  opened: OpenedSearch,
  questions: readonly Question[],
  { limit, signal, onProgress }: EvaluateOptions,
): Promise<Evaluation> {
  const asked: Asked[] = [];
  const misses: Miss[] = [];
  let turn = performance.now();
  for (const question of questions) {
    const results = await ask(opened, question, Math.max(limit, FIVE));
    const needed = question.needed.map((addresses) => addresses.flatMap((each) => opened.find(each) ?? []));
    asked.push({ question, needed, results });
    misses.push(...findMisses(opened, question, needed, results.slice(0, limit)));
    if (performance.now() - turn < TURN_MS) continue;
    await setImmediate();
    signal.throwIfAborted();
    turn = performance.now();
    onProgress(asked.length);
  }
  const answerable = asked.filter(({ question }) => question.needed.length > 0);
  const unanswerable = asked.filter(({ question }) => question.needed.length === 0);
  const within = (count: number): Share | undefined => share(answerable, (each) => hasNeeded(each, count));
  return {
    limit,
    first: within(1),
    five: within(FIVE),
    found: within(limit),
    recall: recallOf(answerable, limit),
    answerable: { refused: share(answerable, isRefused), weak: share(answerable, isWeak) },
    unanswerable: { refused: share(unanswerable, isRefused), weak: share(unanswerable, isWeak) },
    misses,
    wrongAnswers: unanswerable.flatMap(({ question: { pointer, query }, results: [best] }) =>
      best ? [{ pointer, query, address: best.address, confidence: best.confidence }] : [],
    ),
    unknown: findUnknown(opened, questions),
  };
}

interface Asked {
  readonly question: Question;
  /** Current addresses of the needed tools, without unknown addresses. */
  readonly needed: readonly (readonly string[])[];
  readonly results: readonly Pick<ToolSearchResult, 'address' | 'confidence'>[];
}

async function ask(
  { answer }: OpenedSearch,
  { query, steps }: Question,
  limit: number,
): Promise<Asked['results']> {
  if (steps.length === 0) return (await answer(query, limit)).results;
  const answers = await Promise.all(steps.map((step) => answer(step, limit)));
  return mergeAnswers(answers, limit);
}

function hasNeeded({ needed, results }: Asked, count: number): boolean {
  const right = new Set(needed.flat());
  return results.slice(0, count).some(({ address }) => right.has(address));
}

const isRefused = ({ results }: Asked): boolean => results.length === 0;
const isWeak = ({ results }: Asked): boolean => results[0]?.confidence === 'weak';

function share(asked: readonly Asked[], isCounted: (asked: Asked) => boolean): Share | undefined {
  return asked.length === 0 ? undefined : toShare(asked.filter(isCounted).length, asked.length);
}

function toShare(found: number, of: number): Share {
  return { found, of, percent: Math.round((1_000 * found) / of) / 10 };
}

function recallOf(asked: readonly Asked[], limit: number): Share | undefined {
  let found = 0;
  let of = 0;
  for (const { needed, results } of asked) {
    if (needed.length < 2) continue;
    const shown = new Set(results.slice(0, limit).map(({ address }) => address));
    of += needed.length;
    found += needed.filter((addresses) => addresses.some((address) => shown.has(address))).length;
  }
  return of === 0 ? undefined : toShare(found, of);
}

function findMisses(
  opened: OpenedSearch,
  question: Question,
  needed: Asked['needed'],
  results: Asked['results'],
): Miss[] {
  const shown = new Set(results.map(({ address }) => address));
  return needed
    .filter((addresses) => addresses.length > 0 && !addresses.some((address) => shown.has(address)))
    .map((addresses) => explainMiss(opened, question, addresses, results));
}

function findUnknown({ documents, find }: OpenedSearch, questions: readonly Question[]): UnknownAddress[] {
  const addresses = documents.map(({ address }) => address);
  const nearest = new Map<string, string | undefined>();
  return questions.flatMap(({ pointer, needed }) =>
    needed.flat().flatMap((address) => {
      if (find(address) !== undefined) return [];
      if (!nearest.has(address)) nearest.set(address, nearestName(address, addresses));
      return [{ pointer, address, nearest: nearest.get(address) }];
    }),
  );
}
