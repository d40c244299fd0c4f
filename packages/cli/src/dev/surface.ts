import type { ToolRegistry } from 'toolfold';
import type { Exposure } from 'toolfold/web';
import { countTool, createTokenCounter } from '@toolfold/testing/internal';
import { listView } from '@toolfold/analysis/internal';

type Kind = 'tools' | 'prompts' | 'resources';

export interface Surface {
  /** Maps the name of each tool, action, prompt and resource to a text that changes when clients would see a difference. */
  readonly items: ReadonlyMap<string, string>;
  readonly tools: number;
  readonly actions: number;
  readonly tokens: number;
}

export interface SurfaceChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** The lists that clients should request again. */
  readonly lists: readonly Kind[];
}

export const emptySurface: Surface = { items: new Map(), tools: 0, actions: 0, tokens: 0 };

/** Reads the surface of a server. Rejects if a toolset cannot be loaded. */
export async function readSurface(registry: ToolRegistry, exposure: Exposure): Promise<Surface> {
  const request = exposure.complete({});
  const reachable = exposure.hasToolsets ? exposure.reachableFor(request) : [];
  const all = await exposure.toolsOf(reachable, request);
  // In the search and the code form, the tools behind those that clients list.
  const whole = listView(all.shown?.view ?? all);
  const items = new Map<string, string>();
  for (const { tool, scopes, actions } of whole) {
    if (actions.length === 0) items.set(tool.name, JSON.stringify([tool, scopes]));
    for (const action of actions) items.set(action.address, JSON.stringify(action));
    // Without the schema, which consists of the schemas of the actions.
    if (actions.length > 0) items.set(tool.name, JSON.stringify({ ...tool, inputSchema: undefined }));
  }
  for (const prompt of registry.listPrompts()) items.set(`prompt ${prompt.name}`, JSON.stringify(prompt));
  for (const resource of registry.listResources())
    items.set(`resource ${resource.uri}`, JSON.stringify(resource));
  for (const template of registry.listResourceTemplates())
    items.set(`resource ${template.uriTemplate}`, JSON.stringify(template));
  const listed = (await exposure.viewFor(request)).listTools();
  const counter = createTokenCounter();
  return {
    items,
    tools: whole.length,
    actions: whole.reduce((sum, { actions }) => sum + Math.max(1, actions.length), 0),
    tokens: listed.reduce((sum, tool) => sum + countTool(tool, counter), 0),
  };
}

export function compareSurfaces(before: Surface, after: Surface): SurfaceChange {
  const added = [...after.items.keys()].filter((name) => !before.items.has(name));
  const removed = [...before.items.keys()].filter((name) => !after.items.has(name));
  const differs = [...after.items.keys()].filter(
    (name) => before.items.has(name) && before.items.get(name) !== after.items.get(name),
  );
  // Skip grouped tools, whose descriptions name their actions and change with them.
  const changed = differs.filter(
    (name) => ![...added, ...removed, ...differs].some((other) => other.startsWith(`${name}/`)),
  );
  const touched = [...added, ...removed, ...changed];
  const touches = (prefix: string): boolean => touched.some((name) => name.startsWith(prefix));
  const lists: Kind[] = ['tools'];
  if (touches('prompt ')) lists.push('prompts');
  if (touches('resource ')) lists.push('resources');
  return { added, removed, changed, lists };
}
