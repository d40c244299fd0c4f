/** A secret part of a text, from its start to before its end. */
export type Span = [start: number, end: number];

/** Replaces all spans at once. Spans that overlap or touch become one mark. */
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

/** The number of comparisons that one redaction may still make. A redaction that runs out of them hides the whole text. */
export class Work {
  #left: number;

  constructor(comparisons: number) {
    this.#left = comparisons;
  }

  get isDone(): boolean {
    return this.#left < 0;
  }

  spend(comparisons: number): void {
    this.#left -= comparisons;
  }
}
