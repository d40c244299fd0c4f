import type { Span, Work } from './spans.js';

/** Size of the hash tables. */
const TABLE = 4_096;

/** Hashes four characters. Most positions of a text are dismissed by a table lookup with this hash. */
function hashAt(text: string, at: number): number {
  const [first, second, third] = [text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2)];
  return (first * 961 + second * 31 + third + text.charCodeAt(at + 3) * 7) & (TABLE - 1);
}

/** Minimum length of a literal. */
const START = 4;

/** Finds whole literals. They are indexed by their first four characters, so that one pass over a text finds them all. */
export class LiteralIndex {
  readonly literals = new Set<string>();
  readonly #byStart = new Map<string, string[]>();
  /** By hash, whether any literal begins with this hash, so that most positions of a text need no lookup. */
  readonly #starts = new Uint8Array(TABLE);
  shortest = Infinity;

  add(literal: string): void {
    if (this.literals.has(literal)) return;
    this.literals.add(literal);
    this.shortest = Math.min(this.shortest, literal.length);
    this.#starts[hashAt(literal, 0)] = 1;
    const start = literal.slice(0, START);
    const same = this.#byStart.get(start);
    if (!same) this.#byStart.set(start, [literal]);
    else {
      // The longest comes first, because it covers the others.
      const place = same.findIndex((other) => other.length < literal.length);
      same.splice(place < 0 ? same.length : place, 0, literal);
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.shortest > text.length) return;
    let last: Span | undefined;
    for (let at = 0; at + START <= text.length && !work.isDone; at++) {
      if (this.#starts[hashAt(text, at)] === 0) continue;
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

/** This many consecutive characters of a long credential are redacted, because messages are often truncated. */
export const RUN = 16;
/** A credential is split into blocks of 8 characters, so every run of 16 contains a whole block. */
const BLOCK = 8;
/** A block that repeats more often than this is mostly padding. */
const MAX_PLACES = 8;

/** An occurrence of a block: the text around it, and the length of that text before the block. */
interface Place {
  readonly around: string;
  readonly before: number;
}

/** Finds runs of 16 or more characters of long literals. The search is linear in the length of the text. */
export class RunIndex {
  readonly #places = new Map<string, Place[]>();
  /** By hash, whether any block has this hash, so that most positions of a text need no lookup. */
  readonly #starts = new Uint8Array(TABLE);

  get isEmpty(): boolean {
    return this.#places.size === 0;
  }

  add(literal: string): void {
    for (let at = 0; at + BLOCK <= literal.length; at += BLOCK) {
      const block = literal.slice(at, at + BLOCK);
      if (block.trim() === '') continue;
      this.#starts[hashAt(literal, at)] = 1;
      const before = Math.min(BLOCK, at);
      const around = literal.slice(at - before, at + 2 * BLOCK);
      const places = this.#places.get(block);
      if (!places) this.#places.set(block, [{ around, before }]);
      else if (places.length < MAX_PLACES && !places.some((place) => place.around === around)) {
        places.push({ around, before });
      }
    }
  }

  find(text: string, spans: Span[], work: Work): void {
    if (this.isEmpty) return;
    let last: Span | undefined;
    for (let at = 0; at + BLOCK <= text.length && !work.isDone; at++) {
      if (this.#starts[hashAt(text, at)] === 0) continue;
      work.spend(1);
      for (const place of this.#places.get(text.slice(at, at + BLOCK)) ?? []) {
        const [start, end] = compare(text, at, place);
        if (end - start < RUN) continue;
        if (last && start <= last[1]) {
          last[0] = Math.min(last[0], start);
          last[1] = Math.max(last[1], end);
        } else spans.push((last = [start, end]));
      }
    }
  }
}

/** Extends a match of a block to both sides, as far as the text equals the literal. */
function compare(text: string, at: number, { around, before }: Place): Span {
  let left = 0;
  while (left < before && text[at - left - 1] === around[before - left - 1]) left++;
  let right = BLOCK;
  while (before + right < around.length && text[at + right] === around[before + right]) right++;
  return [at - left, at + right];
}
