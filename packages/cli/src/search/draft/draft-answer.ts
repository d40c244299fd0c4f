import { clip, didYouMean, isJsonObject, nearestName } from '@toolfold/schema/internal';
import type { CommandError } from '@toolfold/analysis/internal';
import { stemWord } from '@toolfold/search/internal';
import type { DraftedTool } from './drafted-tools.js';

export const MIN_KEYWORDS = 3;
export const MAX_KEYWORDS = 24;
const MAX_CHARACTERS = 40;
const MAX_WORDS = 4;
const MAX_NAMED = 5;

const fillers = new Set(['tool', 'tools', 'please', 'data', 'action', 'api', 'function', 'help']);

/** Usable keywords by address, at least `MIN_KEYWORDS` for each, and the problems with the rest. */
export interface Draft {
  readonly keywords: ReadonlyMap<string, readonly string[]>;
  readonly problems: readonly string[];
  readonly failure?: CommandError | undefined;
}

/** Parses the answer of a model. The answer is untrusted, and may contain a code block around the JSON. */
export function readAnswer(text: string, tools: readonly DraftedTool[]): Draft {
  const keywords = new Map<string, readonly string[]>();
  let entries: Readonly<Record<string, unknown>>;
  try {
    entries = parseAnswer(text);
  } catch (error) {
    return { keywords, problems: [`The answer is not valid JSON: ${clip((error as Error).message, 200)}.`] };
  }
  const problems: string[] = [];
  for (const tool of tools) {
    const given = Object.hasOwn(entries, tool.address) ? entries[tool.address] : undefined;
    const list = isJsonObject(given) ? given['keywords'] : given;
    const usable = cleanKeywords(Array.isArray(list) ? list : [], tool);
    if (usable.length >= MIN_KEYWORDS) keywords.set(tool.address, usable);
    else if (given === undefined) problems.push(`"${clip(tool.address)}" has no keywords.`);
    else
      problems.push(
        `"${clip(tool.address)}" has ${usable.length} usable keywords of at least ${MIN_KEYWORDS}.`,
      );
  }
  const known = new Set(tools.map(({ address }) => address));
  const strangers = Object.keys(entries).filter((address) => !known.has(address) && address !== 'version');
  const describe = (address: string): string =>
    `"${clip(address)}" is not among the tools.${didYouMean(nearestName(address, known))}`;
  return { keywords, problems: [...shorten(problems, String), ...shorten(strangers, describe)] };
}

/** Parses JSON inside a code block or between sentences. */
function parseAnswer(text: string): Readonly<Record<string, unknown>> {
  const answer: unknown = JSON.parse(/\{[^]*\}/.exec(text)?.[0] ?? text);
  const entries = isJsonObject(answer) ? (answer['tools'] ?? answer) : undefined;
  if (!isJsonObject(entries)) throw new Error('it must be { "version": 1, "tools": { … } }');
  return entries;
}

function shorten(all: readonly string[], describe: (text: string) => string): string[] {
  const more = all.length - MAX_NAMED;
  return [...all.slice(0, MAX_NAMED).map(describe), ...(more > 0 ? [`And ${more} more.`] : [])];
}

/** Keeps usable keywords: lower case, without control characters, duplicates, fillers and words of the tool's name. */
export function cleanKeywords(given: readonly unknown[], { name, address, search }: DraftedTool): string[] {
  const named = new Set([...stemsOf(name), ...stemsOf(address)]);
  const keyOf = (word: string): string => [...stemsOf(word)].join(' ');
  const seen = new Set(search?.keywords?.map(keyOf));
  const kept: string[] = [];
  for (const each of given.slice(0, 4 * MAX_KEYWORDS)) {
    const word = typeof each === 'string' ? normalizeKeyword(each) : undefined;
    if (word === undefined || fillers.has(word)) continue;
    const key = keyOf(word);
    if (seen.has(key) || [...stemsOf(word)].every((stem) => named.has(stem))) continue;
    seen.add(key);
    kept.push(word);
  }
  return kept.slice(0, MAX_KEYWORDS);
}

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

/** Returns the stems of all words. Splits names such as `listOpenIssues` and `list_open_issues`. */
function stemsOf(text: string): Set<string> {
  const spaced = text.normalize('NFKC').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
  const words = spaced.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [];
  return new Set(words.map((word) => (/^[a-z]+$/.test(word) ? stemWord(word) : word)));
}
