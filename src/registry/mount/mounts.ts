import { parseUriTemplate } from '../../define/resources.js';
import type { ReadResourceResult, Resources, UriTemplate } from '../../define/resources.js';
import type { GetPromptResult, Prompts } from '../../define/prompts.js';
import type { CompiledTool } from '../../compile/compiled-tool.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../../engine/request.js';
import { ErrDuplicateName, ErrInvalidOptions } from '../../errors.js';
import type { McpPrompt, McpResource, McpResourceTemplate } from '../../protocol/mcp-types.js';
import type { RegistryChange } from '../../stores/contracts.js';
import { describeValue } from '../../values/describe-value.js';
import { assertOptions, record, text } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import type { TreeItem } from '../../views/view-tree.js';
import type { AnyRegistry, ListEntry, ListKind } from '../any-registry.js';
import { assertRegistry } from '../assert-registry.js';
import type { Completion, CompletionRequest } from '../complete.js';
import type { MountedToolset } from '../registered-tools.js';
import type { RegistryChanges } from '../registry-changes.js';
import { findTool, idOf, interceptParts } from './intercept-list.js';
import type { MountedEntry } from './intercept-list.js';
import { Mount } from './mount.js';

/** The options of `mount`. */
export interface MountOptions {
  /**
   * Makes the mounted tools a toolset, which clients select and enable by the prefix. Default: none, and the tools are listed
   * beside the registered ones.
   */
  readonly toolset?: MountedToolset;
}

const rules: Rules<keyof MountOptions> = { toolset: record('{ name, description, decisionCriteria }') };
const toolsetRules: Rules<keyof MountedToolset> = { name: text, description: text, decisionCriteria: text };
const PREFIX = /^[A-Za-z0-9][\w-]{0,63}$/;

type Tools = ReadonlyMap<string, CompiledTool>;
type ItemKind = Exclude<ListKind, 'tools'>;

type Items = Readonly<Record<ItemKind, Map<string, MountedEntry>>>;

/** The registries that are mounted in one registry, and their prompts and resources. */
export class Mounts {
  readonly #host: AnyRegistry;
  readonly #prompts: Prompts;
  readonly #resources: Resources;
  readonly #changes: RegistryChanges;
  readonly #mounts = new Map<string, { readonly mount: Mount; readonly stop: () => void }>();
  #items: Items = noItems();
  #templates: readonly (readonly [UriTemplate, Mount])[] = [];
  readonly #lists = new Map<ItemKind, readonly ListEntry[]>();
  /** Conflicts that were reported, by message. */
  #conflicts: ReadonlySet<string> = new Set();

  /** `host` is the registry in which the others are mounted; the rest belongs to it. */
  constructor(host: AnyRegistry, prompts: Prompts, resources: Resources, changes: RegistryChanges) {
    this.#host = host;
    this.#prompts = prompts;
    this.#resources = resources;
    this.#changes = changes;
  }

