/** Quotes a text as one word of a POSIX shell. A word cannot contain NUL, but JSON escapes it. */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
