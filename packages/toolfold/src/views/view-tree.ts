import { deepFreeze } from '@toolfold/schema/internal';
import type { CompiledAction, CompiledTool } from '../compile/compiled-tool.js';
import { flatToolOf } from '../compile/tool-forms.js';
import { toWireName } from '../protocol/wire-name.js';
import { hashName } from '@toolfold/profiles/internal';
import type { BaseModelInit } from '../model/base.js';
import { Group } from '../model/group.js';
import { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { Tool } from '../model/tool.js';
import { getOrMake } from '../values/get-or-make.js';

/** A toolset of which a view shows something, and the names of those tools. */
export interface ViewGroup {
  /** The key of the toolset. */
  readonly key: string;
  /** The name that is shown to people. Default: the key. */
  readonly title?: string | undefined;
  /** The wire names of its tools. */
  readonly tools: readonly string[];
}

/** The name, the options and the items that all views of a registry share. */
export interface ViewHost {
  /** The name of the server, which is the root of the tree. */
  readonly name: string;
  /** Whether lists carry namespace, version and tags of tools in `_meta`. */
  readonly listIdentity?: boolean | undefined;
  /** Gives the prompts and resources, which every tree holds. */
  readonly listItems?: (() => readonly TreeItem[]) | undefined;
}

export type TreeItem = Prompt | Resource | ResourceTemplate;

/**
 * Builds the tree of a view: toolsets, namespaces, tools with several actions and their `.group()`s are groups.
 * `docs/reference/model.md` describes the tree. Views share their tools, so the tree holds copies of them, whose
 * `parentGroups` belong to this tree only.
 */
export function buildTree(
  host: ViewHost,
  tools: ReadonlyMap<string, CompiledTool>,
  groups: readonly ViewGroup[],
): Group {
  const known = new Map<Group, { readonly groups: Map<string, Group>; readonly names: Set<string> }>();
  const leaves = new Map<CompiledTool, Tool>();
  const actionLeaves = new Map<CompiledAction, Tool>();
  const root = new Group({ name: host.name });

  /** The copy of a tool in this tree. A tool in two toolsets is one leaf with two parents. */
  const leafOf = (compiled: CompiledTool): Tool =>
    getOrMake(leaves, compiled, () => deepFreeze(new Tool(compiled.tool)));

  /** Adds a tool to a toolset or to the root. In the flat form, the tools of a builder are in its groups. */
  function place(compiledTool: CompiledTool, parent: Group): void {
    const { discriminator, actions } = compiledTool;
    const tool = leafOf(compiledTool);
    const { namespace } = tool;
    const [first] = actions.values();
    for (const path of first?.spec.paths ?? []) {
      let group = parent;
      for (const { name, title, description } of path)
        group = groupIn(group, 'group', { name, title, description });
      group.add(tool);
    }
    if (first?.spec.paths) return;
    const holder = namespace === undefined ? parent : groupIn(parent, 'namespace', { name: namespace });
    const isOfBuilder = first?.spec.discriminator !== undefined;
    if (!isOfBuilder || discriminator !== undefined) holder.add(tool);
    if (!isOfBuilder) return;
    const { name, title, description } = first.spec;
    const whole = groupIn(holder, 'tool', { name, title, description });
    for (const compiled of actions.values()) {
      const { groupName, groupDescription } = compiled.action;
      const group =
        groupName === undefined
          ? whole
          : groupIn(whole, 'group', { name: groupName, description: groupDescription });
      group.add(discriminator === undefined ? tool : actionOf(compiled));
    }
  }

  /** An action of a grouped tool as a leaf: one for all toolsets that hold it. */
  function actionOf(compiled: CompiledAction): Tool {
    return getOrMake(actionLeaves, compiled, () => {
      const { actionName } = compiled.action;
      const isName = /^[A-Za-z0-9_.-]{1,128}$/.test(actionName);
      const name = isName ? actionName : `${toWireName(actionName)}_${hashName(actionName)}`;
      return deepFreeze(new Tool({ ...flatToolOf(compiled).tool, name }));
    });
  }

  /** Finds or creates a group. If the name is taken, the kind is appended, as in `billing (namespace)`. */
  function groupIn(parent: Group, kind: GroupKind, init: BaseModelInit): Group {
    const below = getOrMake(known, parent, () => ({ groups: new Map(), names: new Set() }));
    return getOrMake(below.groups, `${kind} ${init.name}`, () => {
      let { name } = init;
      while (below.names.has(name)) name += ` (${kind})`;
      below.names.add(name);
      const group = new Group({ ...init, name });
      parent.add(group);
      return group;
    });
  }

  for (const { key, title, tools: names } of groups) {
    const group = groupIn(root, 'toolset', { name: key, title });
    for (const name of names) place(tools.get(name) as CompiledTool, group);
  }
  const grouped = new Set(groups.flatMap((group) => group.tools));
  for (const [name, compiled] of tools) if (!grouped.has(name)) place(compiled, root);
  addItems(root, host.listItems?.() ?? []);
  for (const below of known.values()) for (const group of below.groups.values()) Object.freeze(group);
  Object.freeze(root);
  return root;
}

/** Adds prompts and resources. Of resources with one name, those after the first are named by their URIs. */
function addItems(root: Group, items: readonly TreeItem[]): void {
  const taken = new Set<string>();
  for (const item of items) {
    const uri = item.kind === 'prompt' ? item.name : item.kind === 'resource' ? item.uri : item.uriTemplate;
    const name = taken.has(`${item.kind} ${item.name}`) ? uri : item.name;
    taken.add(`${item.kind} ${name}`);
    root.add(deepFreeze(copyItem(item, name)));
  }
}

/** Copies an item under a name, so that its `parentGroups` belong to one tree only. */
export function copyItem(item: TreeItem, name: string): TreeItem {
  if (item.kind === 'prompt') return new Prompt({ ...item, name });
  return item.kind === 'resource' ? new Resource({ ...item, name }) : new ResourceTemplate({ ...item, name });
}

type GroupKind = 'toolset' | 'namespace' | 'tool' | 'group';
