import { runInSlices } from '@toolfold/search/internal';
import { eachInSteps, inParts } from '@toolfold/analysis/internal';
import type { Finding } from '@toolfold/analysis';
import type { ListedAction, ListedTool } from '@toolfold/analysis/internal';
import type { McpTool } from 'toolfold/model';
import { clip } from '@toolfold/schema/internal';
import type { UpstreamList } from '../page-source.js';
import type { FindingCounts, Tree, TreeFindings, TreeNode, TreeTokens } from '../page-api.js';
import { findingsOf, placesOf } from './findings.js';
import type { Findings } from './findings.js';
import { asListed } from './form/as-listed.js';
import { counterOf } from './form/counter.js';
import type { Snapshot } from './snapshot.js';
import { addressOfTool, surfaceOf } from './surface.js';
import type { PageSurface } from './surface.js';

const MAX_DESCRIPTION = 200;

/** A tool as written, and lowered for the profile of the server. */
interface ToolPair {
  readonly listed: ListedTool;
  readonly lowered: ListedTool;
  /** Name and description as the page shows them. */
  readonly shown: Pick<McpTool, 'name' | 'description'>;
}

/** A node of the tree with its tools, and with its actions if it is a part of a tool. */
interface Branch {
  readonly node: TreeNode;
  readonly tools: readonly ToolPair[];
  readonly actions?: readonly ListedAction[] | undefined;
}

/** Returns the tree without tokens and findings, which take long to compute for many tools. */
export async function treeOf(snapshot: Snapshot, signal: AbortSignal): Promise<Tree> {
  const branches = await branchesOf(snapshot, signal);
  return { revision: snapshot.revision, nodes: branches.map(({ node }) => node) };
}

/** Counts the tokens of each tool and toolset. */
export function treeTokensOf(snapshot: Snapshot, signal: AbortSignal): Promise<TreeTokens> {
  return snapshot.share('tree tokens', signal, async (shared) => {
    const branches = await branchesOf(snapshot, shared);
    const { lowered, profile } = await surfaceOf(snapshot, shared);
    const counter = await counterOf(snapshot, shared);
    const shown = asListed(
      snapshot,
      { form: 'grouped', profile },
      lowered.map(({ tool }) => tool),
    );
    const counts = await inParts(shown, counter.count, shared);
    const tokensOf = new Map(lowered.map((each, at) => [each, counts[at] ?? 0]));
    const byNode = branches
      .filter(({ node }) => node.kind === 'toolset' || node.kind === 'tool')
      .map(({ node, tools }) => [node.id, sum(tools.map((tool) => tokensOf.get(tool.lowered) ?? 0))]);
    return { total: sum(counts), byNode: Object.fromEntries(byNode) as TreeTokens['byNode'] };
  });
}

/** Counts the linter's findings for each node. */
export function treeFindingsOf(snapshot: Snapshot, signal: AbortSignal): Promise<TreeFindings> {
  return snapshot.share('tree findings', signal, async (shared) => {
    const branches = await branchesOf(snapshot, shared);
    const findings = await findingsOf(snapshot, shared);
    const counted = await runInSlices(
      eachInSteps(branches, (branch) => [branch.node.id, countFindings(branch, findings)] as const),
      shared,
    );
    const byNode = Object.fromEntries(counted.filter(([, counts]) => counts !== undefined));
    return { ofList: findings.ofList, byNode: byNode as TreeFindings['byNode'] };
  });
}

function branchesOf(snapshot: Snapshot, signal: AbortSignal): Promise<readonly Branch[]> {
  return snapshot.share('tree', signal, async (shared) =>
    runInSlices(buildBranches(await surfaceOf(snapshot, shared), snapshot.source.upstream?.()), shared),
  );
}

