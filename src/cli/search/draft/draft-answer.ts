import { exceededLimit } from '../../../values/json-limits.js';
import { isJsonObject } from '../../../values/json-value.js';
import { clip, didYouMean, nearestName } from '../../../values/nearest-name.js';
import type { DraftedTool } from './drafted-tools.js';
import { stemsOf } from './word-sets.js';

/** The number of keywords that a tool may have. */
export const MIN_KEYWORDS = 3;
export const MAX_KEYWORDS = 24;
const MAX_CHARACTERS = 40;
const MAX_WORDS = 4;
const MAX_DEPTH = 10;
const MAX_VALUES = 100_000;
const MAX_NAMED = 5;

const fillers = new Set(['tool', 'tools', 'please', 'data', 'action', 'api', 'function', 'help']);

/** The usable keywords of an answer, and what was wrong with the rest. */
export interface ReadAnswer {
  /** Keywords by address, at least `MIN_KEYWORDS` for each. */
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  /** The tools without a usable answer. */
  readonly open: readonly DraftedTool[];
  /** The problems of the answer, as sentences. */
  readonly problems: readonly string[];
}

/** Thrown for an answer in which nothing can be read. The message completes "the answer …". */
export class UnreadableAnswer extends Error {}

/** Reads the answer of a model for some tools. It is untrusted text, which may have a block of code around the JSON. */
export function readAnswer(text: string, tools: readonly DraftedTool[]): ReadAnswer {
  const answer = parseAnswer(text);
  if (exceededLimit(answer, { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES }))
    throw new UnreadableAnswer(`is nested more than ${MAX_DEPTH} levels deep or has too many values.`);
  const entries = isJsonObject(answer) ? (answer['tools'] ?? answer) : undefined;
  if (!isJsonObject(entries))
    throw new UnreadableAnswer('must be a JSON object { "version": 1, "tools": { … } }.');
  const keywords = new Map<string, readonly string[]>();
  const problems: string[] = [];
  const open: DraftedTool[] = [];
  for (const tool of tools) {
    const given = Object.hasOwn(entries, tool.address) ? entries[tool.address] : undefined;
    const usable = given === undefined ? [] : cleanKeywords(listOf(given), tool);
    if (usable.length >= MIN_KEYWORDS) {
      keywords.set(tool.address, usable);
      continue;
    }
    open.push(tool);
    problems.push(
      given === undefined
        ? `"${clip(tool.address)}" has no keywords.`
        : `"${clip(tool.address)}" has ${usable.length} usable keywords of at least ${MIN_KEYWORDS}.`,
    );
  }
  return { keywords, open, problems: [...shorten(problems), ...describeStrangers(entries, tools)] };
}

/** The texts of an entry, which may be a list or an object with a list. */
function listOf(given: unknown): readonly unknown[] {
  const list = isJsonObject(given) ? given['keywords'] : given;
  return Array.isArray(list) ? list : [];
}

/** Keeps the usable keywords: in lower case, without control characters, repetitions, fillers and words of the tool's name. */
export function cleanKeywords(given: readonly unknown[], { name, address, search }: DraftedTool): string[] {
  const named = stemsOf(name, address);
  const seen = new Set(search?.keywords?.map((word) => keyOf(word)));
  const kept: string[] = [];
  for (const each of given.slice(0, 4 * MAX_KEYWORDS)) {
    const word = typeof each === 'string' ? normalizeKeyword(each) : undefined;
    if (word === undefined || fillers.has(word)) continue;
    const key = keyOf(word);
    if (seen.has(key) || [...stemsOf(word)].every((stem) => named.has(stem))) continue;
    seen.add(key);
    kept.push(word);
    if (kept.length === MAX_KEYWORDS) break;
  }
  return kept;
}

function keyOf(word: string): string {
  return [...stemsOf(word)].join(' ');
}

/** A keyword in lower case and on one line, or `undefined` if it is none. */
function normalizeKeyword(text: string): string | undefined {
  if (text.length > 4 * MAX_CHARACTERS || /[\p{Cc}\p{Cs}\p{Co}\p{Cn}]/u.test(text.trim())) return undefined;
  const word = text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}+#]+$/gu, '');
  const isShort = word.length <= MAX_CHARACTERS && word.split(' ').length <= MAX_WORDS;
  return isShort && /[\p{L}\p{N}]/u.test(word) ? word : undefined;
}

/** Names addresses of an answer that were not asked for. */
function describeStrangers(entries: object, tools: readonly DraftedTool[]): string[] {
  const known = new Set(tools.map(({ address }) => address));
  const strangers = Object.keys(entries).filter((address) => !known.has(address) && address !== 'version');
  return shorten(
    strangers.map(
      (address) => `"${clip(address)}" is not among the tools.${didYouMean(nearestName(address, known))}`,
    ),
  );
}

function shorten(problems: readonly string[]): string[] {
  const more = problems.length - MAX_NAMED;
  return more > 0 ? [...problems.slice(0, MAX_NAMED), `And ${more} more.`] : [...problems];
}

/** Parses JSON that may stand in a block of code or between sentences. */
function parseAnswer(text: string): unknown {
  const trimmed = text.replace(/^\uFEFF/, '').trim();
  if (trimmed === '') throw new UnreadableAnswer('is empty.');
  const start = trimmed.indexOf('{');
  const end = trimmed.lastIndexOf('}');
  const candidates = [trimmed, ...(start === -1 || end < start ? [] : [trimmed.slice(start, end + 1)])];
  let problem = '';
  for (const candidate of candidates) {
    try {
      return JSON.parse(candidate);
    } catch (error) {
      problem = (error as Error).message;
    }
  }
  throw new UnreadableAnswer(`is not valid JSON: ${clip(problem, 200)}.`);
}
