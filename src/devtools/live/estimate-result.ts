import type { CallToolResult } from '../../index.js';

/** Pictures and sounds have a price that depends on their size in pixels or seconds, which nobody here knows. */
const TOKENS_PER_MEDIUM = 1_000;
/** Values, items of one list and levels of structured content that are counted. */
const MAX_VALUES = 2_000;
const MAX_ITEMS = 50;
const MAX_DEPTH = 20;
/** Characters of a text that are read. The rest is assumed to be like them. */
const MAX_READ = 16_384;

/**
 * Estimates the tokens that a result costs a model, because counting them takes too long for every call. Structured content counts
 * only without other content, because results usually repeat it as text.
 */
export function estimateResult({ content, structuredContent }: CallToolResult): number {
  let tokens = 0;
  for (const block of Array.isArray(content) ? content : []) {
    const { type, text, uri, name, resource } = Object(block) as Block;
    if (type === 'image' || type === 'audio') tokens += TOKENS_PER_MEDIUM;
    for (const each of [text, uri, name, resource?.text, resource?.uri])
      if (typeof each === 'string') tokens += estimateText(each);
  }
  return tokens === 0 ? estimateValue(structuredContent) : tokens;
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: { readonly text?: unknown; readonly uri?: unknown };
}

/** Kinds of characters that a tokenizer keeps apart, and the usual length of a token of each. */
const space = 0;
const letter = 1;
const digit = 2;
const sign = 3;
/** Letters of scripts that are not written with the Latin alphabet, and of scripts without an alphabet. */
const foreign = 4;
const ideograph = 5;
const lengths = [Infinity, 8, 3, 3, 4, 1] as const;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (character === ' ') return space;
  if (/[a-z]/i.test(character)) return letter;
  return /\d/.test(character) ? digit : sign;
});

function kindOf(code: number): number {
  if (code < 128) return asciiKinds[code] ?? sign;
  if (code < 0x250) return letter;
  return code < 0x2e80 ? foreign : ideograph;
}

/**
 * Estimates the tokens of a text: one for each run of characters of one kind, and more for long runs. A space belongs to the word
 * after it. For texts and JSON in English the result is mostly within 10 % of the tokens of o200k.
 */
export function estimateText(text: string): number {
  const end = Math.min(text.length, MAX_READ);
  let tokens = 0;
  let kind = space;
  let run = 0;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const own = kindOf(code);
    // Words in camelCase are several tokens.
    const isWordStart = kind === letter && code >= 65 && code <= 90 && text.charCodeAt(at - 1) >= 97;
    if (own !== kind || isWordStart) run = 0;
    kind = own;
    if (kind !== space && run % (lengths[kind] ?? 1) === 0) tokens++;
    run++;
  }
  return text.length > end ? Math.round((tokens * text.length) / end) : tokens;
}

/** Estimates the tokens of a value as JSON. The first items of a long list stand for the others. */
function estimateValue(value: unknown, budget = { left: MAX_VALUES }, depth = 0): number {
  budget.left--;
  if (value === undefined || budget.left < 0 || depth > MAX_DEPTH) return 0;
  if (typeof value !== 'object' || value === null) return estimateText(String(value)) + 1;
  let tokens = 1;
  if (Array.isArray(value)) {
    let counted = 0;
    while (counted < value.length && counted < MAX_ITEMS && budget.left > 0)
      tokens += estimateValue(value[counted++], budget, depth + 1);
    return counted === 0 ? tokens : Math.round((tokens * value.length) / counted);
  }
  for (const [name, field] of Object.entries(value)) {
    if (budget.left <= 0) break;
    tokens += estimateText(name) + 1 + estimateValue(field, budget, depth + 1);
  }
  return tokens;
}
