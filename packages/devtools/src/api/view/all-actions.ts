import type { CompiledAction } from 'toolfold/internal';
import type { ToolRegistry, View } from 'toolfold';
import { Toolsets } from 'toolfold/web';
import type { OfferedView, ToolsetConfig } from 'toolfold/web';
import { ApiFailure } from '../../http/answers.js';
import { withinTime } from '../loadable-toolsets.js';
import type { Snapshot } from '../snapshot.js';
import { internalsOf } from 'toolfold/internal';

/** An action of the server, whether or not callers can reach it. */
export interface KnownAction {
  readonly compiled: CompiledAction;
  /** Keys of the toolsets that contain it. Empty if the action is in the registry itself. */
  readonly toolsets: readonly string[];
}

/** The configuration of a server: from its Exposure, its Toolsets, or the options of `devtools`. */
export interface ServerConfig {
  readonly view: OfferedView;
  readonly toolsets: ToolsetConfig | undefined;
  readonly hidesScopes: boolean;
}

export function configOf({ served }: Snapshot): ServerConfig {
  const { exposure, toolsets, config, view, scopes } = served;
  if (exposure)
    throw new ApiFailure('The Exposure of the file was created by another version of Toolfold.', {
      status: 422,
      hint: 'Install one version of toolfold.',
    });
  if (toolsets) return { view: toolsets.policy, toolsets: toolsets.config, hidesScopes: false };
  return { view: view ?? {}, toolsets: config, hidesScopes: scopes === 'hide' };
}

/** Collects every action of a server by address. */
export function allActions(
  snapshot: Snapshot,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, KnownAction>> {
  return snapshot.share('actions', signal, () => readActions(snapshot));
}

async function readActions(snapshot: Snapshot): Promise<ReadonlyMap<string, KnownAction>> {
  const { registry } = snapshot.loaded;
  const { tools } = internalsOf(registry);
  const actions = new Map<string, KnownAction>();
  for (const spec of tools.all()) {
    const toolsets = tools.toolsetsOf(spec).map(({ key }) => key);
    for (const compiled of spec.actions.values()) actions.set(compiled.address, { compiled, toolsets });
  }
  const { toolsets } = configOf(snapshot);
  if (toolsets) await addToolsets(registry, toolsets, actions, snapshot.source.loadingMs);
  return actions;
}

/** Adds the tools of all toolsets, including those that the policy denies. */
async function addToolsets(
  registry: ToolRegistry,
  config: ToolsetConfig,
  actions: Map<string, KnownAction>,
  loadingMs: number | undefined,
): Promise<void> {
  const { exposurePolicy: { namespaceToolsWithSetKey } = {}, ...rest } = config;
  const toolsets = new Toolsets(
    registry,
    {
      ...rest,
      startup: { mode: 'STATIC', toolsets: [] },
      exposurePolicy: namespaceToolsWithSetKey === undefined ? {} : { namespaceToolsWithSetKey },
    },
    { profile: 'none' },
  );
  try {
    for (const key of toolsets.allowed) {
      const view = await viewOf(toolsets, key, loadingMs);
      const names = view?.groups.find((group) => group.key === key)?.tools ?? [];
      for (const name of names)
        for (const compiled of view?.tools.get(name)?.actions.values() ?? []) {
          const { toolsets: before = [] } = actions.get(compiled.address) ?? {};
          actions.set(compiled.address, { compiled, toolsets: [...new Set([...before, key])] });
        }
    }
  } finally {
    toolsets.close();
  }
}

/** Returns the tools of a toolset, or `undefined` if the toolset cannot be loaded. */
async function viewOf(
  toolsets: Toolsets,
  key: string,
  loadingMs: number | undefined,
): Promise<View | undefined> {
  try {
    return await withinTime(async () => toolsets.view([key], toolsets.contextOf()), loadingMs);
  } catch {
    return undefined;
  }
}
