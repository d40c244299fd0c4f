/** How many steps may still be spent on suggestions: a caller that asks for many shares what there is. */
export interface Effort {
  left: number;
}

/** A few milliseconds. Hundreds of names are compared with it to the end; of more, those that look nearest. */
const MAX_EFFORT = 200_000;
const MAX_LENGTH = 128;

export function createEffort(): Effort {
  return { left: MAX_EFFORT };
}

/** The name closest to what was written, where one is close enough to be meant; of equals the first. */
export function nearestName(
  written: string,
  names: Iterable<string>,
  effort: Effort = createEffort(),
): string | undefined {
  const text = written.slice(0, MAX_LENGTH).toLowerCase().slice(0, MAX_LENGTH);
  // One letter more or less makes any short name out of any other.
  if (text.length < 3) return undefined;
  let best: Candidate | undefined;
  let bestDistance = Math.max(1, Math.floor(text.length / 3)) + 1;
  // Those that could be nearest come first, so that most others need not be looked at.
  for (const [least, candidates] of rankCandidates(text, names, bestDistance, effort).entries()) {
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

/** The same as the hint of an error; none where no name is close enough. */
export function suggestName(written: string, names: Iterable<string>): { readonly hint?: string } {
  const nearest = nearestName(written, names);
  return nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` };
}

interface Candidate {
  readonly name: string;
  readonly lower: string;
  readonly at: number;
}

const letters = new Int16Array(128);

function count(letter: number, by: number): number {
  const now = (letters[letter & 127] ?? 0) + by;
  letters[letter & 127] = now;
  return now;
}

/** The names by how many letters they lack or have too many of: the distance is at least that. */
function rankCandidates(
  text: string,
  names: Iterable<string>,
  limit: number,
  effort: Effort,
): (Candidate[] | undefined)[] {
  const ranked = Array.from<Candidate[] | undefined>({ length: limit });
  letters.fill(0);
  for (let index = 0; index < text.length; index++) count(text.charCodeAt(index), 1);
  let at = 0;
  for (const name of names) {
    if (effort.left <= 0) break;
    effort.left--;
    at++;
    if (Math.abs(name.length - text.length) >= limit) continue;
    const lower = name.toLowerCase();
    // A letter is read faster than it is compared.
    effort.left -= lower.length >> 2;
    const least = Math.max(text.length, lower.length) - countShared(lower);
    if (least < limit) (ranked[least] ??= []).push({ name, lower, at });
  }
  return ranked;
}

/** How many letters a name shares with what `letters` holds, each as often as it is there. */
function countShared(lower: string): number {
  let shared = 0;
  for (let index = 0; index < lower.length; index++) if (count(lower.charCodeAt(index), -1) >= 0) shared++;
  for (let index = 0; index < lower.length; index++) count(lower.charCodeAt(index), 1);
  return shared;
}

const buffers = Array.from({ length: 3 }, () => new Uint16Array(2 * MAX_LENGTH));

/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. From `limit` on it
 * does not matter how many they are, so that only what is nearer to the diagonal than that is filled in.
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
    // Beyond the ends everything is too far.
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
