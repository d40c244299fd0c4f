/** A run of words that two texts share, or that only one of them has. */
export interface WordChange {
  /** `added` words are only in the new text, `removed` words only in the old one. */
  readonly kind: 'same' | 'added' | 'removed';
  /** The words, separated by single spaces. */
  readonly text: string;
}

/** Limit of the comparison table. For longer texts, only the first and last words are compared. */
const MAX_CELLS = 400_000;
/** Number of unchanged words shown beside a change. */
const CONTEXT = 4;

/** Compares two texts word by word and ignores white space. */
export function diffWords(before: string, after: string): readonly WordChange[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++;
  const middle = diffMiddle(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const tail = old.slice(old.length - end);
  return merge([...old.slice(0, start).map(same), ...middle, ...tail.map(same)]);
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

const removed = (text: string): WordChange => ({ kind: 'removed', text });
const added = (text: string): WordChange => ({ kind: 'added', text });
const same = (text: string): WordChange => ({ kind: 'same', text });

function diffMiddle(old: readonly string[], now: readonly string[]): WordChange[] {
  if (old.length * now.length > MAX_CELLS || old.length === 0 || now.length === 0)
    return [...old.map(removed), ...now.map(added)];
  // The length of the longest common subsequence of the rests that begin at each pair of words.
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        old[row] === now[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
  const changes: WordChange[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < now.length) {
    const [word, other] = [old[row] ?? '', now[column] ?? ''];
    if (word === other) {
      changes.push(same(word));
      row++;
      column++;
    } else if ((lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0)) {
      changes.push(removed(word));
      row++;
    } else {
      changes.push(added(other));
      column++;
    }
  }
  return [...changes, ...old.slice(row).map(removed), ...now.slice(column).map(added)];
}

function merge(changes: readonly WordChange[]): WordChange[] {
  const merged: WordChange[] = [];
  for (const { kind, text } of changes) {
    const last = merged.at(-1);
    if (last?.kind === kind) merged[merged.length - 1] = { kind, text: `${last.text} ${text}` };
    else merged.push({ kind, text });
  }
  return merged;
}

/** Shortens unchanged parts to the words next to a change. */
export function withContext(changes: readonly WordChange[]): readonly WordChange[] {
  return changes.map(({ kind, text }, index) => {
    const words = text.split(' ');
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    if (kind !== 'same' || words.length <= (isFirst || isLast ? CONTEXT : CONTEXT * 2)) return { kind, text };
    const head = isFirst ? [] : words.slice(0, CONTEXT);
    const tail = isLast ? [] : words.slice(-CONTEXT);
    return { kind, text: [...head, '…', ...tail].join(' ') };
  });
}
