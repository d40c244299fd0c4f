/** For longer credentials only the plain and the JSON forms are searched for. */
const MAX_ENCODED = 8_192;

/**
 * Writes a credential in the forms that may appear in a text: plain, in another case, escaped for JSON and URLs, base64, base64url and hex.
 * Escapes of HTML are decoded instead, because each character can be written in several ways.
 */
export function formsOf(credential: string): ReadonlySet<string> {
  const json = quoteJson(credential);
  // Some languages also escape slashes or all characters outside of ASCII, and JSON is often quoted in JSON.
  const forms = new Set([credential, json, quoteJson(json), json.replaceAll('/', '\\/'), toAscii(json)]);
  if (credential.length > MAX_ENCODED) return forms;
  const whole = credential.replace(/\p{Surrogate}/gu, '\uFFFD');
  const component = encodeURIComponent(whole);
  const form = new URLSearchParams({ v: whole }).toString().slice(2);
  // Servers differ in which marks they escape, and a URL may be a parameter of another URL.
  for (const url of [
    component,
    component.replaceAll('%2F', '/'),
    form,
    form.replaceAll('+', '%20'),
    encodeURI(whole),
  ]) {
    const lower = url.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
    forms.add(url).add(lower).add(encodeURIComponent(url)).add(encodeURIComponent(lower));
  }
  forms.add(credential.toUpperCase()).add(credential.toLowerCase());
  const bytes = Array.from(new TextEncoder().encode(credential));
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  forms.add(hex).add(hex.toUpperCase());
  for (const base64 of toBase64(bytes))
    forms.add(base64).add(base64.replaceAll('+', '-').replaceAll('/', '_'));
  return forms;
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

function toAscii(text: string): string {
  return text.replace(/[^ -~]|[&<>]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const REFERENCE = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(amp|lt|gt|quot|apos));/g;
const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Decodes the character references of HTML, once. `origins` has the position in the given text of each decoded character and of the end.
 * Returns `undefined` for a text without references.
 */
export function decodeHtml(text: string): { decoded: string; origins: readonly number[] } | undefined {
  if (!text.includes('&')) return undefined;
  let [decoded, done] = ['', 0];
  const origins: number[] = [];
  const keepUntil = (end: number): void => {
    decoded += text.slice(done, end);
    for (; done < end; done++) origins.push(done);
  };
  for (const { 0: whole, 1: decimal, 2: hex, 3: name = '', index } of text.matchAll(REFERENCE)) {
    const code = Number(decimal ?? `0x${hex}`);
    const char = named[name] ?? (code <= 0x10_ff_ff ? String.fromCodePoint(code) : undefined);
    if (char === undefined) continue;
    keepUntil(index);
    decoded += char;
    for (let unit = 0; unit < char.length; unit++) origins.push(index);
    done = index + whole.length;
  }
  if (done === 0) return undefined;
  keepUntil(text.length);
  origins.push(text.length);
  return { decoded, origins };
}

/**
 * Returns the characters that the base64 of a longer text such as `user:secret` always contains. They depend on the byte offset of
 * the credential modulo 3, so there are three texts. The first also finds the base64 of the credential alone.
 */
function toBase64(bytes: readonly number[]): string[] {
  const text = bytes.map((byte) => String.fromCharCode(byte)).join('');
  return [0, 1, 2].map((offset) => {
    const start = Math.ceil((offset * 8) / 6);
    const end = Math.floor(((offset + bytes.length) * 8) / 6);
    return btoa('\0'.repeat(offset) + text).slice(start, end);
  });
}
