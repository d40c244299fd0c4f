import { runInSlices } from '@toolfold/search/internal';
import { DEFAULT_PROFILE, describeMounted, internalsOf, toLine } from 'toolfold/internal';
import { listViewInSteps, openLoaded } from '@toolfold/analysis/internal';
import type { ListedAction, ListedTool, ListedToolset, LoadedModule } from '@toolfold/analysis/internal';
import type { View } from 'toolfold';
import { ApiFailure } from '../http/answers.js';
import type { ShownProfile } from '../page-api.js';
import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { loadableOf } from './loadable-toolsets.js';
import type { Snapshot } from './snapshot.js';

export interface SurfaceItem {
  readonly address: string;
  readonly listed: ListedTool;
  readonly action?: ListedAction | undefined;
}

/** All tools of the server in the grouped form, as their authors wrote them. */
export interface PageSurface {
  readonly tools: readonly ListedTool[];
  /** The same tools lowered for the profile of the server. */
  readonly lowered: readonly ListedTool[];
  readonly view: View;
  readonly toolsets: readonly ListedToolset[];
  /** Why toolsets cannot be loaded, by their keys. */
  readonly failed: ReadonlyMap<string, string>;
  /** Tools and actions by address. */
  readonly items: ReadonlyMap<string, SurfaceItem>;
  readonly profile: ShownProfile;
}

/** Whether an export of the file fixes the form and profile. */
export function isFixed({ exposure, toolsets }: LoadedModule): boolean {
  return (exposure ?? toolsets) !== undefined;
}

/** The API addresses a tool by its id if it has one. */
export function addressOfTool({ id, address, tool }: ListedTool): string {
  return address ?? id ?? tool.name;
}

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
  // With an exported search form, show the tools that it finds instead of the search tools.
  const view = opened.view.shown?.view ?? opened.view;
  const authored = view.authored ?? view;
  const { outputBudget } = internalsOf(served.registry);
  const listed = (each: View): Promise<ListedTool[]> =>
    runInSlices(listViewInSteps(each, outputBudget), signal);
  const lowered = view === opened.view ? opened.tools : await listed(view);
  const tools = view === authored ? lowered : await listed(authored);
  return {
    tools,
    lowered,
    view: authored,
    toolsets: describeToolsets(authored, served),
    failed,
    items: indexItems(tools),
    profile: opened.view.policy.profile ?? DEFAULT_PROFILE,
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

/** Finds an item by its address. The error suggests the most similar address. */
export function findItem({ items }: Pick<PageSurface, 'items'>, address: string): SurfaceItem {
  const found = items.get(address);
  if (found) return found;
  throw new ApiFailure(
    `No tool or action has the address "${toLine(address, 100)}".${didYouMean(nearestName(address, items.keys()))}`,
    { status: 404 },
  );
}
