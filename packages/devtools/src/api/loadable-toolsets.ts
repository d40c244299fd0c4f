import type { LoadedModule, Selection } from '@toolfold/analysis/internal';
import { Toolsets } from 'toolfold/web';
import type { ToolsetConfig } from 'toolfold/web';
import { toLine } from 'toolfold/internal';
import { readMessage } from '../http/answers.js';
import type { Snapshot } from './snapshot.js';

/** Milliseconds for loading a toolset. The author's loader may never finish. */
const LOADING_MS = 10_000;

/** Milliseconds before toolsets that failed to load are retried. */
const RETRY_MS = 30_000;

interface LoadableModule {
  readonly served: LoadedModule;
  /** Selects the toolsets that load, if exported Toolsets cannot be reconfigured. */
  readonly selection: Pick<Selection, 'toolsets'>;
  /** Why toolsets cannot be loaded, by their keys. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Leaves out toolsets that cannot be loaded or that conflict with others, so that the page shows the rest. */
export function loadableOf(snapshot: Snapshot, signal: AbortSignal): Promise<LoadableModule> {
  return snapshot.share('toolsets', signal, async () => {
    const loadable = await withoutBrokenToolsets(snapshot.served, snapshot.source.loadingMs);
    if (loadable.failed.size > 0) snapshot.expireIn(RETRY_MS);
    return loadable;
  });
}

/**
 * Loads each toolset separately and leaves out those that fail or time out. Also leaves out toolsets with a tool name of an earlier
 * toolset, which is valid if no session has both.
 */
export async function withoutBrokenToolsets(
  served: LoadedModule,
  timeoutMs = LOADING_MS,
): Promise<LoadableModule> {
  const { registry, config, toolsets: own } = served;
  const failed = new Map<string, string>();
  const whole: LoadableModule = { served, selection: {}, failed };
  if (!own && !config) return whole;
  const toolsets = own ?? new Toolsets(registry, config as ToolsetConfig, { profile: 'none' });
  const { allowed } = toolsets;
  const load = (keys: readonly string[]): Promise<unknown> =>
    withinTime(async () => toolsets.view(keys, toolsets.contextOf()), timeoutMs);
  const fail = (key: string, error: unknown): void => void failed.set(key, toLine(readMessage(error), 500));
  try {
    await Promise.all(allowed.map((key) => load([key]).catch((error: unknown) => fail(key, error))));
    const loaded = allowed.filter((key) => !failed.has(key));
    const fit = await load(loaded).then(
      () => true,
      () => false,
    );
    const kept: string[] = [];
    for (const key of fit ? [] : loaded)
      await load([...kept, key]).then(
        () => kept.push(key),
        (error: unknown) => fail(key, error),
      );
  } finally {
    if (!own) toolsets.close();
  }
  if (failed.size === 0) return whole;
  if (!config) return { ...whole, selection: { toolsets: allowed.filter((key) => !failed.has(key)) } };
  return { ...whole, served: { ...served, config: without(config, failed) } };
}

/** Rejects after a timeout. The work continues, because a loader cannot be stopped. */
export async function withinTime<T>(work: () => Promise<T>, timeoutMs = LOADING_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new Error(`It was not loaded within ${timeoutMs / 1_000} s.`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

function without(config: ToolsetConfig, failed: ReadonlyMap<string, string>): ToolsetConfig {
  const { exposurePolicy, startup } = config;
  const { toolsets } = startup;
  return {
    ...config,
    startup: Array.isArray(toolsets)
      ? { ...startup, toolsets: toolsets.filter((key: string) => !failed.has(key)) }
      : startup,
    exposurePolicy: {
      ...exposurePolicy,
      denylist: [...(exposurePolicy?.denylist ?? []), ...failed.keys()],
    },
  };
}
