import { LRUCache } from 'lru-cache';
import { ErrInvalidSelection } from '@toolfold/schema/errors';
import type { Selection } from '../callers/caller.js';
import { defined } from '../values/defined.js';

export type ReadHeader = (name: string) => string | undefined;

export interface ReadSelection {
  readonly selection: Selection;
  readonly named: readonly string[];
}

/** Returns `undefined` if a request selects nothing, and `NOT_HERE` if its path does not belong to the server. */
export type SelectionReader = (
  path: string,
  header: ReadHeader,
) => ReadSelection | undefined | typeof NOT_HERE;

export const NOT_HERE = Symbol('not here');

/**
 * Headers that a request may have only once. Two joined lists select more than each of them, so a client could otherwise widen
 * the list that a proxy in front of the server has set.
 */
export const singleHeaders = ['X-MCP-Toolsets', 'X-MCP-Tools'] as const;

const MAX_NAMES = 500;
const MAX_LENGTH = 16_384;

/**
 * Reads the selection of a request from the path after that of the server (`/x/users,billing`, `/x/users/readonly`,
 * `/readonly`) and from headers. If both select toolsets, only those in both are selected. `header` joins repeated headers with
 * commas, which look like a longer list here: see `singleHeaders`.
 */
export function createSelectionReader(base: string | undefined): SelectionReader {
  const root = base === undefined ? undefined : base.replace(/\/+$/, '');
  // Clients send the same headers with every request, so recent selections are cached.
  const read = new LRUCache<string, ReadSelection>({
    max: 1_000,
    maxSize: 4 * 1024 * 1024,
    sizeCalculation: (_, key) => key.length + 1,
  });
  return (path, header) => {
    const toolsets = header('x-mcp-toolsets');
    const tools = header('x-mcp-tools');
    const excluded = header('x-mcp-exclude-tools');
    const readOnly = header('x-mcp-readonly');
    const rest = root === undefined || path === base ? '' : restOf(path, root);
    if (rest === undefined) return NOT_HERE;
    const selectsNothing =
      rest === '' &&
      toolsets === undefined &&
      tools === undefined &&
      excluded === undefined &&
      readOnly === undefined;
    if (selectsNothing) return undefined;
    const key = JSON.stringify([rest, toolsets, tools, excluded, readOnly]);
    const known = read.get(key);
    if (known) return known;
    const ofPath = readPath(rest);
    if (!ofPath) return NOT_HERE;
    const ofHeader = readNames('X-MCP-Toolsets', toolsets);
    const inBoth = ofHeader && ofPath.toolsets?.filter((name) => ofHeader.includes(name));
    const selected = {
      toolsets: inBoth ?? ofPath.toolsets ?? ofHeader,
      tools: readNames('X-MCP-Tools', tools),
      excludeTools: readNames('X-MCP-Exclude-Tools', excluded),
      readOnly: ofPath.readOnly || readFlag('X-MCP-Readonly', readOnly) || undefined,
    };
    const found = {
      selection: Object.freeze(defined<Selection>(selected)),
      named: [...(ofPath.toolsets ?? []), ...(ofHeader ?? [])],
    };
    read.set(key, found);
    return found;
  };
}

/** Whether a path is that of the server, or one of its selection paths. */
export function isSelectionPath(path: string, base: string): boolean {
  const rest = restOf(path, base.replace(/\/+$/, ''));
  return rest !== undefined && selecting.test(rest);
}

const selecting = /^(?:\/x\/(?<list>[^/]+))?(?<last>\/readonly)?$/;

/** The part of a path after that of the server; `undefined` if the path does not belong to the server. */
function restOf(path: string, root: string): string | undefined {
  if (path === (root || '/')) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length) : undefined;
}

function readPath(rest: string) {
  const found = selecting.exec(rest)?.groups;
  if (!found) return undefined;
  const { list, last } = found;
  return {
    toolsets: list === undefined ? undefined : readNames('The path', decode(list)),
    readOnly: last !== undefined,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ErrInvalidSelection('The path is not a valid URL encoding.');
  }
}

/** Reads a list of names. An empty list is rejected, because it would select everything. */
function readNames(place: string, list: string | undefined): readonly string[] | undefined {
  if (list === undefined) return undefined;
  if (list.length > MAX_LENGTH)
    throw new ErrInvalidSelection(`${place} is longer than ${MAX_LENGTH} characters.`);
  const names = [...new Set(list.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0)
    throw new ErrInvalidSelection(`${place} names nothing.`, { hint: 'Name something, or leave it out.' });
  if (names.length > MAX_NAMES) throw new ErrInvalidSelection(`${place} names more than ${MAX_NAMES}.`);
  return names.toSorted();
}

const yes: ReadonlySet<string> = new Set(['true', '1', 'yes', 'y', 'on']);
const no: ReadonlySet<string> = new Set(['false', '0', 'no', 'n', 'off']);

function readFlag(place: string, value: string | undefined): boolean {
  if (value === undefined) return false;
  const word = value.trim().toLowerCase();
  if (yes.has(word)) return true;
  if (no.has(word)) return false;
  throw new ErrInvalidSelection(`${place} must be true or false.`);
}
