/** For longer credentials only the plain and the JSON forms are searched for. */
const MAX_ENCODED = 8_192;

/**
 * Writes a credential in every form that may appear in a text: plain, in another case, escaped for JSON, URLs and HTML, base64, base64url
 * and hex.
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
  forms.add(toHtml(credential)).add(credential.toUpperCase()).add(credential.toLowerCase());
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

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function toHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
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
