import { MAX_LAYERS, unescapeText } from './unescaped-text.js';

/** Above this, only the plain and the JSON form are made. */
const MAX_ENCODED = 8_192;

/** A credential as it may stand in a text, beside what `unescapeText` sees through. */
export function formsOf(credential: string): Set<string> {
  const forms = new Set<string>();
  for (const plain of new Set([credential, credential.trim()])) {
    const json = quoteJson(plain);
    forms.add(plain).add(json).add(quoteJson(json)).add(unquoteJson(plain));
    forms.add(json.replaceAll('/', '\\/')).add(escapeNonAscii(json));
    if (plain.length > MAX_ENCODED) continue;
    for (const inner of unescape(plain)) forms.add(inner);
    const form = new URLSearchParams({ v: plain }).toString().slice(2);
    const whole = plain.replace(/\p{Surrogate}/gu, '\uFFFD');
    const urls = [form, form.replaceAll('+', '%20'), encodeURIComponent(whole), encodeURI(whole)];
    for (const url of [...urls, encodeStrictly(whole)]) {
      const lower = url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
      forms.add(url).add(lower);
      // Twice as well: where an escape begins before it, `unescapeText` may take the first letter for a part of that.
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

/** With the marks that `encodeURIComponent` leaves. */
function encodeStrictly(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The text that is written so in base64, nothing where it is none. */
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

/** The text that JSON would write as this one. */
function unquoteJson(text: string): string {
  if (!text.includes('\\')) return text;
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}

/** What is left of one that looks escaped itself, once the escapes of a text around it are taken away. */
function unescape(text: string): string[] {
  const inner: string[] = [];
  for (let layer = unescapeText(text); layer && inner.length < MAX_LAYERS; layer = unescapeText(layer.text)) {
    // Blank space would be found everywhere.
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

/** In base64 alone, and as what it always looks like inside of something longer, such as `user:secret`. */
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
