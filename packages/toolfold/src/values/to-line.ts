const lineBreaking =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** Puts untrusted text on one line without control characters, because names and descriptions come from servers. */
export function toLine(value: unknown, length = Number.POSITIVE_INFINITY): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const line = text.replaceAll(lineBreaking, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
