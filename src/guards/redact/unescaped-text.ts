/** So many layers of escapes are looked under, as in a URL that is a parameter of another. */
export const MAX_LAYERS = 4;

/** A text without one layer of escapes, and where each of its characters stood. */
export interface UnescapedText {
  readonly text: string;
  /** One more than there are characters: the last is where the text ended. */
  readonly starts: Uint32Array;
}

const url = /%[0-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3}/;
const html = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/;
const json = /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])/;
const all = new RegExp([url, html, json].map(({ source }) => source).join('|'), 'gi');

/** All kinds of escapes together, and each alone: what ends in a backslash is not to swallow what follows it. */
export const escapes: readonly RegExp[] = [all, ...[url, html, json].map((each) => new RegExp(each, 'gi'))];

const named: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&apos;': "'",
  '&nbsp;': '\u00A0',
  '\\b': '\b',
  '\\f': '\f',
  '\\n': '\n',
  '\\r': '\r',
  '\\t': '\t',
};

/** `undefined` where there is nothing to take away. */
export function unescapeText(escaped: string, kind: RegExp = all): UnescapedText | undefined {
  if (escaped.search(kind) < 0) return undefined;
  const pieces: string[] = [];
  const starts = new Uint32Array(escaped.length + 1);
  let length = 0;
  let done = 0;
  const keep = (end: number): void => {
    pieces.push(escaped.slice(done, end));
    while (done < end) starts[length++] = done++;
  };
  for (const { 0: escape, index } of escaped.matchAll(kind)) {
    keep(index);
    const meant = meaningOf(escape);
    pieces.push(meant);
    for (let each = 0; each < meant.length; each++) starts[length++] = index;
    done = index + escape.length;
  }
  keep(escaped.length);
  starts[length] = escaped.length;
  return { text: pieces.join(''), starts: starts.subarray(0, length + 1) };
}

function meaningOf(escape: string): string {
  const known = named[escape.startsWith('&') ? escape.toLowerCase() : escape];
  if (known !== undefined) return known;
  if (escape.startsWith('%')) return decodeBytes(escape);
  if (/^&#x/i.test(escape)) return fromCode(escape.slice(3, -1), 16);
  if (escape.startsWith('&#')) return fromCode(escape.slice(2, -1), 10);
  return escape.length === 2 ? escape.slice(1) : fromCode(escape.slice(2), 16);
}

/** The character of some bytes, or the bytes as they are where they are none. */
function decodeBytes(escape: string): string {
  try {
    return decodeURIComponent(escape);
  } catch {
    return escape;
  }
}

function fromCode(digits: string, base: 10 | 16): string {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\uFFFD';
}
