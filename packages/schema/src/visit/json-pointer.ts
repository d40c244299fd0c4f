/** A place in a schema, as a linked list from the inside out, because adding a step is cheap and paths are rarely read. */
export type Trail = { readonly above: Trail; readonly key: string | number } | undefined;

export function toPath(trail: Trail): (string | number)[] {
  const path: (string | number)[] = [];
  for (let step = trail; step; step = step.above) path.push(step.key);
  return path.toReversed();
}

/** Writes the place as a URI fragment, such as `#/properties/name`. */
export function toPointer(trail: Trail): string {
  return joinPointer('#', ...toPath(trail));
}

export function joinPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  let joined = pointer;
  for (const key of keys) joined += `/${escapeKey(String(key))}`;
  return joined;
}

function escapeKey(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function unescapeKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Resolves a URI fragment such as `#/$defs/a`; `undefined` if it leads nowhere. */
export function followPointer(root: unknown, fragment: string): unknown {
  const pointer = decodeFragment(fragment.slice(1));
  return pointer === undefined ? undefined : valueAt(root, pointer);
}

/** Resolves a JSON pointer through own keys only; `undefined` if it leads nowhere. */
export function valueAt(root: unknown, pointer: string): unknown {
  if (pointer !== '' && !pointer.startsWith('/')) return undefined;
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapeKey(part);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

export function decodeFragment(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}
