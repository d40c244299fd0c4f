import { batch, computed, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { ServerInfo, Tree, TreeFindings, TreeTokens } from '../../../src/devtools/page-api.js';
import { api, ApiError } from './client.js';
import { connection, followEvents, onEvent } from './events.js';

/** The server; `undefined` until it is known. */
export const server = signal<ServerInfo | undefined>(undefined);
/** The tree of its tools; `undefined` until it is known. */
export const tree = signal<Tree | undefined>(undefined);
/** The tokens of its tools. They arrive after the tree, because counting takes seconds for thousands of tools. */
export const tokens = signal<TreeTokens | undefined>(undefined);
/** The findings of the linter, which arrive after the tree, too. */
export const findings = signal<TreeFindings | undefined>(undefined);
/** Why one of them could not be loaded the last time. */
export const storeError = signal<ApiError | undefined>(undefined);
/** Grows with every change of the tools, prompts and resources that the page learns of. Its value has no other meaning. */
export const revision = signal(0);
/** The revision of the server that its last event named. */
let announced = 0;

/** Whether the token is missing or wrong. The page of a server that was started again stays visible. */
export const isRefused = computed(
  () => !server.value && (connection.value === 'refused' || storeError.value?.status === 401),
);

let current: AbortController | undefined;

/** Loads the server and its tree again. A later call replaces an earlier one. */
export async function refresh(): Promise<void> {
  current?.abort();
  const { signal: aborted } = (current = new AbortController());
  const known = announced;
  try {
    const [info, nodes] = await Promise.all([api.server(aborted), api.tree(aborted)]);
    batch(() => {
      server.value = info;
      tree.value = nodes;
      storeError.value = undefined;
    });
    const isStale = announced !== known && info.revision < announced;
    // The server changed between the two answers, or while they were on their way.
    if (isStale || info.revision !== nodes.revision) return await reload();
    const load = async <T>(loading: Promise<T>, store: Signal<T | undefined>): Promise<void> => {
      const loaded = await loading;
      if (!aborted.aborted) store.value = loaded;
    };
    await Promise.all([load(api.treeTokens(aborted), tokens), load(api.treeFindings(aborted), findings)]);
  } catch (error) {
    if (aborted.aborted) return;
    storeError.value = error instanceof ApiError ? error : new ApiError(String(error));
  }
}

/** Loads everything again, also the data of the sections. */
function reload(): Promise<void> {
  revision.value++;
  return refresh();
}

/** Starts to follow the server. Called once. */
export function followServer(): void {
  onEvent('change', (event) => {
    announced = event.revision;
    // The first event of a connection names the revision that is being loaded anyway.
    if (server.value && server.value.revision !== announced) void reload();
  });
  void refresh();
  let isFirst = true;
  // Changes may have happened while the connection was lost.
  void followEvents(() => {
    if (!isFirst || storeError.value !== undefined) void reload();
    isFirst = false;
  });
}
