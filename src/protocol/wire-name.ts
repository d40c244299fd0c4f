const MAX_LENGTH = 64;

/** The `_meta` key of the author's name of a tool that a profile renamed. Typed clients find the tool by it. */
export const AUTHORED_NAME = 'toolfold/name';

/**
 * The `_meta` key of calls whose arguments have the form of the author, although the profile of the list has another one. Typed
 * clients set it, because they know only the types of the author.
 */
export const AUTHORED_ARGUMENTS = 'toolfold/authoredArguments';

/** Joins names to one that every known client accepts. Names over 64 characters are cut and end with a stable hash. */
export function toWireName(...parts: readonly string[]): string {
  const name = parts.join('_').replace(/[^A-Za-z0-9_-]/g, '_');
  if (name.length <= MAX_LENGTH) return name;
  const ending = `_${hashName(parts.join('\n'))}`;
  return name.slice(0, MAX_LENGTH - ending.length) + ending;
}

/**
 * The name under which a tool is listed and called: its namespace, if it has one, and its name. It depends only on the
 * tool, so that no other tool can change it.
 */
export function wireNameOf({ namespace, name }: NamedTool): string {
  return namespace === undefined ? name : toWireName(namespace, name);
}

interface NamedTool {
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** FNV-1a over UTF-16, as eight hexadecimal digits. It distinguishes names and is not cryptographic. */
export function hashName(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(16).padStart(8, '0');
}
