import { deepFreeze, FrozenMap } from '../values/freeze.js';
import type { CompiledAction, CompiledTool } from '../compile/compiled-tool.js';
import { flatToolOf } from '../compile/tool-forms.js';
import { fingerprint, toWireName } from '../protocol/wire-name.js';
import type { BaseModelInit } from '../model/base-model.js';
import { Group } from '../model/group.js';
import { linkLater } from '../model/links.js';
import { Prompt } from '../model/prompt.js';
import { Resource, ResourceTemplate } from '../model/resource.js';
import { Tool } from '../model/tool.js';

/** A toolset of which a view shows something, and the names of those tools. */
export interface ViewGroup {
  /** The key of the toolset. */
  readonly key: string;
  /** What people read in place of the key. */
  readonly title?: string | undefined;
  /** The wire names of its tools. */
  readonly tools: readonly string[];
}

/** A tool that views share, in its place in one of them. It costs little until somebody asks where that is. */
export class PlacedTool implements CompiledTool {
  readonly #shared: CompiledTool;
  readonly #tree: ViewTree;
  #tool: Tool | undefined;

  constructor(compiled: CompiledTool, tree: ViewTree) {
    this.#shared = sharedOf(compiled);
    this.#tree = tree;
    Object.freeze(this);
  }

  get tool(): Tool {
    if (!this.#tool) {
      this.#tool = deepFreeze(new Tool(this.#shared.tool));
      linkLater(this.#tool, () => void this.#tree.root);
    }
    return this.#tool;
  }

  get forward(): CompiledTool['forward'] {
    return this.#shared.forward;
  }

  get discriminator(): CompiledTool['discriminator'] {
    return this.#shared.discriminator;
  }

  get actions(): CompiledTool['actions'] {
    return this.#shared.actions;
  }

  static sharedOf(compiled: CompiledTool): CompiledTool {
    return compiled instanceof PlacedTool ? compiled.#shared : compiled;
  }
}

/** The tool as all views have it. */
export function sharedOf(compiled: CompiledTool): CompiledTool {
  return PlacedTool.sharedOf(compiled);
}

/** What all views of a registry share. */
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
 * The tools of a view as groups of the model, which are made when somebody asks for them. Toolsets, namespaces, tools with
 * several actions and their `.group()`s are groups; `docs/reference/model.md` describes the tree.
 */
export class ViewTree {
  readonly #host: ViewHost;
  readonly #groups: readonly ViewGroup[];
  /** By wire name. */
  readonly tools: ReadonlyMap<string, PlacedTool>;
  /** The children of each group. Used while the tree is built. */
  readonly #below = new Map<Group, { readonly groups: Map<string, Group>; readonly names: Set<string> }>();
  readonly #actions = new Map<CompiledAction, Tool>();
  #root: Group | undefined;

  constructor(
    host: ViewHost,
    tools: Iterable<readonly [string, CompiledTool]>,
    groups: readonly ViewGroup[],
  ) {
    this.#host = host;
    this.#groups = groups;
    this.tools = new FrozenMap(
      Array.from(tools, ([key, compiled]): [string, PlacedTool] => [key, new PlacedTool(compiled, this)]),
    );
  }

  get root(): Group {
    if (this.#root) return this.#root;
    const root = (this.#root = new Group({ name: this.#host.name }));
    const toolsets = this.#groups.map((toolset) => {
      const group = this.#groupIn(root, 'toolset', { name: toolset.key, title: toolset.title });
      return [group, toolset.tools] as const;
    });
    const grouped = new Set<string>();
    for (const [group, names] of toolsets) {
      for (const name of names) {
        grouped.add(name);
        this.#place(this.tools.get(name) as PlacedTool, group);
      }
    }
    for (const [name, placed] of this.tools) if (!grouped.has(name)) this.#place(placed, root);
    this.#addItems(root);
    for (const { groups } of this.#below.values()) for (const group of groups.values()) Object.freeze(group);
    this.#below.clear();
    this.#actions.clear();
    Object.freeze(root);
    return root;
  }

  /** Puts a tool below a toolset or the root. In the flat form the tools of a builder stand in its groups. */
  #place({ tool, discriminator, actions }: PlacedTool, parent: Group): void {
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
      const name = isName ? actionName : `${toWireName(actionName)}_${fingerprint(actionName)}`;
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

/** Copies an item for one tree, so that its `parentGroups` belong to that tree only. */
function copyItem(item: TreeItem, name: string): TreeItem {
  if (item.kind === 'prompt') return new Prompt({ ...item, name });
  return item.kind === 'resource' ? new Resource({ ...item, name }) : new ResourceTemplate({ ...item, name });
}

type GroupKind = 'toolset' | 'namespace' | 'tool' | 'group';
