/** For longer credentials only the plain and the JSON form are created. */
const MAX_ENCODED = 8_192;

/** The texts in which a credential may appear: plain, in JSON, in URLs, as hex and in base64. */
export function formsOf(credential: string): Set<string> {
  const forms = new Set<string>();
  for (const plain of new Set([credential, credential.trim()])) {
    const json = quoteJson(plain);
    forms.add(plain).add(json).add(quoteJson(json)).add(unquoteJson(plain));
    forms.add(json.replaceAll('/', '\\/')).add(escapeNonAscii(json));
    if (plain.length > MAX_ENCODED) continue;
    for (const inner of unescapedForms(plain)) forms.add(inner);
    const form = new URLSearchParams({ v: plain }).toString().slice(2);
    const whole = plain.replace(/\p{Surrogate}/gu, '\uFFFD');
    const urls = [form, form.replaceAll('+', '%20'), encodeURIComponent(whole), encodeURI(whole)];
    for (const url of [...urls, encodeStrictly(whole)]) {
      const lower = url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
      forms.add(url).add(lower);
      // Encoded twice as well, because `unescapeText` may read the first letter as the end of a preceding escape.
      forms.add(encodeURIComponent(url)).add(encodeURIComponent(lower));
    }
    const hex = toHex(plain);
    forms.add(hex).add(hex.toUpperCase());
    for (const base64 of toBase64(plain)) {
      forms.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'));
    }
  }
  return forms;
}

/** Also encodes the marks that `encodeURIComponent` leaves. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes base64, also in its URL form. Returns an empty text if it is invalid. */
export function decodeBase64(base64: string): string {
  try {
    return atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}

function quoteJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reverses `quoteJson`. Returns the text itself if it is not valid JSON. */
function unquoteJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/**
 * A credential may look escaped itself. These are its forms after unescaping the text that contains it, one per layer.
 */
function unescapedForms(text: string): string[] {
  const inner: string[] = [];
  for (let layer = unescapeText(text); layer && inner.length < MAX_LAYERS; layer = unescapeText(layer.text)) {
    // Blank space would match everywhere.
    if (layer.text.trim().length >= 4) inner.push(layer.text);
    else break;
  }
  return inner;
}

function toHex(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function escapeNonAscii(text: string): string {
  return text.replace(/[^ -~]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * The base64 of a text, and the characters that its base64 always contains inside a longer text such as `user:secret`,
 * for each of the three byte offsets.
 */
function toBase64(text: string): string[] {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  const whole = btoa(bytes);
  const inside = [0, 1, 2].map((offset) => {
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    return btoa('\0'.repeat(offset) + bytes).slice(start, end);
  });
  return [whole, whole.replaceAll('=', ''), ...inside];
}

/** Maximum number of nested escapes, as in a URL that is a parameter of another URL. */
export const MAX_LAYERS = 4;

/** A text without one layer of escapes. */
interface UnescapedText {
  readonly text: string;
  /** The original index of each character, and at the end the original length. */
  readonly starts: Uint32Array;
}

const url = /%[0-7][0-9a-f]|%[c-f][0-9a-f](?:%[89ab][0-9a-f]){1,3}/;
const html = /&(?:#\d{1,7}|#x[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/;
const json = /\\(?:u[0-9a-f]{4}|x[0-9a-f]{2}|["'\\/bfnrt])/;
const all = new RegExp([url, html, json].map(({ source }) => source).join('|'), 'gi');

/** All kinds of escapes together, and each kind alone, because a trailing backslash must not swallow the next escape. */
export const escapeKinds: readonly RegExp[] = [
  all,
  ...[url, html, json].map((each) => new RegExp(each, 'gi')),
];

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

/** Removes one layer of escapes. Returns `undefined` if the text contains none. */
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
    const decoded = decodeEscape(escape);
    pieces.push(decoded);
    for (let each = 0; each < decoded.length; each++) starts[length++] = index;
    done = index + escape.length;
  }
  keep(escaped.length);
  starts[length] = escaped.length;
  return { text: pieces.join(''), starts: starts.subarray(0, length + 1) };
}

function decodeEscape(escape: string): string {
  const known = named[escape.startsWith('&') ? escape.toLowerCase() : escape];
  if (known !== undefined) return known;
  if (escape.startsWith('%')) return decodeBytes(escape);
  if (/^&#x/i.test(escape)) return fromCode(escape.slice(3, -1), 16);
  if (escape.startsWith('&#')) return fromCode(escape.slice(2, -1), 10);
  return escape.length === 2 ? escape.slice(1) : fromCode(escape.slice(2), 16);
}

/** Decodes percent-encoded bytes. Returns the escape itself if it is not valid UTF-8. */
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
