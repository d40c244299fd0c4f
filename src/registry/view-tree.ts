import { deepFreeze } from '../compile/deep-freeze.js';
import { FrozenMap } from '../compile/frozen-map.js';
import type { CompiledTool } from '../compile/tool-definition-compiler.js';
import { Group } from '../model/group.js';
import { linkLater } from '../model/links.js';
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

/** The tools of a view as groups of the model, which are made when somebody asks for them. */
export class ViewTree {
  readonly #name: string;
  readonly #groups: readonly ViewGroup[];
  /** By name. */
  readonly tools: ReadonlyMap<string, PlacedTool>;
  #root: Group | undefined;

  constructor(name: string, tools: Iterable<readonly [string, CompiledTool]>, groups: readonly ViewGroup[]) {
    this.#name = name;
    this.#groups = groups;
    this.tools = new FrozenMap(
      Array.from(tools, ([key, compiled]): [string, PlacedTool] => [key, new PlacedTool(compiled, this)]),
    );
  }

  get root(): Group {
    if (this.#root) return this.#root;
    const root = (this.#root = new Group({ name: this.#name }));
    const grouped = new Set<string>();
    for (const { key, title, tools } of this.#groups) {
      const group = new Group({ name: key, title });
      root.add(group);
      for (const name of tools) {
        grouped.add(name);
        group.add((this.tools.get(name) as PlacedTool).tool);
      }
      Object.freeze(group);
    }
    for (const [name, placed] of this.tools) if (!grouped.has(name)) root.add(placed.tool);
    Object.freeze(root);
    return root;
  }
}
