import { hashName } from '@toolfold/profiles/internal';
import { isSameWord, wordsOf } from './words.js';

export interface NamedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string | undefined;
  readonly tags: readonly string[];
}

/** Possible names of an operation, before other operations are considered. */
interface NameCandidates {
  readonly group: string;
  readonly max: number;
  /** The name without words that the group already contains. */
  readonly short: string;
  /** Used if another operation of the group has the same short name. */
  readonly full: string;
}

const MAX_NAME = 64;
const MAX_GROUP = 30;
/** Matches leading segments that name nothing, such as `api` and `v2` in `/api/v2/users`. */
const PREFIX_SEGMENT = /^(?:api|apis|rest|v\d+(?:[._]\d+)*(?:alpha|beta)?\d*)$/i;

/** Groups an operation by its first tag, or by the first segment of its path that names something. */
export function groupOf({ path, tags }: NamedOperation, groupBy: 'tag' | 'path'): string {
  const [tag] = groupBy === 'tag' ? tags : [];
  const source = tag ?? subjectOf(path);
  return cutName(wordsOf(source).join('_') || 'api', MAX_GROUP, source);
}

function subjectOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '' && !segment.startsWith('{'));
  return segments.find((segment) => !PREFIX_SEGMENT.test(segment)) ?? segments.at(-1) ?? '';
}

/** Names an operation by its own fields and its group alone, so that adding other operations does not rename it. */
export function candidatesOf(operation: NamedOperation, group: string, prefix = ''): NameCandidates {
  const { method, path, operationId } = operation;
  const written = operationId === undefined ? [] : withoutRoute(wordsOf(operationId), operation);
  const groupWords = group.split('_');
  const full = written.length > 0 ? written : routeWords(method, path);
  const short = written.length > 0 ? withoutGroup(written, groupWords) : shortRoute(operation, groupWords);
  const max = MAX_NAME - prefix.length - group.length - 1;
  const fit = (words: readonly string[]): string => cutName(words.join('_'), max, routeOf(operation));
  return { group: prefix + group, max, short: fit(short), full: fit(full) };
}

/**
 * Chooses a name for each operation of one group. A short name that only one operation has is used. Operations that share a short name get
 * their full names; if these are not unique either, a hash of method and path follows the short name.
 */
export function chooseNames(
  operations: readonly (NameCandidates & Pick<NamedOperation, 'method' | 'path'>)[],
): string[] {
  const uses = new Map<string, number>();
  const count = (name: string): void => void uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const { short } of operations) count(short);
  const isShared = ({ short }: NameCandidates): boolean => (uses.get(short) ?? 0) > 1;
  const fullUses = new Map<string, number>();
  for (const operation of operations)
    if (isShared(operation)) fullUses.set(operation.full, (fullUses.get(operation.full) ?? 0) + 1);
  return operations.map((operation) => {
    const { short, full, max } = operation;
    if (!isShared(operation)) return short;
    if (fullUses.get(full) === 1 && !uses.has(full)) return full;
    const ending = `_${hashName(routeOf(operation))}`;
    return short.slice(0, max - ending.length) + ending;
  });
}

function routeOf({ method, path }: Pick<NamedOperation, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** Cuts a name between two words. A hash of its source distinguishes it from other cut names. */
function cutName(name: string, max: number, source: string): string {
  if (name.length <= max) return name;
  const ending = `_${hashName(source)}`;
  const head = name.slice(0, Math.max(1, max - ending.length));
  const end = name[head.length] === '_' ? head.length : head.lastIndexOf('_');
  return (end > head.length / 2 ? head.slice(0, end) : head) + ending;
}

/** Removes path and method from the end, which some frameworks append: `read_item_items__item_id__get`. */
function withoutRoute(words: readonly string[], { method, path }: NamedOperation): readonly string[] {
  const route = [...wordsOf(path), method.toLowerCase()];
  const start = words.length - route.length;
  return start > 0 && route.every((word, at) => words[start + at] === word) ? words.slice(0, start) : words;
}

/** Removes the name of the group once, with a following `controller`, unless nothing would remain. */
function withoutGroup(words: readonly string[], group: readonly string[]): readonly string[] {
  const at = words.findIndex((_, start) =>
    group.every((word, offset) => {
      const own = words[start + offset];
      return own !== undefined && (offset + 1 < group.length ? own === word : isSameWord(own, word));
    }),
  );
  if (at === -1) return words;
  const end = at + group.length;
  const skipped = ['controller', 'api', 'service'].includes(words[end] ?? '') ? 1 : 0;
  const rest = [...words.slice(0, at), ...words.slice(end + skipped)];
  return rest.length > 0 ? rest : words;
}

function routeWords(method: string, path: string): string[] {
  return [method.toLowerCase(), ...wordsOf(path)];
}

/** Joins the method, the fixed segments of the path without prefixes and group, and the parameters after `by`. */
function shortRoute({ method, path }: NamedOperation, group: readonly string[]): readonly string[] {
  const segments = path.split('/').filter((segment) => segment !== '');
  const fixed = segments.filter((segment) => !segment.startsWith('{') && !PREFIX_SEGMENT.test(segment));
  const parameters = segments.filter((segment) => segment.startsWith('{')).flatMap(wordsOf);
  const words = fixed.flatMap(wordsOf);
  const rest = withoutGroup(['', ...words], group).filter((word) => word !== '');
  return [method.toLowerCase(), ...rest, ...(parameters.length > 0 ? ['by', ...parameters] : [])];
}
