import { FrozenMap } from '../../compile/compiled-tool.js';
import type { ActionMount, CompiledAction, CompiledSpec, CompiledTool } from '../../compile/compiled-tool.js';
import { flatNameOf, withFormerKeys } from '../../compile/tool-forms.js';
import type { ExecuteRequest } from '../../engine/request.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { wireNameOf } from '../../protocol/wire-name.js';
import { copyTool } from '../../views/lower-view.js';
import { copyItem } from '../../views/view-tree.js';
import type { TreeItem } from '../../views/view-tree.js';
import { createView } from '../../views/view.js';
import type { View } from '../../views/view.js';
import { formerAddressesOf } from '../../compile/compile-item.js';
import { internalsOf } from '../any-registry.js';
import type { AnyRegistry } from '../any-registry.js';
import type { MountedTools, MountedToolset, RegisteredSpec } from '../registered-tools.js';
import { getOrMake } from '../../values/get-or-make.js';

type Tools = ReadonlyMap<string, CompiledTool>;

/** The tools of a mounted registry that one view of the other registry shows. */
interface OwnTools {
  /** Holds the tools under the names that the mounted registry gives them. */
  readonly view: View;
  /** Names in the mounted registry, by prefixed name. */
  readonly names: ReadonlyMap<string, string>;
}

export class Mount implements ActionMount, MountedTools {
  readonly prefix: string;
  readonly registry: AnyRegistry;
  readonly toolset: MountedToolset | undefined;
  readonly #tagsOf: (compiled: CompiledAction) => ReadonlySet<string>;
  /** Prefixed tools, made once, because the caches of compiled tools use them as keys. */
  readonly #prefixed = new WeakMap<CompiledSpec, RegisteredSpec>();
  readonly #ownTools = new WeakMap<Tools, OwnTools>();

  /** `tagsOf` applies the tag strategy of the registry in which this one is mounted. */
  constructor(
    prefix: string,
    registry: AnyRegistry,
    toolset: MountedToolset | undefined,
    tagsOf: (compiled: CompiledAction) => ReadonlySet<string>,
  ) {
    this.prefix = prefix;
    this.registry = registry;
    this.toolset = toolset;
    this.#tagsOf = tagsOf;
  }

  get specs(): readonly RegisteredSpec[] {
    return internalsOf(this.registry)
      .tools.all()
      .map((spec) => this.#prefix(spec));
  }

  nameOf(name: string): string {
    return `${this.prefix}_${name}`;
  }

  items(): TreeItem[] {
    const items = internalsOf(this.registry).viewHost.listItems?.() ?? [];
    return items.map((item) => copyItem(item, this.nameOf(item.name)));
  }

  /** Runs a call in the mounted registry. Its middleware can reach only the tools that the caller's view shows. */
  run(tools: Tools, request: ExecuteRequest): Promise<CallToolResult> {
    const own = this.toolsIn(tools);
    // Resolve an alias to the current name of the tool.
    const listed = tools.get(request.name)?.wireName ?? request.name;
    const name = own.names.get(listed) ?? request.name;
    return this.registry.executeTool({ ...request, name }, own.view, () => own.view);
  }

  toolsIn(tools: Tools): OwnTools {
    return getOrMake(this.#ownTools, tools, () => {
      const held = [...tools].flatMap(([name, tool]) => {
        const [first] = tool.actions.values();
        return first?.mounted?.mount === this
          ? [[name, toOwnTool(tool, first.mounted.compiled)] as const]
          : [];
      });
      const byOwnName = new Map(held.map(([, tool]) => [tool.wireName, tool]));
      return {
        view: createView({ host: internalsOf(this.registry).viewHost, policy: {}, tools: byOwnName }),
        names: new Map(held.map(([name, { wireName }]) => [name, wireName])),
      };
    });
  }

  /** Adds the prefix to the namespace of a tool, from which its ID, its addresses and its names in all forms are made. */
  #prefix(compiled: CompiledSpec): RegisteredSpec {
    return getOrMake(this.#prefixed, compiled, () => {
      const own = compiled.spec.namespace;
      const namespace = own === undefined ? this.prefix : `${this.prefix}.${own}`;
      const spec = Object.freeze({ ...compiled.spec, namespace });
      const toolID = `${namespace}:${spec.name}`;
      const actions = [...compiled.actions].map(([key, action]) => {
        const address = `${toolID}${action.address.slice(action.toolID.length)}`;
        const tags = this.#tagsOf(action);
        const mounted = { compiled: action, mount: this };
        const formerAddresses = formerAddressesOf(spec, action.action);
        return [
          key,
          Object.freeze({ ...action, spec, toolID, address, formerAddresses, tags, mounted }),
        ] as const;
      });
      return {
        spec,
        actions: new FrozenMap<string, CompiledAction>(actions),
        registeredAt: ` in "${this.registry.name}" (mounted as "${this.prefix}")`,
      };
    });
  }
}

/** A tool as the mounted registry names it, with the actions that the view shows. Calls need no more than that. */
function toOwnTool(tool: CompiledTool, first: CompiledAction): CompiledTool {
  const { spec } = first;
  const isFlat = tool.discriminator === undefined;
  const name = isFlat ? flatNameOf(first) : wireNameOf({ namespace: spec.namespace, name: tool.tool.name });
  const actions = Array.from(
    tool.actions,
    ([key, { mounted }]) => [key, mounted?.compiled as CompiledAction] as const,
  );
  return copyTool(tool, name, {
    actions: withFormerKeys(actions, tool.discriminator),
    readForward: () => undefined,
  });
}