  get registries(): ReadonlyMap<string, AnyRegistry> {
    return new Map(Array.from(this.#mounts, ([prefix, { mount }]) => [prefix, mount.registry]));
  }

  get hasMiddleware(): boolean {
    for (const { mount } of this.#mounts.values()) if (mount.registry.hasMiddleware) return true;
    return false;
  }

  /** Mounts a registry. Throws, and mounts nothing, if a name is taken or if the registry would contain itself. */
  add(prefix: string, registry: AnyRegistry, options: MountOptions): void {
    const host = this.#host;
    if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
      throw new ErrInvalidOptions(
        `mount needs a prefix of at most 64 letters, digits, _ and -, but got ${describeValue(prefix)}.`,
        { hint: "Write registry.mount('billing', other)." },
      );
    }
    assertOptions('mount', options, rules);
    const { toolset } = options;
    if (toolset)
      assertOptions('mount: toolset', toolset, toolsetRules, { required: ['name', 'description'] });
    assertRegistry('registry.mount', registry);
    if (contains(registry, host)) {
      throw new ErrInvalidOptions(
        `"${registry.name}" cannot be mounted in "${host.name}", because it would contain itself.`,
        { hint: 'Mount both in a third registry.' },
      );
    }
    if (this.#mounts.has(prefix))
      throw new ErrDuplicateName(`A registry is already mounted as "${prefix}".`, {
        details: { name: prefix },
      });
    if (toolset) host.tools.assertToolsetsOpen(prefix);
    const mount = new Mount(prefix, registry, toolset && { ...toolset }, (action) =>
      host.tools.tagsOf(action),
    );
    this.#mounts.set(prefix, { mount, stop: ignore });
    try {
      const conflict = this.#refresh();
      if (conflict) throw conflict;
    } catch (error) {
      this.#mounts.delete(prefix);
      this.#refresh();
      throw error;
    }
    this.#mounts.set(prefix, { mount, stop: listen(registry, new WeakRef(this)) });
    this.#announce(registry);
  }

  remove(prefix: string): boolean {
    const held = this.#mounts.get(prefix);
    if (!held) return false;
    held.stop();
    this.#mounts.delete(prefix);
    this.#refresh();
    this.#announce(held.mount.registry);
    return true;
  }

  /** Throws if a mounted registry has the name of a prompt, or the URI of a resource. */
  assertFree(kind: ItemKind, id: string | undefined): void {
    const item = id === undefined ? undefined : this.#items[kind].get(id);
    if (item) throw conflictOf(kind, id as string, item, this.#host);
  }

  count(...kinds: readonly ItemKind[]): number {
    return kinds.reduce((sum, kind) => sum + this.#items[kind].size, 0);
  }

  treeItems(): TreeItem[] {
    const shown = ({ kind, ...item }: TreeItem & { uri?: string; uriTemplate?: string }): boolean =>
      kind === 'prompt'
        ? this.#items.prompts.has(item.name)
        : this.#items.resources.has(item.uri ?? '') ||
          this.#items.resourceTemplates.has(item.uriTemplate ?? '');
    return [...this.#mounts.values()].flatMap(({ mount }) => mount.items().filter(shown));
  }

  /** A list of the registry, followed by the entries of mounted registries. */
  list<T extends McpPrompt | McpResource | McpResourceTemplate>(
    kind: ItemKind,
    own: readonly T[],
  ): readonly T[] {
    if (this.#items[kind].size === 0) return own;
    let list = this.#lists.get(kind);
    if (!list) {
      list = Object.freeze([...own, ...Array.from(this.#items[kind].values(), ({ entry }) => entry)]);
      this.#lists.set(kind, list);
    }
    return list as readonly T[];
  }

  /** Drops the lists, because the registry's own prompts or resources have changed. */
  forgetLists(): void {
    this.#lists.clear();
  }

  /** Gets a prompt of a mounted registry; `undefined` if none has it. */
  getPrompt({ name, arguments: args, ...request }: ExecuteRequest): Promise<GetPromptResult> | undefined {
    const item = this.#items.prompts.get(name);
    if (!item) return undefined;
    const { registry } = item.mount;
    const params = { name: item.own.name, arguments: args };
    return registry.intercept({ ...request, method: 'prompts/get', params }, ({ params: given, ...rest }) =>
      registry.getPrompt({
        ...rest,
        name: String(given['name']),
        arguments: given['arguments'] as typeof args,
      }),
    ) as Promise<GetPromptResult>;
  }

  /** Reads a resource of a mounted registry; `undefined` if none has it. Plain resources take precedence over templates. */
  readResource({
    uri,
    ...request
  }: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult> | undefined {
    const registry = this.#holderOf(uri)?.registry;
    return registry?.intercept(
      { ...request, method: 'resources/read', params: { uri } },
      ({ params, ...rest }) => registry.readResource({ ...rest, uri: String(params['uri']) }),
    ) as Promise<ReadResourceResult> | undefined;
  }

  /** The mounted registry that reads a resource; `undefined` if none has it. */
  registryOf(uri: string): AnyRegistry | undefined {
    return this.#holderOf(uri)?.registry;
  }

  /** Whether a mounted registry serves the methods of a kind. */
  offers(kind: 'prompts' | 'resources'): boolean {
    for (const { mount } of this.#mounts.values()) if (mount.registry.offers[kind]) return true;
    return false;
  }

  #holderOf(uri: string): Mount | undefined {
    const own = this.#resources.find(uri);
    if (own === 'resource') return undefined;
    const exact = this.#items.resources.get(uri)?.mount;
    return exact ?? (own ? undefined : this.#templates.find(([template]) => template.match(uri))?.[1]);
  }

  /** Completes an argument of a prompt or template of a mounted registry; `undefined` if none has it. */
  complete(request: CompletionRequest, options: RequestOptions): Promise<Completion> | undefined {
    const { ref } = request;
    const isPrompt = ref.type === 'ref/prompt';
    const item = isPrompt ? this.#items.prompts.get(ref.name) : this.#items.resourceTemplates.get(ref.uri);
    if (!item) return undefined;
    const { registry } = item.mount;
    const params = isPrompt ? { ...request, ref: { ...ref, name: item.own.name } } : request;
    const asked = { ...options, method: 'completion/complete', params: { ...params } };
    return registry
      .intercept(asked, async ({ params: given, ...rest }) => ({
        completion: await registry.complete(given as unknown as CompletionRequest, rest),
      }))
      .then((answer) => (answer as { completion: Completion }).completion);
  }

  /** Lets the middleware of mounted registries change their parts of a list. */
  async interceptList(
    kind: ListKind,
    request: McpRequest,
    list: readonly ListEntry[],
    tools: Tools = new Map(),
  ): Promise<readonly ListEntry[]> {
    if (!this.hasMiddleware) return list;
    const find = (entry: ListEntry): MountedEntry | undefined =>
      kind === 'tools' ? findTool(entry, tools) : this.#items[kind].get(idOf(kind, entry));
    return interceptParts(kind, request, list, find, tools);
  }

  /** Reads the mounted registries again. Items whose names are taken are left out; returns the first new conflict. */
  #refresh(): ErrDuplicateName | undefined {
    const mounts = Array.from(this.#mounts.values(), ({ mount }) => mount);
    const conflicts = [...this.#host.tools.setMounted(mounts)];
    const items = noItems();
    const add = (kind: ItemKind, mount: Mount, own: ListEntry, isTaken: (id: string) => boolean): void => {
      const entry = Object.freeze({ ...own, name: mount.nameOf(own.name) });
      const id = idOf(kind, entry);
      const item = { mount, own, entry };
      const other = items[kind].get(id);
      if (other || isTaken(id))
        conflicts.push(conflictOf(kind, id, item, other?.mount.registry ?? this.#host));
      else items[kind].set(id, item);
    };
    for (const mount of mounts) {
      for (const own of mount.registry.listPrompts())
        add('prompts', mount, own, (id) => this.#prompts.has(id));
      for (const own of mount.registry.listResources())
        add('resources', mount, own, (id) => this.#resources.find(id) === 'resource');
      for (const own of mount.registry.listResourceTemplates())
        add('resourceTemplates', mount, own, (id) => this.#resources.hasTemplate(id));
    }
    this.#items = items;
    // A template that begins with more text is tried first, so that one like {+any} cannot take the URIs of another registry.
    this.#templates = Array.from(items.resourceTemplates)
      .toSorted(([one], [other]) => prefixLength(other) - prefixLength(one))
      .map(([id, { mount }]) => [parseUriTemplate(id), mount]);
    this.#lists.clear();
    const known = this.#conflicts;
    this.#conflicts = new Set(conflicts.map(({ message }) => message));
    return conflicts.find(({ message }) => !known.has(message));
  }

  /** Applies a change of a mounted registry. The author who caused a conflict gets it from the call that caused it. */
  relay(registry: AnyRegistry, change: RegistryChange): void {
    const conflict = change.kind === 'resource' ? undefined : this.#refresh();
    this.#changes.relay(change, registry.shared !== undefined);
    if (conflict) throw conflict;
  }

  /** Tells listeners which lists have changed because a registry was mounted or removed. */
  #announce({ counts }: AnyRegistry): void {
    for (const kind of ['tools', 'prompts', 'resources'] as const)
      if (counts[kind] > 0) this.#changes.notify({ kind });
  }
}

/**
 * Passes the changes of a mounted registry on. The listener holds no more than the reference, because a registry may outlive those in
 * which it is mounted.
 */
function listen(registry: AnyRegistry, reference: WeakRef<Mounts>): () => void {
  const stop = registry.onChange((change) => {
    const mounts = reference.deref();
    if (mounts) mounts.relay(registry, change);
    else stop();
  });
  return stop;
}

function ignore(): void {}

/** The number of characters before the first variable of a URI template. */
function prefixLength(template: string): number {
  return `${template}{`.indexOf('{');
}

function noItems(): Items {
  return { prompts: new Map(), resources: new Map(), resourceTemplates: new Map() };
}

/** Whether a registry is another one, or contains it at any depth. */
function contains(registry: AnyRegistry, other: AnyRegistry): boolean {
  return registry === other || [...registry.mounted.values()].some((inner) => contains(inner, other));
}

const kinds: Readonly<Record<ItemKind, string>> = {
  prompts: 'prompt',
  resources: 'resource',
  resourceTemplates: 'resource template',
};

function conflictOf(
  kind: ItemKind,
  id: string,
  { mount }: MountedEntry,
  other: AnyRegistry,
): ErrDuplicateName {
  const { registry, prefix } = mount;
  return new ErrDuplicateName(
    `The ${kinds[kind]} "${id}" of "${registry.name}" (mounted as "${prefix}") is also one of "${other.name}".`,
    {
      hint:
        kind === 'prompts'
          ? 'Rename one of them, or choose another prefix.'
          : 'Change the URI of one of them, because clients read resources by URI, which has no prefix.',
      details: { name: id, kind: kinds[kind] },
    },
  );
}
