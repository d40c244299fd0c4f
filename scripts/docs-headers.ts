/** Finds the names of HTTP headers that the code reads or sends. */
import { parseSource, sourcesOf } from './packages.js';

const folders = /^packages\/(?:gateway|toolfold\/src\/(?:callers|compile|serve|toolsets))\//;
/** Headers whose names are ordinary words. They count as a whole text or as the name of a property. */
const words = new Set(['accept', 'allow', 'authorization', 'host', 'origin', 'vary']);
const HYPHENATED = /^[a-z]+(?:-[a-z]+)+-?$/i;

interface Visited {
  readonly type?: string;
  readonly value?: unknown;
  readonly name?: string;
}

/** Every text in the source that looks like a header name, in lower case, with its files. */
export function headerLikeTexts(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const file of [...sourcesOf('toolfold'), ...sourcesOf('gateway')]) {
    if (!folders.test(file)) continue;
    for (const text of new Set(textsIn(parseSource(file))))
      found.set(text, [...(found.get(text) ?? []), file]);
  }
  return found;
}

function* textsIn(node: unknown, key = ''): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { type, value, name } = node as Visited;
  // Skip import specifiers and types.
  if (key === 'source' || type?.startsWith('TS')) {
    if (type !== 'TSAsExpression' && type !== 'TSSatisfiesExpression') return;
  }
  if (type === 'Literal' && typeof value === 'string') yield* namesIn(value);
  if (type === 'TemplateElement') yield* namesIn((value as { cooked?: string }).cooked ?? '');
  // `{ vary: … }` and `const { origin } = request.headers`
  if (type === 'Identifier' && key === 'key' && words.has(name ?? '')) yield name as string;
  for (const [inner, child] of Object.entries(node)) {
    if (Array.isArray(child)) for (const each of child) yield* textsIn(each, inner);
    else yield* textsIn(child, inner);
  }
}

/** A text may be a list: `mcp-session-id, www-authenticate`. */
function namesIn(text: string): string[] {
  return text
    .toLowerCase()
    .split(', ')
    .filter((part) => HYPHENATED.test(part) || words.has(part));
}
