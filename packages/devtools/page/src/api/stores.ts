import { batch, computed, signal } from '@preact/signals';
import type { Signal } from '@preact/signals';
import type { ServerInfo, Tree, TreeFindings, TreeTokens } from '../../../src/page-api.js';
import { api, ApiError } from './client.js';
import { connection, followEvents, onEvent } from './events.js';

/** `undefined` until the server has answered. */
export const server = signal<ServerInfo | undefined>(undefined);
/** `undefined` until the server has answered. */
export const tree = signal<Tree | undefined>(undefined);
/** Arrives after the tree, because counting takes seconds for thousands of tools. */
export const tokens = signal<TreeTokens | undefined>(undefined);
/** Arrives after the tree, because linting takes seconds for thousands of tools. */
export const findings = signal<TreeFindings | undefined>(undefined);
/** Why the last load failed. */
export const storeError = signal<ApiError | undefined>(undefined);
/** Increases whenever the page learns of a change of the tools, prompts or resources. The number has no other meaning. */
export const revision = signal(0);
/** The revision in the server's last event. */
let announced = 0;

/** Whether the token is missing or wrong. False for a restarted server, so that its page stays visible. */
export const isRefused = computed(
  () => !server.value && (connection.value === 'refused' || storeError.value?.status === 401),
);

let current: AbortController | undefined;

/** Reloads the server and its tree. A later call replaces an earlier one. */
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
    // The server changed between the two answers, or while they were in transit.
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

/** Reloads everything, including the data of the sections. */
function reload(): Promise<void> {
  revision.value++;
  return refresh();
}

/** Starts following the server. Call it once. */
export function followServer(): void {
  onEvent('change', (event) => {
    announced = event.revision;
    // The first event of a connection names the revision that is already being loaded.
    if (server.value && server.value.revision !== announced) void reload();
  });
  void refresh();
  let isFirst = true;
  // The server may have changed while the connection was lost.
  void followEvents(() => {
    if (!isFirst || storeError.value !== undefined) void reload();
    isFirst = false;
  });
}
