import type { ListedTool, ToolCost } from '@toolfold/analysis/internal';
import { addParts } from '@toolfold/analysis/internal';
import type { View } from 'toolfold';
import type { CostNode } from '../../page-api.js';
import { addressOfTool } from '../surface.js';

interface CostedTool {
  readonly listed: ListedTool;
  readonly cost: ToolCost;
}

/** Groups the costs by toolset, tool, group and action. A tool of several toolsets counts in the first. */
export function buildCostTree(
  view: View,
  tools: readonly CostedTool[],
  toolsets: ReadonlyMap<string, string>,
  server: string,
): CostNode[] {
  const toolsetOf = new Map<string, string>();
  for (const { key, tools: names } of view.groups)
    for (const name of names) if (!toolsetOf.has(name)) toolsetOf.set(name, key);
  const byToolset = new Map<string | undefined, CostedTool[]>();
  for (const tool of tools) push(byToolset, toolsetOf.get(tool.listed.tool.name), tool);
  const roots = [...byToolset].map(([key, own]) => {
    const children = sortNodes(toToolNodes(view, own));
    const name =
      key === undefined ? (byToolset.size === 1 ? server : 'in no toolset') : (toolsets.get(key) ?? key);
    return { name, kind: 'toolset' as const, ...sumOf(children), children };
  });
  return sortNodes(roots);
}

/** Groups the tools of the flat form under the tools that their author wrote. */
function toToolNodes(view: View, tools: readonly CostedTool[]): CostNode[] {
  const nodes: CostNode[] = [];
  const flat = new Map<string, CostNode[]>();
  const groups = new Map<string, Map<string, CostNode[]>>();
  for (const tool of tools) {
    const { listed, cost } = tool;
    const [compiled] = view.tools.get(listed.tool.name)?.actions.values() ?? [];
    // Tools that the search and code forms add have no address.
    const isOwn = view.shown?.view.tools.has(listed.tool.name) === false;
    const isAction = listed.discriminator === undefined && compiled?.key !== undefined;
    if (!isAction) {
      nodes.push(toNode(tool, isOwn));
      continue;
    }
    const node: CostNode = {
      name: compiled.key ?? cost.name,
      kind: 'action',
      address: compiled.address,
      tokens: cost.tokens,
      parts: cost.parts,
      children: [],
    };
    const { groupName } = compiled.action;
    if (groupName === undefined) push(flat, compiled.toolID, node);
    else {
      const known = groups.get(compiled.toolID) ?? new Map<string, CostNode[]>();
      groups.set(compiled.toolID, known);
      push(known, groupName, node);
      if (!flat.has(compiled.toolID)) flat.set(compiled.toolID, []);
    }
  }
  for (const [address, actions] of flat) {
    const grouped = [...(groups.get(address) ?? [])].map(([name, own]): CostNode => ({
      name,
      kind: 'group',
      ...sumOf(own),
      children: sortNodes(own),
    }));
    const children = sortNodes([...grouped, ...actions]);
    nodes.push({ name: address, kind: 'tool', address, ...sumOf(children), children });
  }
  return nodes;
}

/** Creates the node of a tool and its actions. Actions share fields, so their costs do not add up to that of the tool. */
function toNode({ listed, cost }: CostedTool, isOwn: boolean): CostNode {
  const groupOf = new Map(listed.actions.map(({ address, group }) => [address, group?.name]));
  const keyOf = new Map(listed.actions.map(({ address, key }) => [address, key]));
  const byGroup = new Map<string | undefined, CostNode[]>();
  for (const { address, tokens } of cost.actions ?? [])
    push(byGroup, groupOf.get(address), {
      name: keyOf.get(address) ?? address,
      kind: 'action',
      address,
      tokens,
      children: [],
    });
  const children = [...byGroup].flatMap(([name, actions]): CostNode[] =>
    name === undefined
      ? actions
      : [{ name, kind: 'group', tokens: tokensOf(actions), children: sortNodes(actions) }],
  );
  return {
    name: cost.name,
    kind: 'tool',
    ...(isOwn ? {} : { address: addressOfTool(listed) }),
    tokens: cost.tokens,
    parts: cost.parts,
    children: sortNodes(children),
  };
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

function sumOf(nodes: readonly CostNode[]): Pick<CostNode, 'tokens' | 'parts'> {
  const parts = nodes.flatMap((node) => node.parts ?? []);
  return { tokens: tokensOf(nodes), ...(parts.length === nodes.length ? { parts: addParts(parts) } : {}) };
}

function tokensOf(nodes: readonly CostNode[]): number {
  return nodes.reduce((sum, { tokens }) => sum + tokens, 0);
}

function sortNodes(nodes: readonly CostNode[]): CostNode[] {
  return nodes.toSorted((one, other) => other.tokens - one.tokens);
}
