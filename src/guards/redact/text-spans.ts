/** From where to where a text is secret. */
export type Span = [start: number, end: number];

/** All spans at once, on the text as it was: none can hide a part of another. Those that touch become one mark. */
export function replaceSpans(text: string, spans: Span[], mark: string): string {
  if (spans.length === 0) return text;
  spans.sort((a, b) => a[0] - b[0]);
  const pieces: string[] = [];
  let done = 0;
  for (const [start, end] of spans) {
    if (pieces.length === 0 || start > done) pieces.push(text.slice(done, start), mark);
    done = Math.max(done, end);
  }
  pieces.push(text.slice(done));
  return pieces.join('');
}
