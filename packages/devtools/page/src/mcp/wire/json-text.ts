import { writeJson } from '../../ui/json/exact-number.js';

const spaces = ' \t\n\r';
const punctuation = '{}[],:';
const ends = `${spaces}${punctuation}"`;

/** Yields the tokens of JSON. Not a regular expression, because that fails for strings of several megabytes. */
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

/** Returns the position after the string that begins at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === '\\') escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Removes white space between tokens and keeps the tokens unchanged. */
export function compactJson(text: string): string {
  return [...jsonTokens(text)].join('');
}

/** Maximum indentation, because a hostile answer may have thousands of levels. */
const MAX_INDENT = 50;

/** Formats JSON with one value per line. Keeps tokens unchanged, with all digits and escapes. */
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

/** Whether serialising the value gives the same text, so that a view of the value loses nothing. */
export function isExactly(text: string, value: unknown): boolean {
  return writeJson(value) === compactJson(text);
}
