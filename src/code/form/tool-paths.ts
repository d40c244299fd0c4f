import { ErrUnknownTool } from '../../errors.js';
import type { SearchEntries, SearchEntry } from '../../search/form/entries.js';
import { clip, listNames, NameIndex } from '../../values/nearest-name.js';

/** The names of actions in code: `github.issues.list` is called as `tools.github.issues.list(…)`. */
export interface ToolPaths {
  readonly byPath: ReadonlyMap<string, SearchEntry>;
  /** The path of an action, by its address. */
  pathOf(address: string): string;
  /** Finds an action by its path or by its address. Hidden actions are unknown, and the error suggests similar paths. */
  find(path: string): SearchEntry | ErrUnknownTool;
}

/** Maximum number of paths that an error suggests. */
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
  const wanted = new Map<string, SearchEntry | SearchEntry[]>();
  for (const entry of byAddress.values()) {
    const path = toPath(entry);
    const before = wanted.get(path);
    if (before === undefined) wanted.set(path, entry);
    else if (Array.isArray(before)) before.push(entry);
    else wanted.set(path, [before, entry]);
  }
  const byPath = new Map<string, SearchEntry>();
  for (const [path, found] of wanted) {
    if (!Array.isArray(found)) {
      byPath.set(path, found);
      continue;
    }
    const sorted = found.toSorted((one, other) => (one.compiled.address < other.compiled.address ? -1 : 1));
    let number = 1;
    for (const entry of sorted) {
      let free = path;
      // Another action may have a name with this number.
      while (number > 1 && (wanted.has(free) || byPath.has(free))) free = `${path}_${number++}`;
      if (number === 1) number = 2;
      byPath.set(free, entry);
    }
  }
  return byPath;
}

/** The names around an action and its own name: the toolset, then the parts of the address. */
function toPath({ compiled: { address }, toolsets: [toolset] }: SearchEntry): string {
  const parts = address
    .split(/[:/.]/)
    .filter((part) => part !== '')
    .map(toIdentifier);
  const [first = '_', ...others] = parts;
  if (toolset === undefined) return [first, ...others].join('.');
  const space = toIdentifier(toolset);
  if (first === space && others.length > 0) return [first, ...others].join('.');
  // A tool of another server often has the name of the server as a prefix.
  const own = first.startsWith(`${space}_`) ? toIdentifier(first.slice(space.length + 1)) : first;
  return [space, own, ...others].join('.');
}

/** Characters that an identifier of JavaScript cannot have. */
const FOREIGN = /[^$\p{ID_Continue}]/gu;
const INITIAL = /^[$_\p{ID_Start}]/u;
/** Promises and JSON look these names up, so the guest has no functions with these names. */
const RESERVED: ReadonlySet<string> = new Set(['then', 'toJSON']);

/** Turns a name into one that can follow a dot in code. */
function toIdentifier(name: string): string {
  const plain = name.normalize('NFC').replace(FOREIGN, '_');
  const whole = INITIAL.test(plain) ? plain : `_${plain}`;
  return RESERVED.has(whole) ? `${whole}_` : whole;
}

/** The paths of a view for suggestions. */
interface PathIndex {
  /** The paths within each namespace. */
  readonly inside: ReadonlyMap<string, readonly string[]>;
  /** The paths that end with a name. */
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

function addTo(map: Map<string, string[]>, key: string, path: string): void {
  const paths = map.get(key);
  if (paths) paths.push(path);
  else map.set(key, [path]);
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

/** Paths that end alike, because models leave namespaces out, and the path with the most similar spelling. */
function similarPaths(path: string, { byName, spelling }: PathIndex): readonly string[] {
  const named = byName.get(nameOf(path)) ?? [];
  const whole = named.filter((known) => known.endsWith(`.${path}`));
  if (whole.length > 0) return whole.slice(0, MAX_SUGGESTED);
  const nearest = spelling.nearest(path);
  return [...new Set([...(nearest === undefined ? [] : [nearest]), ...named])].slice(0, MAX_SUGGESTED);
}