function* buildBranches(
  { tools, lowered, toolsets }: PageSurface,
  upstream: UpstreamList | undefined,
): Generator<void, Branch[]> {
  const byName = new Map(
    tools.map((listed, at): [string, ToolPair] => {
      const { name } = listed.tool;
      // Use the server's own name for the tool, because that is what people look for.
      const shown = upstream?.tools.get(name) ?? listed.tool;
      return [name, { listed, lowered: lowered[at] ?? listed, shown }];
    }),
  );
  const branches: Branch[] = [];
  const placed = new Set<string>();
  for (const { key, name, description, tools: names } of toolsets) {
    const id = `toolset:${key}`;
    const own = names.flatMap((each) => byName.get(each) ?? []);
    const below: Branch[] = [];
    for (const pair of own) {
      placed.add(pair.listed.tool.name);
      below.push(...toToolBranches(pair, `${id}/`, 1));
      yield;
    }
    const node: TreeNode = {
      id,
      kind: 'toolset',
      depth: 0,
      size: below.length,
      name: name ?? key,
      ...describe(description),
      scopes: unionOf(own.map(({ listed }) => scopesIn(listed))),
    };
    branches.push({ node, tools: own });
    for (const branch of below) branches.push(branch);
  }
  for (const [name, pair] of byName) {
    if (!placed.has(name)) branches.push(...toToolBranches(pair, '', 0));
    yield;
  }
  return branches;
}

/** Returns the branch of a tool, followed by its groups and actions. */
function toToolBranches(pair: ToolPair, path: string, depth: number): Branch[] {
  const { tool, hints } = pair.listed;
  const id = `${path}tool:${tool.name}`;
  const below = toActionBranches(pair, id, depth + 1);
  const node: TreeNode = {
    id,
    kind: 'tool',
    depth,
    size: below.length,
    name: pair.shown.name,
    address: addressOfTool(pair.listed),
    ...describe(pair.shown.description),
    hints,
    scopes: scopesIn(pair.listed),
  };
  return [{ node, tools: [pair] }, ...below];
}

/** Returns the actions of a tool. The actions of a group follow it, at the place of its first action. */
function toActionBranches(pair: ToolPair, path: string, depth: number): Branch[] {
  const byGroup = new Map<string, ListedAction[]>();
  for (const action of pair.listed.actions) {
    const key = action.group === undefined ? `action:${action.key}` : `group:${action.group.name}`;
    const known = byGroup.get(key);
    if (known) known.push(action);
    else byGroup.set(key, [action]);
  }
  return [...byGroup].flatMap(([key, actions]) => {
    const group = actions[0]?.group;
    if (!group) return actions.map((action) => toActionBranch(pair, action, path, depth));
    const id = `${path}/${key}`;
    const node: TreeNode = {
      id,
      kind: 'group',
      depth,
      size: actions.length,
      name: group.name,
      ...describe(group.description),
      scopes: unionOf(actions.map(({ scopes }) => scopes)),
    };
    return [
      { node, tools: [pair], actions },
      ...actions.map((action) => toActionBranch(pair, action, id, depth + 1)),
    ];
  });
}

function toActionBranch(pair: ToolPair, action: ListedAction, path: string, depth: number): Branch {
  const { key, address, description, hints, scopes } = action;
  const node: TreeNode = {
    id: `${path}/action:${key}`,
    kind: 'action',
    depth,
    size: 0,
    name: key,
    address,
    ...describe(description),
    hints,
    scopes,
  };
  return { node, tools: [pair], actions: [action] };
}

/** Counts the findings of a node by severity; `undefined` if there are none. Counts a finding about two tools of a toolset once. */
function countFindings({ tools, actions }: Branch, { byTool }: Findings): FindingCounts | undefined {
  const keys = actions && new Set(actions.map(({ key }) => key));
  const counts = { error: 0, warning: 0, note: 0 };
  const found = new Set<Finding>();
  for (const { lowered } of tools)
    for (const finding of byTool.get(lowered.tool.name) ?? [])
      if (!keys || isAbout(finding, lowered.tool.name, keys)) found.add(finding);
  for (const { severity } of found) counts[severity]++;
  return found.size === 0 ? undefined : counts;
}

/** Whether a finding is about one of the given actions. */
export function isAbout(finding: Finding, tool: string, actions: ReadonlySet<string>): boolean {
  return placesOf(finding).some(
    (place) => place.tool === tool && place.action !== undefined && actions.has(place.action),
  );
}

function scopesIn({ scopes, actions }: ListedTool): readonly string[] {
  return actions.length === 0 ? scopes : unionOf(actions.map((action) => action.scopes));
}

function unionOf(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())].toSorted();
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function describe(description: string | undefined): { description?: string } {
  return description === undefined || description === ''
    ? {}
    : { description: clip(description, MAX_DESCRIPTION) };
}
