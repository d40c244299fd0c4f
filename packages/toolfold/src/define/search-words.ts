import { clip, describeKind, didYouMean, isPlain, nearestName } from '@toolfold/schema/internal';

/** Words that only the search reads. Clients do not see them, and policies do not select by them. */
export interface SearchWords {
  /** Words by which people ask for the tool and that its name and description lack: up to 64 texts of up to 64 characters. Default: none. */
  readonly keywords?: readonly string[] | undefined;
  /** Questions that the tool answers: up to 16 texts of up to 256 characters. Default: none. */
  readonly examples?: readonly string[] | undefined;
}

const bounds: Readonly<Record<keyof SearchWords, readonly [texts: number, characters: number]>> = {
  keywords: [64, 64],
  examples: [16, 256],
};

const CONTROL_OR_HALF_CHARACTER = /[\p{Cc}\p{Cs}]/u;

/** Returns what is wrong with search words, beginning with the field; `undefined` if they are valid. */
export function findSearchProblem(words: unknown): string | undefined {
  if (!isPlain(words)) return ` must be { keywords, examples }, but is ${describeKind(words)}.`;
  for (const [field, texts] of Object.entries(words)) {
    if (!Object.hasOwn(bounds, field))
      return ` has no field ${JSON.stringify(clip(field, 40))}.${didYouMean(nearestName(field, Object.keys(bounds)))}`;
    const problem = texts === undefined ? undefined : findTextProblem(texts, field as keyof SearchWords);
    if (problem !== undefined) return `.${field}${problem}`;
  }
  return undefined;
}

function findTextProblem(texts: unknown, field: keyof SearchWords): string | undefined {
  const [count, length] = bounds[field];
  if (!Array.isArray(texts)) return ` must be a list of text, but is ${describeKind(texts)}.`;
  if (texts.length > count) return ` must have at most ${count} texts, but has ${texts.length}.`;
  for (const [at, text] of (texts as readonly unknown[]).entries()) {
    if (typeof text !== 'string' || text === '') return `[${at}] must be text, but is ${describeKind(text)}.`;
    if (text.trim() === '') return `[${at}] must be text, but is text of spaces.`;
    if (text.length > length)
      return `[${at}] must have at most ${length} characters, but has ${text.length}.`;
    if (CONTROL_OR_HALF_CHARACTER.test(text))
      return `[${at}] must be one line of text without control characters.`;
  }
  return undefined;
}

/** A frozen copy of checked search words, or `undefined` if there are none. */
export function copySearchWords({ keywords = [], examples = [] }: SearchWords): SearchWords | undefined {
  if (keywords.length + examples.length === 0) return undefined;
  return Object.freeze({ keywords: copyTexts(keywords), examples: copyTexts(examples) });
}

function copyTexts(texts: readonly string[]): readonly string[] {
  return Object.freeze([...new Set(texts.map((text) => text.trim()))]);
}
