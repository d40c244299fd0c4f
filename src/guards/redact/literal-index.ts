import type { Work } from './redaction-work.js';
import type { Span } from './text-spans.js';

/** Every literal is at least this long. */
const START = 4;
const TABLE = 4_096;

/** Short credentials by their first four characters, so that one pass over a text finds them all. */
export class LiteralIndex {
  readonly literals = new Set<string>();
  readonly #byStart = new Map<string, string[]>();
  /** Whether a literal may begin so. Most positions of a text are dismissed by this small table. */
  readonly #starts = new Uint8Array(TABLE);
  shortest = Infinity;

  add(literal: string): void {
    if (this.literals.has(literal)) return;
    this.literals.add(literal);
    this.shortest = Math.min(this.shortest, literal.length);
    this.#starts[hashOf(literal, 0)] = 1;
    const start = literal.slice(0, START);
    const same = this.#byStart.get(start);
    if (!same) this.#byStart.set(start, [literal]);
    else {
      // The longest comes first, since it covers the others.
      const place = same.findIndex((other) => other.length < literal.length);
      same.splice(place < 0 ? same.length : place, 0, literal);
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.shortest > text.length) return;
    let last: Span | undefined;
    for (let at = 0; at + START <= text.length && !work.isDone; at++) {
      if (this.#starts[hashOf(text, at)] === 0) continue;
      const same = this.#byStart.get(text.slice(at, at + START));
      if (!same) continue;
      work.spend(same.length);
      const literal = same.find((candidate) => text.startsWith(candidate, at));
      if (literal === undefined) continue;
      const end = at + literal.length;
      if (last && at <= last[1]) last[1] = Math.max(last[1], end);
      else spans.push((last = [at, end]));
    }
  }
}

function hashOf(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (first * 961 + second * 31 + third + text.charCodeAt(at + 3) * 7) & (TABLE - 1);
}
