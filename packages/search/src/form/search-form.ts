import { sharesPendingWork } from '@toolfold/schema/internal';
import { unrefTimer } from 'toolfold/internal';
import type { AnyRegistry, View } from 'toolfold';
import type { ForwardingTool, Form, FormServer, FormTool, FormTools, FormView } from 'toolfold/web';
import { createForward, describeTools, listToolsets, searchTools } from './meta-tools.js';
import { callToolOf, readEntries } from './entries.js';
import type { SearchEntries, SearchEntry } from './entries.js';
import type { Find } from './answer-search.js';
import type { Searched } from './search-source.js';
import { assertSearchSettings } from './search-settings.js';
import type { SearchSettings } from './search-settings.js';

declare module 'toolfold/web' {
  interface FormSettings {
    readonly search: SearchSettings;
  }
}

export interface SearchContents {
  readonly entries: SearchEntries;
  readonly settings: SearchSettings;
}

export interface SearchParts {
  readonly registry: AnyRegistry;
  /** The view whose tools are found, with the names and schemas of their authors. */
  readonly inner: View;
  readonly entries: SearchEntries;
  readonly find: Find;
  readonly settings: SearchSettings;
  /** Whether the request sees the whole view, without a selection. */
  readonly isWhole: boolean;
}

/**
 * The form with a fixed list: the tools that find, describe and call the tools of a view. The index is created on the first search, or
 * soon after the first list.
 */
export function searchForm(settings: SearchSettings = {}): Form {
  assertSearchSettings(settings);
  return Object.freeze({
    name: 'search',
    createTools: (shown: FormView, server: FormServer) => {
      const parts = readSearched(shown, server, settings);
      return searching(parts, {
        listed: [
          searchTools(parts.entries, parts.find),
          describeTools(parts.entries, parts.inner.tools),
          ...createCallTools(parts),
        ],
      });
    },
  });
}

export function readSearched(
  { view: inner, wider, toolsets, isWhole, isComplete }: FormView,
  { registry, onError }: FormServer,
  settings: SearchSettings,
): SearchParts {
  const entries = readEntries(inner, toolsets);
  const find = createFind({
    inner,
    entries,
    wider,
    toolsets,
    settings,
    onUnknown: isComplete ? onError : undefined,
    registry,
  });
  return { registry, inner, entries, find, settings, isWhole };
}

const contents = new WeakMap<object, SearchContents>();

/** Adds the search to the tools of a form. Its index is built soon after they are listed. */
export function searching(parts: SearchParts, created: FormTools): FormTools {
  const { entries, settings, find, isWhole } = parts;
  // Narrowed views are not prepared, because a caller could list many of them. Views with a ranker are not, because it may be expensive.
  const isPrepared = isWhole && !settings.ranker;
  const tools = { ...created, onListed: isPrepared ? createPreparation(find) : undefined };
  contents.set(tools, { entries, settings });
  return tools;
}

/** Returns what the search tools of a view find, or `undefined` if the view has none. Commands that measure the search read it. */
export function searchContentsOf(view: View): SearchContents | undefined {
  return view.shown && contents.get(view.shown.tools);
}

/** Creates the search of a view. Its modules are loaded with the first query. */
function createFind(searched: Searched): Find {
  let find: Find | undefined;
  return async (query, options) => {
    const search = await import('./open-search.js');
    find ??= search.createFind(searched);
    return find(query, options);
  };
}

/** Delays the index after the first list, so that other requests of a new client are answered first. */
const PREPARATION_DELAY_MS = 50;

/**
 * Returns a function that builds the index in the background, once. It does nothing on Cloudflare Workers, where work ends with its
 * request.
 */
function createPreparation(find: Find): () => void {
  let isStarted = !sharesPendingWork();
  // A client's query builds the index again and reports the error if this attempt fails.
  const prepare = (): Promise<unknown> => find('find a tool', { limit: 1 }).catch(() => {});
  return () => {
    if (isStarted) return;
    isStarted = true;
    unrefTimer(setTimeout(prepare, PREPARATION_DELAY_MS));
  };
}

export function createCallTools({ inner, entries }: SearchParts): FormTool[] {
  return [
    createCallTool('read', inner, entries),
    createCallTool('write', inner, entries),
    listToolsets(entries),
  ];
}

const callTools = {
  read: {
    title: 'Call a tool that reads',
    description: 'Runs a tool of kind "read", which changes nothing.',
    annotations: { readOnlyHint: true },
  },
  write: {
    title: 'Call a tool that writes',
    description: 'Runs a tool of kind "write", which may change data.',
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
};

function createCallTool(kind: SearchEntry['kind'], inner: View, entries: SearchEntries): ForwardingTool {
  const { title, description, annotations } = callTools[kind];
  return {
    name: callToolOf[kind],
    title,
    description,
    inputSchema: {
      type: 'object',
      properties: {
        address: { type: 'string', description: 'The address of the tool, from search_tools' },
        arguments: { type: 'object', description: 'The arguments of that tool' },
      },
      required: ['address'],
      additionalProperties: false,
    },
    annotations,
    forward: createForward(inner, entries, kind),
  };
}
