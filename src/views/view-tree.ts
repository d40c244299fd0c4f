import { deepFreeze } from '../values/json-value.js';
import type { CompiledAction, CompiledTool } from '../compile/compiled-tool.js';
import { flatToolOf } from '../compile/tool-forms.js';
import { hashName, toWireName } from '../protocol/wire-name.js';
import type { BaseModelInit } from '../model/base.js';
import { Group } from '../model/group.js';
import { Prompt, Resource, ResourceTemplate } from '../model/prompt-resource.js';
import { Tool } from '../model/tool.js';

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

/** A leaf of the tree that is not a tool. */
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
  return new TreeBuilder(host).build(tools, groups);
}

class TreeBuilder {
  readonly #host: ViewHost;
  /** The children of each group. */
  readonly #below = new Map<Group, { readonly groups: Map<string, Group>; readonly names: Set<string> }>();
  readonly #leaves = new Map<CompiledTool, Tool>();
  readonly #actions = new Map<CompiledAction, Tool>();

  constructor(host: ViewHost) {
    this.#host = host;
  }

  build(tools: ReadonlyMap<string, CompiledTool>, groups: readonly ViewGroup[]): Group {
    const root = new Group({ name: this.#host.name });
    const toolsets = groups.map(({ key, title, tools: names }) => {
      const group = this.#groupIn(root, 'toolset', { name: key, title });
      return [group, names] as const;
    });
    const grouped = new Set<string>();
    for (const [group, names] of toolsets) {
      for (const name of names) {
        grouped.add(name);
        this.#place(tools.get(name) as CompiledTool, group);
      }
    }
    for (const [name, compiled] of tools) if (!grouped.has(name)) this.#place(compiled, root);
    this.#addItems(root);
    for (const below of this.#below.values()) for (const group of below.groups.values()) Object.freeze(group);
    Object.freeze(root);
    return root;
  }

  /** Adds a tool to a toolset or to the root. In the flat form, the tools of a builder are in its groups. */
  #place(compiledTool: CompiledTool, parent: Group): void {
    const { discriminator, actions } = compiledTool;
    const tool = this.#leafOf(compiledTool);
    const { namespace } = tool;
    const holder = namespace === undefined ? parent : this.#groupIn(parent, 'namespace', { name: namespace });
    const [first] = actions.values();
    const isOfBuilder = first?.spec.discriminator !== undefined;
    if (!isOfBuilder || discriminator !== undefined) holder.add(tool);
    if (!isOfBuilder) return;
    const { name, title, description } = first.spec;
    const whole = this.#groupIn(holder, 'tool', { name, title, description });
    for (const compiled of actions.values()) {
      const { groupName, groupDescription } = compiled.action;
      const group =
        groupName === undefined
          ? whole
          : this.#groupIn(whole, 'group', { name: groupName, description: groupDescription });
      group.add(discriminator === undefined ? tool : this.#actionOf(compiled));
    }
  }

  /** The copy of a tool in this tree. A tool in two toolsets is one leaf with two parents. */
  #leafOf(compiled: CompiledTool): Tool {
    let leaf = this.#leaves.get(compiled);
    if (!leaf) this.#leaves.set(compiled, (leaf = deepFreeze(new Tool(compiled.tool))));
    return leaf;
  }

  /** Adds prompts and resources. Of resources with one name, those after the first are named by their URIs. */
  #addItems(root: Group): void {
    const taken = new Set<string>();
    for (const item of this.#host.listItems?.() ?? []) {
      const uri = item.kind === 'prompt' ? item.name : item.kind === 'resource' ? item.uri : item.uriTemplate;
      const name = taken.has(`${item.kind} ${item.name}`) ? uri : item.name;
      taken.add(`${item.kind} ${name}`);
      root.add(deepFreeze(copyItem(item, name)));
    }
  }

  /** An action of a grouped tool as a leaf: one for all toolsets that hold it. */
  #actionOf(compiled: CompiledAction): Tool {
    let tool = this.#actions.get(compiled);
    if (!tool) {
      const { actionName } = compiled.action;
      const isName = /^[A-Za-z0-9_.-]{1,128}$/.test(actionName);
      const name = isName ? actionName : `${toWireName(actionName)}_${hashName(actionName)}`;
      tool = deepFreeze(new Tool({ ...flatToolOf(compiled).tool, name }));
      this.#actions.set(compiled, tool);
    }
    return tool;
  }

  /** Finds or creates a group. If the name is taken, the kind is appended, as in `billing (namespace)`. */
  #groupIn(parent: Group, kind: GroupKind, init: BaseModelInit): Group {
    let below = this.#below.get(parent);
    if (!below) this.#below.set(parent, (below = { groups: new Map(), names: new Set() }));
    const key = `${kind} ${init.name}`;
    let group = below.groups.get(key);
    if (!group) {
      let { name } = init;
      while (below.names.has(name)) name += ` (${kind})`;
      below.names.add(name);
      below.groups.set(key, (group = new Group({ ...init, name })));
      parent.add(group);
    }
    return group;
  }
}

/** Copies an item under a name, so that its `parentGroups` belong to one tree only. */
export function copyItem(item: TreeItem, name: string): TreeItem {
  if (item.kind === 'prompt') return new Prompt({ ...item, name });
  return item.kind === 'resource' ? new Resource({ ...item, name }) : new ResourceTemplate({ ...item, name });
}

type GroupKind = 'toolset' | 'namespace' | 'tool' | 'group';
