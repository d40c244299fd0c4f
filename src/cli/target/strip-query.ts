/** An address to show: what stands in a query may be a secret. */
export function withoutQuery(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.search === '') return text;
  url.search = '';
  return `${url.href}?…`;
}
