import type { CompiledTool } from '../../compile/compiled-tool.js';
import type { McpRequest } from '../../engine/request.js';
import { ErrInvalidResult } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { internalsOf } from '../any-registry.js';
import type { ListEntry, ListKind } from '../any-registry.js';
import { Mount } from './mount.js';

type Tools = ReadonlyMap<string, CompiledTool>;

/** An entry of a list that a mounted registry has: as that registry lists it, and with the prefixed name. */
export interface MountedEntry {
  readonly mount: Mount;
  readonly own: ListEntry;
  readonly entry: ListEntry;
}

/** Lets the middleware of each mounted registry change its part of a list. The part keeps its place in the list. */
export async function interceptParts(
  kind: ListKind,
  request: McpRequest,
  list: readonly ListEntry[],
  find: (entry: ListEntry) => MountedEntry | undefined,
  tools: Tools,
): Promise<readonly ListEntry[]> {
  const parts = new Map<Mount, MountedEntry[]>();
  const places = list.map((entry) => {
    const mounted = find(entry);
    if (!mounted || !internalsOf(mounted.mount.registry).hasMiddleware) return entry;
    const part = parts.get(mounted.mount);
    if (part) part.push(mounted);
    else parts.set(mounted.mount, [mounted]);
    return part ? undefined : mounted.mount;
  });
  const changed = new Map<unknown, readonly ListEntry[]>();
  for (const [mount, part] of parts)
    changed.set(mount, await interceptPart(kind, request, mount, part, tools));
  return places.flatMap((place) => (place instanceof Mount ? (changed.get(place) ?? []) : (place ?? [])));
}

/** Clients request resources by URI, and all other items by name. */
export function idOf(kind: ListKind, { name, uri = '', uriTemplate = '' }: ListEntry): string {
  if (kind === 'resources') return uri;
  return kind === 'resourceTemplates' ? uriTemplate : name;
}

export function findTool(entry: ListEntry, tools: Tools): MountedEntry | undefined {
  const [first] = tools.get(entry.name)?.actions.values() ?? [];
  const mount = first?.mounted?.mount;
  if (!(mount instanceof Mount)) return undefined;
  const name = mount.toolsIn(tools).names.get(entry.name) ?? entry.name;
  return { mount, own: { ...entry, name }, entry };
}

/** Runs the middleware of a mounted registry on its part of a list. Entries that the view does not show cannot be added. */
async function interceptPart(
  kind: ListKind,
  request: McpRequest,
  mount: Mount,
  part: readonly MountedEntry[],
  tools: Tools,
): Promise<readonly ListEntry[]> {
  const { registry } = mount;
  const own = part.map((item) => item.own);
  // Drop the cursor, because the registry that lists pages the combined result.
  const { cursor: _, ...params } = request.params;
  const answer = await internalsOf(registry).intercept({ ...request, params }, async (changed) => ({
    [kind]: await internalsOf(registry).interceptList(kind, changed, own, mount.toolsIn(tools).view.tools),
  }));
  const listed = isJsonObject(answer) ? answer[kind] : undefined;
  if (!Array.isArray(listed))
    throw new ErrInvalidResult(
      `A middleware of the mounted registry "${registry.name}" returned no list of ${kind}.`,
    );
  const names = new Map(part.map((item) => [idOf(kind, item.own), item.entry.name]));
  return (listed as readonly ListEntry[]).flatMap((entry) => {
    const name = names.get(idOf(kind, entry));
    return name === undefined ? [] : [{ ...entry, name }];
  });
}
