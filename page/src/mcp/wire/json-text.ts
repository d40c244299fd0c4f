import { writeJson } from '../../ui/json/exact-number.js';

const spaces = ' \t\n\r';
const punctuation = '{}[],:';
const ends = `${spaces}${punctuation}"`;

/** The strings, numbers, words and punctuation of JSON. A regular expression would fail at strings of some megabytes. */
export function* jsonTokens(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const first = text.charAt(at);
    let end = at + 1;
    if (first === '"') end = endOfString(text, at);
    else if (!ends.includes(first)) while (end < text.length && !ends.includes(text.charAt(end))) end++;
    if (!spaces.includes(first)) yield text.slice(at, end);
    at = end;
  }
}

/** The place behind the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** JSON without spaces between its tokens, which stay as they are. */
export function compactJson(text: string): string {
  return [...jsonTokens(text)].join('');
}

/** Levels that are indented. A hostile answer may have many thousands. */
const MAX_INDENT = 50;

/** JSON with a line for every value. Its tokens stay as they are: numbers keep all digits, and strings their escapes. */
export function indentJson(text: string): string {
  let depth = 0;
  let before = '';
  let result = '';
  const line = (): string => `\n${'  '.repeat(Math.min(depth, MAX_INDENT))}`;
  for (const token of jsonTokens(text)) {
    const isOpened = before === '{' || before === '[';
    if (token === '}' || token === ']') {
      depth--;
      result += (isOpened ? '' : line()) + token;
    } else {
      if (isOpened || before === ',') result += line();
      result += token === ':' ? ': ' : token;
      if (token === '{' || token === '[') depth++;
    }
    before = token;
  }
  return result;
}

/** Whether the value of a JSON text, written as JSON again, is the same text, so that a view of the value shows all of it. */
export function isExactly(text: string, value: unknown): boolean {
  return writeJson(value) === compactJson(text);
}
