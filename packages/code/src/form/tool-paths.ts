import { ErrUnknownTool } from 'toolfold/errors';
import type { SearchEntries, SearchEntry } from '@toolfold/search/internal';
import { clip, listNames, NameIndex } from '@toolfold/schema/internal';

/** Names actions in code: `github.issues.list` is called as `tools.github.issues.list(…)`. */
export interface ToolPaths {
  readonly byPath: ReadonlyMap<string, SearchEntry>;
  pathOf(address: string): string;
  /** Finds an action by its path or by its address. Hidden actions are unknown, and the error suggests similar paths. */
  find(path: string): SearchEntry | ErrUnknownTool;
}

const MAX_SUGGESTED = 5;

/** Gives every action of a view a path. Equal views give equal paths, in any order of their tools. */
export function readPaths(entries: SearchEntries): ToolPaths {
  const byPath = assignPaths(entries);
  const paths = new Map(Array.from(byPath, ([path, { compiled }]) => [compiled.address, path]));
  let index: PathIndex | undefined;
  return {
    byPath,
    pathOf: (address) => paths.get(entries.byAddress.get(address)?.compiled.address ?? address) ?? address,
    find: (path) =>
      byPath.get(path) ?? entries.byAddress.get(path) ?? unknownPath(path, (index ??= indexPaths(byPath))),
  };
}

/** Of actions with the same path, the first address in alphabetical order keeps it, and the others get a number. */
function assignPaths({ byAddress }: SearchEntries): ReadonlyMap<string, SearchEntry> {
  const wanted = new Map<string, SearchEntry[]>();
  for (const entry of byAddress.values()) addTo(wanted, toPath(entry), entry);
  const byPath = new Map<string, SearchEntry>();
  for (const [path, found] of wanted) {
    const sorted = found.toSorted((one, other) => (one.compiled.address < other.compiled.address ? -1 : 1));
    let free = path;
    let number = 2;
    for (const entry of sorted) {
      byPath.set(free, entry);
      // Another action may have a name with this number.
      while (wanted.has(free) || byPath.has(free)) free = `${path}_${number++}`;
    }
  }
  return byPath;
}

function toPath({ compiled: { address }, toolsets: [toolset] }: SearchEntry): string {
  const parts = address
    .split(/[:/.]/)
    .filter((part) => part !== '')
    .map(toIdentifier);
  const [first = '_', ...others] = parts;
  if (toolset === undefined) return [first, ...others].join('.');
  const space = toIdentifier(toolset);
  if (first === space && others.length > 0) return [first, ...others].join('.');
  // Tools of another server often have the server's name as a prefix.
  const own = first.startsWith(`${space}_`) ? toIdentifier(first.slice(space.length + 1)) : first;
  return [space, own, ...others].join('.');
}

const FOREIGN = /[^$\p{ID_Continue}]/gu;
const INITIAL = /^[$_\p{ID_Start}]/u;
/** Promises and JSON look these names up, so no function of the guest has them. */
const RESERVED: ReadonlySet<string> = new Set(['then', 'toJSON']);

/** Makes a name usable after a dot in code. */
function toIdentifier(name: string): string {
  const plain = name.normalize('NFC').replace(FOREIGN, '_');
  const whole = INITIAL.test(plain) ? plain : `_${plain}`;
  return RESERVED.has(whole) ? `${whole}_` : whole;
}

interface PathIndex {
  readonly inside: ReadonlyMap<string, readonly string[]>;
  readonly byName: ReadonlyMap<string, readonly string[]>;
  readonly spelling: NameIndex;
}

function indexPaths(byPath: ReadonlyMap<string, SearchEntry>): PathIndex {
  const inside = new Map<string, string[]>();
  const byName = new Map<string, string[]>();
  for (const path of byPath.keys()) {
    for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1))
      addTo(inside, path.slice(0, dot), path);
    addTo(byName, nameOf(path), path);
  }
  return { inside, byName, spelling: new NameIndex(byPath.keys()) };
}

function addTo<T>(map: Map<string, T[]>, key: string, item: T): void {
  const items = map.get(key);
  if (items) items.push(item);
  else map.set(key, [item]);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

/** Explains an unknown path: a namespace has functions, a namespace may be missing, or a name is misspelt. */
function unknownPath(path: string, index: PathIndex): ErrUnknownTool {
  const inside = index.inside.get(path);
  if (inside) {
    const names = listNames(
      inside.map((known) => known.slice(path.length + 1)),
      inside.length,
    );
    return new ErrUnknownTool(`tools.${path} is a namespace, not a function. Its functions: ${names}.`, {
      details: { suggestions: inside.slice(0, MAX_SUGGESTED) },
    });
  }
  const suggestions = similarPaths(path, index);
  const names = suggestions.map((each) => `tools.${each}`).join(' or ');
  const meant = names === '' ? '' : ` Did you mean ${names}?`;
  return new ErrUnknownTool(
    `tools.${clip(path)} is not a function.${meant} Call search_tools to find functions.`,
    { details: { suggestions } },
  );
}

/** Returns paths with the same last name, because models leave namespaces out, and the path with the most similar spelling. */
function similarPaths(path: string, { byName, spelling }: PathIndex): readonly string[] {
  const named = byName.get(nameOf(path)) ?? [];
  const whole = named.filter((known) => known.endsWith(`.${path}`));
  if (whole.length > 0) return whole.slice(0, MAX_SUGGESTED);
  const nearest = spelling.nearest(path);
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...named])].slice(0, MAX_SUGGESTED);
}
