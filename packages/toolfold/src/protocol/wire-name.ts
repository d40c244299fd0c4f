import { hashName } from '@toolfold/profiles/internal';

const MAX_LENGTH = 64;

/** The `_meta` key for the authored name of a tool that a profile renamed. Typed clients find the tool by it. */
export const AUTHORED_NAME = 'toolfold/name';

/**
 * The `_meta` key of calls whose arguments have the authored form, although the listed profile uses another. Typed clients set
 * it, because they know only the author's types.
 */
export const AUTHORED_ARGUMENTS = 'toolfold/authoredArguments';

/** Joins names to one name that every known client accepts. A name over 64 characters is cut and ends with a stable hash. */
export function toWireName(...parts: readonly string[]): string {
  const name = parts.join('_').replace(/[^A-Za-z0-9_-]/g, '_');
  if (name.length <= MAX_LENGTH) return name;
  const ending = `_${hashName(parts.join('\n'))}`;
  return name.slice(0, MAX_LENGTH - ending.length) + ending;
}

/**
 * Returns the name under which a tool is listed and called: its namespace, if it has one, and its name. It depends only on the
 * tool, so other tools cannot change it.
 */
export function wireNameOf({ namespace, name }: NamedTool): string {
  return namespace === undefined ? name : toWireName(namespace, name);
}

interface NamedTool {
  readonly namespace?: string | undefined;
  readonly name: string;
}
