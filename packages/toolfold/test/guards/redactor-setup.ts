function escapeHtml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (char) => entities[char] ?? char);
}

const mapSpecial = (text: string, write: (code: number) => string): string =>
  text.replace(/[&<>"'`=/+]/g, (char) => write(char.charCodeAt(0)));

/** The forms in which a credential may be written. */
export function encodingsOf(credential: string, user = 'bob'): string[] {
  const base64 = Buffer.from(credential).toString('base64');
  const whole = credential.replace(/\p{Surrogate}/gu, '\uFFFD');
  const hex = Buffer.from(credential).toString('hex');
  const url = encodeURIComponent(whole);
  const json = JSON.stringify(credential).slice(1, -1);
  return [
    hex,
    hex.toUpperCase(),
    encodeURIComponent(url),
    encodeURIComponent(url.replace(/%../g, (escape) => escape.toLowerCase())),
    url.replaceAll('%2F', '/'),
    escapeHtml(credential),
    escapeHtml(json),
    // As Handlebars, Go, PHP and ASP.NET write them, and mixed.
    mapSpecial(credential, (code) => `&#x${code.toString(16)};`),
    mapSpecial(credential, (code) => `&#x${code.toString(16).toUpperCase()};`),
    mapSpecial(credential, (code) => `&#${code};`),
    mapSpecial(credential, (code) => `&#${String(code).padStart(3, '0')};`),
    mapSpecial(credential, (code) => (code % 2 ? `&#${code};` : escapeHtml(String.fromCharCode(code)))),
    json.replaceAll('/', '\\/'),
    json.replace(/[^ -~]|[&<>]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`),
    credential,
    JSON.stringify(credential).slice(1, -1),
    JSON.stringify(JSON.stringify(credential)).slice(3, -3),
    encodeURIComponent(whole),
    encodeURIComponent(whole).replace(/%../g, (escape) => escape.toLowerCase()),
    new URLSearchParams({ v: credential }).toString().slice(2),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(credential).toString('base64url'),
  ].flatMap((form) => [
    form,
    ...(form === credential ? [Buffer.from(`${user}:${form}`).toString('base64')] : []),
  ]);
}
