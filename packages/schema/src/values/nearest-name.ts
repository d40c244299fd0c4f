/** The number of steps that remain. Several searches can share it. */
export interface Effort {
  left: number;
}

/** About 5 ms. This is enough to compare hundreds of names completely. Among more names, only the most similar are compared. */
const MAX_EFFORT = 200_000;
const MAX_LENGTH = 128;
/** About 20 µs for one search in a `NameIndex`. */
const MAX_INDEX_EFFORT = 1_000;

/** Maximum number of names that a message lists. */
const MAX_LISTED = 50;

interface Candidate {
  readonly name: string;
  readonly lower: string;
  readonly at: number;
}

interface Prepared extends Candidate {
  /** Bit set of the letters in the name. */
  readonly letters: number;
}

/** Candidates by their number of missing and surplus letters, which their edit distance cannot be below. */
type Ranked = readonly (readonly Candidate[] | undefined)[];

export function createEffort(): Effort {
  return { left: MAX_EFFORT };
}

/** Returns a "Did you mean" hint for an error, or nothing if no name is similar enough. */
export function suggestName(written: string, names: Iterable<string>): { readonly hint?: string } {
  const nearest = nearestName(written, names);
  return nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` };
}

export function clip(text: string, length = 128): string {
  if (text.length <= length) return text;
  // A half character at the end is not valid Unicode, which some JSON parsers reject.
  return `${text.slice(0, length).replace(/\p{Cs}$/u, '')}…`;
}

/** Lists up to 50 names. Pass `size`, the number of names, if it is known, so that not all names need to be read. */
export function listNames(names: Iterable<string>, size = Number.POSITIVE_INFINITY): string {
  const listed: string[] = [];
  let seen = 0;
  for (const name of names) {
    if (seen++ < MAX_LISTED) listed.push(name);
    else if (size !== Number.POSITIVE_INFINITY) break;
  }
  const more = (size === Number.POSITIVE_INFINITY ? seen : size) - listed.length;
  return `${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}

/** Returns the name most similar to a misspelt one; `undefined` if none is similar enough. Of equally similar names, the first wins. */
export function nearestName(
  written: string,
  names: Iterable<string>,
  effort: Effort = createEffort(),
): string | undefined {
  const text = comparable(written);
  return text === undefined ? undefined : searchRanked(text, rankNames(text, names, effort), effort);
}

/**
 * Known names, prepared for repeated searches. Each search has a small budget, because rejecting a call must not cost much more
 * than running it. Among hundreds of similar names a search may miss the nearest.
 */
export class NameIndex {
  readonly #candidates: readonly Prepared[];

  constructor(names: Iterable<string>) {
    this.#candidates = Array.from(names, (name, at) => {
      const lower = name.toLowerCase();
      return { name, lower, at, letters: letterSetOf(lower) };
    });
  }

  /** Returns the name that is most similar to a misspelt one; `undefined` if none is similar enough. */
  nearest(written: string): string | undefined {
    const text = comparable(written);
    if (text === undefined) return undefined;
    const effort = { left: MAX_INDEX_EFFORT };
    return searchRanked(text, this.#rank(text, effort), effort);
  }

  #rank(text: string, effort: Effort): Ranked {
    const limit = limitOf(text);
    const ranked = Array.from<Candidate[] | undefined>({ length: limit });
    const wanted = letterSetOf(text);
    countLetters(text);
    for (const candidate of this.#candidates) {
      const { lower, letters } = candidate;
      if (Math.abs(lower.length - text.length) >= limit) continue;
      // Each edit adds or removes at most one letter.
      if (countBits(wanted & ~letters) >= limit || countBits(letters & ~wanted) >= limit) continue;
      effort.left -= lower.length >> 2;
      if (effort.left <= MAX_INDEX_EFFORT / 2) break;
      const least = Math.max(text.length, lower.length) - countShared(lower);
      if (least < limit) (ranked[least] ??= []).push(candidate);
    }
    return ranked;
  }
}

/** Normalizes a misspelt name for comparison. Returns `undefined` if it is too short for a suggestion. */
function comparable(written: string): string | undefined {
  const text = written.slice(0, MAX_LENGTH).toLowerCase().slice(0, MAX_LENGTH);
  // With fewer than three letters, a single edit turns any name into any other.
  return text.length < 3 ? undefined : text;
}

