import { parseUriTemplate } from '../../define/resources.js';
import type { ReadResourceResult, Resources, UriTemplate } from '../../define/resources.js';
import type { GetPromptResult, Prompts } from '../../define/prompts.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../../engine/request.js';
import { ErrDuplicateName, ErrInvalidOptions } from '@toolfold/schema/errors';
import type { McpPrompt, McpResource, McpResourceTemplate } from '../../protocol/mcp-types.js';
import type { RegistryChange } from '../../stores/contracts.js';
import { assertOptions, describeValue, record, text } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { TreeItem } from '../../views/view-tree.js';
import type { View } from '../../views/view.js';
import { internalsOf } from '../any-registry.js';
import type { AnyRegistry, ListEntry, ListKind } from '../any-registry.js';
import { assertRegistry } from '../assert-registry.js';
import type { Completion, CompletionRequest } from '../complete.js';
import type { MountedToolset } from '../registered-tools.js';
import type { RegistryChanges } from '../registry-changes.js';
import { findTool, idOf, interceptParts } from './intercept-list.js';
import type { MountedEntry } from './intercept-list.js';
import { Mount } from './mount.js';
import { getOrMake } from '../../values/get-or-make.js';

/** Decides how mounted tools are listed. */
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

const MAX_CONFLICTS = 20;

type ItemKind = Exclude<ListKind, 'tools'>;

type Items = Readonly<Record<ItemKind, Map<string, MountedEntry>>>;

interface MountedTemplate {
  readonly id: string;
  /** Text before the first variable, so that most templates are rejected without matching. */
  readonly prefix: string;
  readonly template: UriTemplate;
  readonly mount: Mount;
}

interface Candidate extends MountedEntry {
  readonly kind: ItemKind;
  readonly id: string;
}

/** Mounts other registries in one registry, and finds their prompts and resources. */
export class Mounts {
  readonly #host: AnyRegistry;
  readonly #prompts: Prompts;
  readonly #resources: Resources;
  readonly #changes: RegistryChanges;
  readonly #mounts = new Map<string, { readonly mount: Mount; readonly stop: () => void }>();
  #items: Items = noItems();
  /** The items, and those of registries that have none at present. */
  #owned: Items = noItems();
  #templates: readonly MountedTemplate[] = [];
  #schemes = new Map<Mount, Set<string | undefined>>();
  /** Whether the order of the mounts decides about names. Otherwise an item keeps its name when another one appears. */
  #isByOrder = false;
  readonly #lists = new Map<ItemKind, readonly ListEntry[]>();
  /** Messages of conflicts that were reported, so that each is reported once. */
  #conflicts: ReadonlySet<string> = new Set();

