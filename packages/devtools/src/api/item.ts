import type { CompiledAction } from 'toolfold/internal';
import type { McpTool } from 'toolfold/model';
import type { Finding, ItemDetail } from '../page-api.js';
import { findingsOf } from './findings.js';
import type { Snapshot } from './snapshot.js';
import { addressOfTool, findItem, surfaceOf } from './surface.js';
import type { PageSurface, SurfaceItem } from './surface.js';
import { isAbout } from './tree.js';

export async function itemOf(snapshot: Snapshot, address: string, signal: AbortSignal): Promise<ItemDetail> {
  const surface = await surfaceOf(snapshot, signal);
  const item = findItem(surface, address);
  const detail = describeItem(surface, item);
  const original = snapshot.source.upstream?.().tools.get(item.listed.tool.name);
  return original ? { ...detail, ...writtenBy(original) } : detail;
}

/** Restores the texts and schemas of another server. Keeps the name by which the page calls the tool. */
function writtenBy({
  title,
  description,
  inputSchema,
  outputSchema,
}: McpTool): Pick<ItemDetail, 'title' | 'description' | 'inputSchema' | 'outputSchema'> {
  return { title, description, inputSchema, outputSchema };
}

export async function itemFindingsOf(
  snapshot: Snapshot,
  address: string,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const surface = await surfaceOf(snapshot, signal);
  const { listed, action } = findItem(surface, address);
  const { byTool } = await findingsOf(snapshot, signal);
  const wireName = surface.lowered[surface.tools.indexOf(listed)]?.tool.name ?? listed.tool.name;
  const ofTool = byTool.get(wireName) ?? [];
  if (!action) return ofTool;
  return ofTool.filter((finding) => isAbout(finding, wireName, new Set([action.key])));
}

function describeItem({ view, toolsets }: PageSurface, { address, listed, action }: SurfaceItem): ItemDetail {
  const { tool, discriminator, version } = listed;
  const common = {
    address,
    tool: addressOfTool(listed),
    discriminator,
    toolsets: toolsets.filter(({ tools }) => tools.includes(tool.name)).map(({ key }) => key),
    version,
  };
  if (!action)
    return {
      ...common,
      kind: 'tool',
      name: tool.name,
      title: tool.title,
      description: tool.description,
      actions: listed.actions.map((each) => each.address),
      hints: listed.hints,
      scopes: [...new Set([...listed.scopes, ...listed.actions.flatMap(({ scopes }) => scopes)])],
      aliases: listed.aliases ?? [],
      taskSupport: listed.taskSupport,
      idempotencyField: listed.idempotencyField,
      inputSchema: listed.authored ?? tool.inputSchema,
      outputSchema: tool.outputSchema,
    };
  return {
    ...common,
    kind: 'action',
    name: action.key,
    title: titleOf(view.tools.get(tool.name)?.actions, action.address),
    description: action.description,
    group: action.group?.name,
    actions: [],
    hints: action.hints ?? {},
    scopes: action.scopes,
    aliases: action.aliases ?? [],
    taskSupport: action.taskSupport,
    idempotencyField: action.idempotencyField,
    inputSchema: action.inputSchema,
    outputSchema: action.outputSchema,
  };
}

function titleOf(
  actions: ReadonlyMap<string, CompiledAction> | undefined,
  address: string,
): string | undefined {
  return [...(actions?.values() ?? [])].find((compiled) => compiled.address === address)?.action.title;
}
