import { LRUCache } from 'lru-cache';
import type { CompiledTool } from '../compile/compiled-tool.js';
import { ErrInvalidCursor } from '@toolfold/schema/errors';
import type { McpTool } from '@toolfold/profiles';
import type { ProtocolVersion } from '../protocol/mcp-types.js';
import { digest } from '../values/digest.js';
import { invalidOption } from '@toolfold/schema/internal';
import { listedTool } from './wire-tools.js';
import type { WireForm } from './wire-tools.js';
import { getOrMake } from '../values/get-or-make.js';

/** Maximum number of characters in the cached pages of all views. A page that is evicted is written again. */
const MAX_CHARACTERS = 24_000_000;
/** Counted for each cache entry in addition to its text. */
const ENTRY_CHARACTERS = 1_000;

const cachedPages = new LRUCache<string, readonly string[]>({
  maxSize: MAX_CHARACTERS,
  // A list that is larger than the cache counts as the whole cache, and is kept.
  sizeCalculation: (pages) =>
    Math.min(
      MAX_CHARACTERS,
      pages.reduce((sum, page) => sum + page.length, ENTRY_CHARACTERS),
    ),
});
let lastListsId = 0;

export class ToolLists {
  readonly #tools: ReadonlyMap<string, CompiledTool>;
  readonly #form: Omit<WireForm, 'protocolVersion'>;
  readonly #lists = new Map<ProtocolVersion, readonly McpTool[]>();
  readonly #id = (lastListsId += 1);

  constructor(tools: ReadonlyMap<string, CompiledTool>, form: Omit<WireForm, 'protocolVersion'>) {
    this.#tools = tools;
    this.#form = form;
  }

  tools(protocolVersion: ProtocolVersion): readonly McpTool[] {
    return getOrMake(this.#lists, protocolVersion, () => {
      const list = Object.freeze(Array.from(this.prepare(protocolVersion)));
      writers.set(list, () => this.pages(protocolVersion, Number.POSITIVE_INFINITY)[0] ?? '[]');
      return list;
    });
  }

  /** Builds the tools of a list one by one, so that listing them later takes little time. */
  *prepare(protocolVersion: ProtocolVersion): Generator<McpTool, void> {
    const form = { ...this.#form, protocolVersion };
    for (const [name, { tool }] of this.#tools) yield listedTool(name, tool, form);
  }

  pages(protocolVersion: ProtocolVersion, pageSize: number): readonly string[] {
    const key = `${this.#id} ${protocolVersion} ${pageSize}`;
    return getOrMake(cachedPages, key, () => Object.freeze(paginate(this.tools(protocolVersion), pageSize)));
  }
}

/** Writes the JSON of a list that `ToolLists.tools` returned. */
const writers = new WeakMap<object, () => string>();

/** The JSON of a whole list of a view, from the cache of pages. `undefined` for any other value. */
export function writtenList(list: unknown): string | undefined {
  return typeof list === 'object' && list !== null ? writers.get(list)?.() : undefined;
}

/** Writes tools as JSON arrays. An empty list has one empty page. */
function paginate(list: readonly McpTool[], pageSize: number): string[] {
  if (!(pageSize >= 1)) throw invalidOption('pageSize', `a number of at least 1, not ${String(pageSize)}`);
  const size = Math.max(1, Math.min(Math.floor(pageSize), list.length));
  const count = Math.max(1, Math.ceil(list.length / size));
  return Array.from({ length: count }, (_, page) =>
    JSON.stringify(list.slice(page * size, (page + 1) * size)),
  );
}

/** Rejects a page size with which a list would have no end. */
export function assertPageSize(pageSize: number | undefined): void {
  if (pageSize === undefined || pageSize === Number.POSITIVE_INFINITY) return;
  if (!Number.isSafeInteger(pageSize) || pageSize < 1)
    throw invalidOption('pageSize', `a whole number of at least 1, not ${String(pageSize)}`);
}

/** One page of a list. A cursor holds the digest of its list, so a cursor of a list that has changed is rejected. */
export function pageOf(
  list: readonly unknown[],
  cursor: unknown,
  pageSize: number = Number.POSITIVE_INFINITY,
): { readonly page: readonly unknown[]; readonly nextCursor?: string } {
  if (cursor === undefined && list.length <= pageSize) return { page: list };
  const at = cursor === undefined ? 0 : readCursor(cursor, list, pageSize);
  const end = at + pageSize;
  const page = list.slice(at, end);
  return end < list.length ? { page, nextCursor: `${end}.${listDigest(list)}` } : { page };
}

function readCursor(cursor: unknown, list: readonly unknown[], pageSize: number): number {
  const [, at = '', of] = /^([1-9]\d{0,8})\.([\w-]+)$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  const start = Number(at);
  const isOurs = of !== undefined && of === listDigest(list) && start < list.length;
  if (isOurs && start % pageSize === 0) return start;
  throw new ErrInvalidCursor('The cursor is not known, or the list has changed since.', {
    hint: 'Start again without a cursor.',
  });
}

/** Digests by list, because lists are frozen and serialising them is expensive. */
const digests = new WeakMap<object, string>();

function listDigest(list: readonly unknown[]): string {
  return getOrMake(digests, list, () => digest(JSON.stringify(list)).slice(0, 22));
}