  /** `host` is the registry in which the others are mounted, with its own prompts, resources and changes. */
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
    for (const { mount } of this.#mounts.values()) if (internalsOf(mount.registry).hasMiddleware) return true;
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
    if (toolset) internalsOf(host).tools.assertToolsetsOpen(prefix);
    const mount = new Mount(prefix, registry, toolset && { ...toolset }, (action) =>
      internalsOf(host).tools.tagsOf(action),
    );
    this.#mounts.set(prefix, { mount, stop: () => undefined });
    try {
      const conflict = this.#refresh(true);
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

  list<T extends McpPrompt | McpResource | McpResourceTemplate>(
    kind: ItemKind,
    own: readonly T[],
  ): readonly T[] {
    if (this.#items[kind].size === 0) return own;
    return getOrMake(this.#lists, kind, () =>
      Object.freeze([...own, ...Array.from(this.#items[kind].values(), ({ entry }) => entry)]),
    ) as readonly T[];
  }

  /** Drops the lists, because the registry's own prompts or resources have changed. */
  forgetLists(): void {
    this.#lists.clear();
  }

  getPrompt({ name, arguments: args, ...request }: ExecuteRequest): Promise<GetPromptResult> | undefined {
    const item = this.#items.prompts.get(name);
    if (!item) return undefined;
    const { registry } = item.mount;
    const params = { name: item.own.name, arguments: args };
    return internalsOf(registry).intercept(
      { ...request, method: 'prompts/get', params },
      ({ params: given, ...rest }) =>
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
    const registry = this.registryOf(uri);
    if (!registry) return undefined;
    return internalsOf(registry).intercept(
      { ...request, method: 'resources/read', params: { uri } },
      ({ params, ...rest }) => registry.readResource({ ...rest, uri: String(params['uri']) }),
    ) as Promise<ReadResourceResult>;
  }

  offers(kind: 'prompts' | 'resources'): boolean {
    for (const { mount } of this.#mounts.values()) if (internalsOf(mount.registry).offers[kind]) return true;
    return false;
  }

  /** The mounted registry that serves a resource. */
  registryOf(uri: string): AnyRegistry | undefined {
    const own = this.#resources.find(uri);
    if (own === 'resource') return undefined;
    const found = this.#owned.resources.get(uri) ?? (own ? undefined : this.#templateOf(uri));
    return found?.mount.registry;
  }

  /** The template that a URI matches. One without a scheme, such as {+any}, takes no URIs whose scheme other registries use. */
  #templateOf(uri: string): MountedTemplate | undefined {
    const scheme = schemeOf(uri);
    const isFree = ({ id, mount }: MountedTemplate): boolean =>
      schemeOf(id) !== undefined ||
      [...this.#schemes].every(([other, schemes]) => other === mount || !schemes.has(scheme));
    return this.#templates.find(
      (each) => uri.startsWith(each.prefix) && each.template.match(uri) && isFree(each),
    );
  }

  /** Lets the order of the mounts decide about names until the returned function is called, while their items are still loaded. */
  preferFirst(): () => void {
    this.#isByOrder = true;
    return () => void (this.#isByOrder = false);
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
    return internalsOf(registry)
      .intercept(asked, async ({ params: given, ...rest }) => ({
        completion: await registry.complete(given as unknown as CompletionRequest, rest),
      }))
      .then((answer) => (answer as { completion: Completion }).completion);
  }

  async interceptList(
    kind: ListKind,
    request: McpRequest,
    list: readonly ListEntry[],
    tools: View['tools'] = new Map(),
  ): Promise<readonly ListEntry[]> {
    if (!this.hasMiddleware) return list;
    const find = (entry: ListEntry): MountedEntry | undefined =>
      kind === 'tools' ? findTool(entry, tools) : this.#items[kind].get(idOf(kind, entry));
    return interceptParts(kind, request, list, find, tools);
  }

  /** Reads the mounted registries again. Items whose names are taken are left out; returns the new conflicts as one error. */
  #refresh(sortsTemplates = this.#isByOrder): ErrDuplicateName | undefined {
    const mounts = Array.from(this.#mounts.values(), ({ mount }) => mount);
    const conflicts = [...internalsOf(this.#host).tools.setMounted(mounts, this.#isByOrder)];
    const candidates = mounts.flatMap(listCandidates);
    const kept = this.#isByOrder ? noItems() : this.#keep(mounts, candidates);
    // A new resource must not take a URI that a template of another registry already serves, unless the template takes every URI.
    const captured = ({ kind, id, mount }: Candidate): MountedEntry | undefined => {
      const template = kind === 'resources' ? this.#templateOf(id) : undefined;
      if (!template || template.mount === mount || schemeOf(template.id) === undefined) return undefined;
      return kept.resourceTemplates.get(template.id);
    };
    const items = noItems();
    for (const each of candidates) {
      const { kind, id } = each;
      const other = items[kind].get(id) ?? kept[kind].get(id) ?? captured(each);
      if ((other && other !== each) || this.#isOwn(kind, id))
        conflicts.push(conflictOf(kind, id, each, other?.mount.registry ?? this.#host));
      else items[kind].set(id, each);
    }
    this.#items = items;
    const owned: Items = {
      prompts: new Map([...kept.prompts, ...items.prompts]),
      resources: new Map([...kept.resources, ...items.resources]),
      resourceTemplates: new Map([...kept.resourceTemplates, ...items.resourceTemplates]),
    };
    this.#owned = owned;
    // Initially, templates with longer literal prefixes are tried first. Templates added later are tried after the
    // existing ones, so that no URI changes its owner.
    const before = sortsTemplates
      ? []
      : this.#templates.filter(({ id, mount }) => owned.resourceTemplates.get(id)?.mount === mount);
    const served = new Set(before.map(({ id }) => id));
    const added = Array.from(owned.resourceTemplates).filter(([id]) => !served.has(id));
    this.#templates = [
      ...before,
      ...added
        .map(([id, { mount }]) => ({
          id,
          prefix: id.split('{', 1).join(),
          template: parseUriTemplate(id),
          mount,
        }))
        .toSorted((one, other) => other.prefix.length - one.prefix.length),
    ];
    this.#schemes = new Map(mounts.map((mount) => [mount, new Set()]));
    for (const [id, { mount }] of [...owned.resources, ...owned.resourceTemplates])
      this.#schemes.get(mount)?.add(schemeOf(id));
    this.#lists.clear();
    const known = this.#conflicts;
    this.#conflicts = new Set(conflicts.map(({ message }) => message));
    return unite(conflicts.filter(({ message }) => !known.has(message)));
  }

  /** Names keep their owners. A registry without items of a kind keeps all of its names, because its server may be down. */
  #keep(mounts: readonly Mount[], candidates: readonly Candidate[]): Items {
    const kept = noItems();
    const present = new Map(mounts.map((mount) => [mount, new Set<ItemKind>()]));
    for (const { kind, mount } of candidates) present.get(mount)?.add(kind);
    for (const kind of Object.keys(kept) as ItemKind[])
      for (const [id, each] of this.#owned[kind])
        if (present.get(each.mount)?.has(kind) === false) kept[kind].set(id, each);
    for (const each of candidates)
      if (this.#owned[each.kind].get(each.id)?.mount === each.mount) kept[each.kind].set(each.id, each);
    return kept;
  }

  #isOwn(kind: ItemKind, id: string): boolean {
    if (kind === 'prompts') return this.#prompts.has(id);
    return kind === 'resources' ? this.#resources.find(id) === 'resource' : this.#resources.hasTemplate(id);
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

function listCandidates(mount: Mount): Candidate[] {
  const { registry } = mount;
  const lists: Readonly<Record<ItemKind, readonly ListEntry[]>> = {
    prompts: registry.listPrompts(),
    resources: registry.listResources(),
    resourceTemplates: registry.listResourceTemplates(),
  };
  return Object.entries(lists).flatMap(([name, list]) =>
    list.map((own) => {
      const kind = name as ItemKind;
      const entry = Object.freeze({ ...own, name: mount.nameOf(own.name) });
      return { kind, id: idOf(kind, entry), mount, own, entry };
    }),
  );
}

/** Several conflicts as one error, because one change can cause them. */
function unite(conflicts: readonly ErrDuplicateName[]): ErrDuplicateName | undefined {
  const [first, ...others] = conflicts;
  if (!first || others.length === 0) return first;
  const shown = conflicts.slice(0, MAX_CONFLICTS).map(({ message }) => message);
  const more = conflicts.length - shown.length;
  const { hint, details } = first;
  return new ErrDuplicateName([...shown, ...(more > 0 ? [`And ${more} more.`] : [])].join(' '), {
    ...(hint === undefined ? {} : { hint }),
    details,
  });
}

/** The literal scheme with which a URI or a URI template begins. */
function schemeOf(uri: string): string | undefined {
  return /^[a-z][\w+.-]*(?=:)/i.exec(uri)?.[0].toLowerCase();
}

function noItems(): Items {
  return { prompts: new Map(), resources: new Map(), resourceTemplates: new Map() };
}

/** A registry also contains itself. */
function contains(registry: AnyRegistry, other: AnyRegistry): boolean {
  return (
    registry === other || [...internalsOf(registry).mounted.values()].some((inner) => contains(inner, other))
  );
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
