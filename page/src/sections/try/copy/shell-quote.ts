/** A text as one word of a POSIX shell. A word cannot hold NUL, which JSON escapes anyway. */
export function quoteForShell(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
