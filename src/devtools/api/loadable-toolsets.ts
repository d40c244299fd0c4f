import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { Selection } from '../../analysis/target/opened-target.js';
import { Toolsets } from '../../web.js';
import type { ToolsetConfig } from '../../web.js';
import { toLine } from '../../values/to-line.js';
import { readMessage } from '../http/answers.js';
import type { Snapshot } from './snapshot.js';

/** Milliseconds for loading a toolset. The loaders are code of the author, and may never end. */
const LOADING_MS = 10_000;

/** Milliseconds until toolsets that could not be loaded are tried again. */
const RETRY_MS = 30_000;

/** A module without the toolsets that cannot be loaded. */
export interface LoadableModule {
  readonly served: LoadedModule;
  /** Selects the other toolsets of exported Toolsets, whose configuration cannot be changed. */
  readonly selection: Pick<Selection, 'toolsets'>;
  /** The reasons why toolsets cannot be loaded, by their keys. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Leaves out the toolsets that cannot be loaded, so that the page shows the others. */
export function loadableOf(snapshot: Snapshot, signal: AbortSignal): Promise<LoadableModule> {
  return snapshot.share('toolsets', signal, async () => {
    const loadable = await withoutBrokenToolsets(snapshot.served, snapshot.source.loadingMs);
    if (loadable.failed.size > 0) snapshot.expireIn(RETRY_MS);
    return loadable;
  });
}

/** Loads each toolset by itself, and leaves out those that fail or take too long. */
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
  try {
    await Promise.all(
      allowed.map(async (key) => {
        try {
          await withinTime(async () => toolsets.view([key], toolsets.contextOf()), timeoutMs);
        } catch (error) {
          failed.set(key, toLine(readMessage(error), 500));
        }
      }),
    );
  } finally {
    if (!own) toolsets.close();
  }
  if (failed.size === 0) return whole;
  if (!config) return { ...whole, selection: { toolsets: allowed.filter((key) => !failed.has(key)) } };
  return { ...whole, served: { ...served, config: without(config, failed) } };
}

/** Rejects if the work takes longer. The work goes on, because a loader cannot be stopped. */
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