/** Names at this edit distance or beyond are not suggested. */
function limitOf(text: string): number {
  return Math.max(1, Math.floor(text.length / 3)) + 1;
}

/** Ranks candidates before their edit distance is computed, which takes much longer. */
function rankNames(text: string, names: Iterable<string>, effort: Effort): Ranked {
  const limit = limitOf(text);
  const ranked = Array.from<Candidate[] | undefined>({ length: limit });
  countLetters(text);
  let at = 0;
  for (const name of names) {
    if (effort.left <= 0) break;
    effort.left--;
    at++;
    if (Math.abs(name.length - text.length) >= limit) continue;
    const lower = name.toLowerCase();
    // Reading a letter is about four times as fast as comparing it.
    effort.left -= lower.length >> 2;
    const least = Math.max(text.length, lower.length) - countShared(lower);
    if (least < limit) (ranked[least] ??= []).push({ name, lower, at });
  }
  return ranked;
}

/** Returns the candidate with the smallest edit distance. */
function searchRanked(text: string, ranked: Ranked, effort: Effort): string | undefined {
  let best: Candidate | undefined;
  let bestDistance = limitOf(text);
  // The most similar candidates come first, so most others need not be compared.
  for (const [least, candidates] of ranked.entries()) {
    for (const candidate of candidates ?? []) {
      if (least > bestDistance) return best?.name;
      const isEarlier = best !== undefined && candidate.at < best.at;
      const limit = isEarlier ? bestDistance + 1 : bestDistance;
      if (least >= limit) continue;
      const distance = editDistance(text, candidate.lower, limit, effort);
      if (distance < limit) [best, bestDistance] = [candidate, distance];
      if (effort.left <= 0) return best?.name;
    }
  }
  return best?.name;
}

/** How often each letter occurs in the text that is searched for. */
const letterCounts = new Int16Array(128);

function count(letter: number, by: number): number {
  const now = (letterCounts[letter & 127] ?? 0) + by;
  letterCounts[letter & 127] = now;
  return now;
}

function countLetters(text: string): void {
  letterCounts.fill(0);
  for (let index = 0; index < text.length; index++) count(text.charCodeAt(index), 1);
}

/** Counts the letters that a name shares with the text of `countLetters`, repetitions included. */
function countShared(lower: string): number {
  let shared = 0;
  for (let index = 0; index < lower.length; index++) if (count(lower.charCodeAt(index), -1) >= 0) shared++;
  for (let index = 0; index < lower.length; index++) count(lower.charCodeAt(index), 1);
  return shared;
}

/** Returns the letters of a name as a bit set. */
function letterSetOf(lower: string): number {
  let letters = 0;
  for (let index = 0; index < lower.length; index++) letters |= 1 << (lower.charCodeAt(index) & 31);
  return letters;
}

function countBits(bits: number): number {
  let found = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) found++;
  return found;
}

const buffers = Array.from({ length: 3 }, () => new Uint16Array(2 * MAX_LENGTH));

/**
 * The number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other, at most `limit`.
 * Only cells within `limit` of the diagonal are computed.
 */
function editDistance(left: string, right: string, limit: number, effort: Effort): number {
  const rows = left.length;
  const columns = right.length;
  let [beforeLast, last, current] = buffers as [Uint16Array, Uint16Array, Uint16Array];
  for (let column = 0; column <= columns; column++) last[column] = Math.min(column, limit);
  for (let row = 1; row <= rows; row++) {
    const from = Math.max(1, row - limit + 1);
    const to = Math.min(columns, row + limit - 1);
    effort.left -= to - from + 1;
    // Cells outside the computed band count as `limit`.
    current[from - 1] = from === 1 ? Math.min(row, limit) : limit;
    if (to < columns) current[to + 1] = limit;
    let least = current[from - 1] ?? 0;
    const letter = left.charCodeAt(row - 1);
    for (let column = from; column <= to; column++) {
      const isSame = letter === right.charCodeAt(column - 1);
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1),
      );
      if (
        row > 1 &&
        column > 1 &&
        letter === right.charCodeAt(column - 2) &&
        left.charCodeAt(row - 2) === right.charCodeAt(column - 1)
      )
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1);
      current[column] = cost;
      if (cost < least) least = cost;
    }
    if (least >= limit) return limit;
    const free = beforeLast;
    beforeLast = last;
    last = current;
    current = free;
  }
  return Math.min(last[columns] ?? 0, limit);
}
