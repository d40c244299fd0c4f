import { describeMounted } from '../../toolsets/registry-views.js';
import { inSlices } from '../../analysis/steps.js';
import { listViewInSteps } from '../../analysis/target/list-tools.js';
import { openLoaded } from '../../analysis/target/open-loaded.js';
import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { ListedAction, ListedTool, ListedToolset } from '../../analysis/target/opened-target.js';
import type { View } from '../../index.js';
import { ApiFailure } from '../http/answers.js';
import type { ShownProfile } from '../page-api.js';
import { didYouMean, nearestName } from '../../values/nearest-name.js';
import { toLine } from '../../values/to-line.js';
import { loadableOf } from './loadable-toolsets.js';
import type { Snapshot } from './snapshot.js';

/** A tool or an action of the server. */
export interface SurfaceItem {
  readonly address: string;
  readonly listed: ListedTool;
  readonly action?: ListedAction | undefined;
}

/** Everything that the server offers, grouped, as its authors wrote it. */
export interface PageSurface {
  readonly tools: readonly ListedTool[];
  /** The same tools as the profile of the server lists them. */
  readonly lowered: readonly ListedTool[];
  readonly view: View;
  readonly toolsets: readonly ListedToolset[];
  /** The reasons why toolsets cannot be loaded, by their keys. */
  readonly failed: ReadonlyMap<string, string>;
  /** Tools and actions by address. */
  readonly items: ReadonlyMap<string, SurfaceItem>;
  readonly profile: ShownProfile;
}

/** Whether an export of the file sets form and profile, so that it has no others. */
export function isFixed({ exposure, toolsets }: LoadedModule): boolean {
  return (exposure ?? toolsets) !== undefined;
}

/** The address of a tool in the API: its ID. */
export function addressOfTool({ id, address, tool }: ListedTool): string {
  return address ?? id ?? tool.name;
}

/** The surface of a snapshot. */
export function surfaceOf(snapshot: Snapshot, signal: AbortSignal): Promise<PageSurface> {
  return snapshot.share('surface', signal, (shared) => openSurface(snapshot, shared));
}

async function openSurface(snapshot: Snapshot, signal: AbortSignal): Promise<PageSurface> {
  const { source } = snapshot;
  const { served, selection, failed } = await loadableOf(snapshot, signal);
  const opened = await openLoaded(source.target, served, {
    ...selection,
    ...(isFixed(served) ? {} : { form: 'grouped' }),
  });
  opened.close();
  // A search form that an export sets lists the tools of the search. The page shows those behind it.
  const view = opened.view.searched ?? opened.view;
  const authored = view.authored ?? view;
  const { outputBudget } = served.registry;
  const listed = (each: View): Promise<ListedTool[]> => inSlices(listViewInSteps(each, outputBudget), signal);
  const lowered = view === opened.view ? opened.tools : await listed(view);
  const tools = view === authored ? lowered : await listed(authored);
  return {
    tools,
    lowered,
    view: authored,
    toolsets: describeToolsets(authored, served),
    failed,
    items: indexItems(tools),
    profile: opened.view.policy.profile ?? 'portable',
  };
}

function describeToolsets({ groups }: View, { registry, config, toolsets }: LoadedModule): ListedToolset[] {
  const known = new Map<string, { readonly name?: string; readonly description?: string }>([
    ...describeMounted(registry).map((each) => [each.key, each] as const),
    ...Object.entries(config?.catalog ?? {}),
    ...(toolsets?.describe([]) ?? []).map((each) => [each.key, each] as const),
  ]);
  return groups.map(({ key, title, tools }) => {
    const { name = title, description } = known.get(key) ?? {};
    return { key, name, description, tools };
  });
}

function indexItems(tools: readonly ListedTool[]): ReadonlyMap<string, SurfaceItem> {
  const items = new Map<string, SurfaceItem>();
  for (const listed of tools) {
    const address = addressOfTool(listed);
    items.set(address, { address, listed });
    for (const action of listed.actions)
      items.set(action.address, { address: action.address, listed, action });
  }
  return items;
}

/** Finds an item by its address. Throws with the most similar address if there is none. */
export function findItem({ items }: Pick<PageSurface, 'items'>, address: string): SurfaceItem {
  const found = items.get(address);
  if (found) return found;
  throw new ApiFailure(
    `No tool or action has the address "${toLine(address, 100)}".${didYouMean(nearestName(address, items.keys()))}`,
    { status: 404 },
  );
}
