import { LRUCache } from 'lru-cache';
import { compileItem, deriveTags } from '../compile/compile-item.js';
import type { CompilableTool } from '../compile/compile-item.js';
import type { CompiledAction, CompiledForm, CompiledSpec, ToolSpec } from '../compile/compiled-tool.js';
import { definitionOf } from '../compile/registered-definition.js';
import type { RegisteredDefinition } from '../compile/registered-definition.js';
import { compileTools, flatToolName, partToolName } from '../compile/tool-forms.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import { ErrDuplicateName, ErrInvalidOptions } from '@toolfold/schema/errors';
import { formatToolID, invalidName, parseToolID } from '../model/tool.js';
import { wireNameOf } from '../protocol/wire-name.js';
import type { CompiledPolicy, ViewPolicy } from '../views/policy.js';
import { SelectableNames, createPredicate } from '../views/view-selection.js';
import type { ViewHost } from '../views/view-tree.js';
import { assertListable } from '../views/wire-tools.js';
import { compileView, duplicateInForm } from '../views/view.js';
import type { CompileOptions, ToolsetsOf, View } from '../views/view.js';
import type { ToolRegistryOptions } from './registry-options.js';
import { getOrMake } from '../values/get-or-make.js';

const MAX_VIEWS = 256;

export interface RegisteredSpec extends CompiledSpec {
  /** ` at file:line` of the call of `register` or ` in` a mounted registry, or empty if the runtime does not tell. */
  readonly registeredAt: string;
}

export interface MountedTools {
  readonly prefix: string;
  readonly specs: readonly RegisteredSpec[];
  /** The toolset that the tools form. Without it, they are listed beside the registered tools. */
  readonly toolset: MountedToolset | undefined;
}

export interface ToolsetOfMount extends MountedToolset {
  readonly specs: readonly CompiledSpec[];
}

/** Names and describes the toolset that a mounted registry becomes. */
export interface MountedToolset {
  /** Name that people and models read. Requests select the toolset by its prefix. */
  readonly name: string;
  /** Tells a model what the tools are for. */
  readonly description: string;
  /** Tells a model when to use the toolset. */
  readonly decisionCriteria?: string;
}

type Options = Pick<ToolRegistryOptions<never>, 'schemaValidator' | 'tagStrategy' | 'wireNames'>;

/** Compiles the tools of a registry, rejects conflicting names, and caches views. */
export class RegisteredTools {
  /** Whether an action may run as a task: one that is compiled, or one of a toolset that is loaded later. */
  mayHaveTasks = false;
  /** The toolsets that are mounted registries, by prefix. */
  toolsets: ReadonlyMap<string, ToolsetOfMount> = new Map();
  readonly #host: ViewHost;
  readonly #options: Options;
  readonly #specs = new Map<string, RegisteredSpec>();
  readonly #byWireName = new Map<string, RegisteredSpec>();
  #mounted: ReadonlyMap<string, RegisteredSpec> = new Map();
  /** Names of mounted tools, with those of registries that have none at present. */
  #owned: ReadonlyMap<string, readonly [MountedTools, RegisteredSpec]> = new Map();
  #toolsetsBySpec = new WeakMap<CompiledSpec, readonly { readonly key: string; readonly title: string }[]>();
  #hasFormerNames = false;
  /** Number of servers whose catalog of toolsets was read. */
  #catalogs = 0;
  /** Tools that `#assertListable` has already checked. */
  readonly #listable = new WeakSet<CompiledSpec>();
  readonly #views = new LRUCache<string, View>({ max: MAX_VIEWS });
  readonly #selectable = new Map<string, SelectableNames>();

  constructor(host: ViewHost, options: Options) {
    this.#host = host;
    this.#options = options;
  }

  get size(): number {
    return this.#specs.size + this.#mounted.size;
  }

  has(toolID: string): boolean {
    return this.#find(toolID) !== undefined;
  }

  definitions(): readonly RegisteredDefinition[] {
    return this.all().map(definitionOf);
  }

  definition(toolID: string): RegisteredDefinition | undefined {
    const found = this.#find(formatToolID(parseToolID(toolID)));
    return found && definitionOf(found);
  }

  #find(toolID: string): CompiledSpec | undefined {
    const own = this.#specs.get(toolID);
    if (own || this.#mounted.size === 0) return own;
    return [...this.#mounted.values()].find(({ spec }) => formatToolID(spec) === toolID);
  }

  /** The registered tools, followed by those of mounted registries. */
  all(): readonly CompiledSpec[] {
    return [...this.#specs.values(), ...this.#mounted.values()];
  }

  /** The tools that are listed beside toolsets. */
  #listed(): readonly CompiledSpec[] {
    if (this.toolsets.size === 0) return this.all();
    return this.all().filter((spec) => !this.#toolsetsBySpec.has(spec));
  }

  /** The toolset of a tool, if it is one of a mounted registry that is a toolset. */
  readonly toolsetsOf: ToolsetsOf = (spec) => this.#toolsetsBySpec.get(spec) ?? [];

  /** Prevents new toolsets from being mounted until the returned function is called, because a catalog is read once. */
  readToolsets(): () => void {
    this.#catalogs++;
    return () => void this.#catalogs--;
  }

  assertToolsetsOpen(prefix: string): void {
    if (this.#catalogs === 0) return;
    throw new ErrInvalidOptions(
      `"${prefix}" cannot become a toolset now, because a server has already read the toolsets.`,
      { hint: 'Mount it before you serve the registry, or mount it without the option toolset.' },
    );
  }

  /**
   * Replaces the tools of mounted registries. Tools whose names are taken are left out, and their errors are returned. A tool keeps its
   * name when a registry that was mounted before adds one of that name, unless `isByOrder`. A registry without tools keeps all of its
   * names, because its server may be down.
   */
  setMounted(mounts: readonly MountedTools[], isByOrder: boolean): readonly ErrDuplicateName[] {
    const conflicts: ErrDuplicateName[] = [];
    const mounted = new Map<string, RegisteredSpec>();
    const kept = new Map<string, RegisteredSpec>();
    const owned = new Map<string, readonly [MountedTools, RegisteredSpec]>();
    const empty = new Set(mounts.filter(({ specs }) => specs.length === 0));
    for (const [wireName, [mount, spec]] of isByOrder ? [] : this.#owned) {
      if (!empty.has(mount)) continue;
      kept.set(wireName, spec);
      owned.set(wireName, [mount, spec]);
    }
    for (const mount of isByOrder ? [] : mounts)
      for (const compiled of mount.specs) {
        const wireName = wireNameOf(compiled.spec);
        if (this.#owned.get(wireName)?.[0] === mount) kept.set(wireName, compiled);
      }
    const toolsets = new Map<string, ToolsetOfMount>();
    const bySpec = new WeakMap<CompiledSpec, readonly { key: string; title: string }[]>();
    for (const mount of mounts) {
      const { prefix, specs, toolset } = mount;
      const added: RegisteredSpec[] = [];
      const groups = toolset && [{ key: prefix, title: toolset.name }];
      for (const compiled of specs) {
        const wireName = wireNameOf(compiled.spec);
        const other = this.#byWireName.get(wireName) ?? mounted.get(wireName) ?? kept.get(wireName);
        if (other && other !== compiled) {
          conflicts.push(duplicateOf(compiled.spec, other));
          continue;
        }
        mounted.set(wireName, compiled);
        owned.set(wireName, [mount, compiled]);
        added.push(compiled);
        if (groups) bySpec.set(compiled, groups);
        for (const { action } of compiled.actions.values()) if (action.task) this.mayHaveTasks = true;
      }
      if (toolset) toolsets.set(prefix, { ...toolset, specs: added });
    }
    this.#mounted = mounted;
    this.#owned = owned;
    this.toolsets = toolsets;
    this.#toolsetsBySpec = bySpec;
    this.forgetViews();
    return conflicts;
  }

  /** If one of the items is invalid, none is added. */
  add(items: readonly (CompilableTool | AnyToolDefinition)[], stack: string | undefined): void {
    const registeredAt = readPlace(stack);
    const added = new Map<string, RegisteredSpec>();
    for (const item of items) {
      const compiled = this.compileItem(item);
      const wireName = wireNameOf(compiled.spec);
      const other = this.#byWireName.get(wireName) ?? this.#mounted.get(wireName) ?? added.get(wireName);
      if (other) throw duplicateOf(compiled.spec, other);
      added.set(wireName, { ...compiled, registeredAt });
    }
    this.#hasFormerNames ||= [...added.values()].some(({ spec }) => (spec.aliases ?? []).length > 0);
    if (this.#hasFormerNames) assertFormerNames([...this.#byWireName.values(), ...added.values()]);
    // Tools that cannot be listed in the grouped form are rejected here, not in the next request.
    this.#assertListable([...added.values()]);
    for (const [wireName, spec] of added) {
      this.#specs.set(formatToolID(spec.spec), spec);
      this.#byWireName.set(wireName, spec);
    }
    this.forgetViews();
  }

  /** If one of the items is invalid, the registered tools stay. */
  replace(items: readonly (CompilableTool | AnyToolDefinition)[], stack: string | undefined): void {
    const former = [...this.#specs];
    const formerNames = [...this.#byWireName];
    this.clear();
    try {
      this.add(items, stack);
    } catch (error) {
      for (const [id, spec] of former) this.#specs.set(id, spec);
      for (const [name, spec] of formerNames) this.#byWireName.set(name, spec);
      throw error;
    }
  }

  clear(): void {
    this.#specs.clear();
    this.#byWireName.clear();
    this.forgetViews();
  }

  /** Drops the cached views. Their trees hold prompts and resources too. */
  forgetViews(): void {
    this.#views.clear();
    this.#selectable.clear();
  }

  get scopes(): readonly string[] {
    return scopesOf(this.all());
  }

  /** Compiles a builder or a definition without registering it. `origin` distinguishes it from others of its name. */
  compileItem(item: CompilableTool | AnyToolDefinition, origin?: string): CompiledSpec {
    const { schemaValidator: validator, tagStrategy } = this.#options;
    const compiled = compileItem(item, { validator, origin, tagStrategy });
    for (const { action } of compiled.actions.values()) if (action.task) this.mayHaveTasks = true;
    return compiled;
  }

  /** Adds the tags of the tag strategy to those of an action. */
  tagsOf(compiled: CompiledAction): ReadonlySet<string> {
    const { tagStrategy } = this.#options;
    return tagStrategy ? deriveTags(compiled, tagStrategy) : compiled.tags;
  }

  /** The tags of all actions. */
  tags(): ReadonlySet<string> {
    const actions = this.all().flatMap((spec) => [...spec.actions.values()]);
    return new Set(actions.flatMap((compiled) => [...this.tagsOf(compiled)]));
  }

  view({ key, policy }: CompiledPolicy): View {
    return getOrMake(this.#views, key, () =>
      compileView(this.#host, this.all(), policy, { toolsetsOf: this.toolsetsOf }),
    );
  }

  /** A view of `more` and of all tools that are in no toolset. It is not cached here. Pass a normalised policy. */
  viewWith(more: readonly CompiledSpec[], policy: ViewPolicy, options?: CompileOptions): View {
    this.#assertListable(more);
    return compileView(this.#host, [...this.#listed(), ...more], policy, options);
  }

  /** The names that requests can select under a policy, collected once. */
  selectableNames({ key, policy }: CompiledPolicy): SelectableNames {
    return getOrMake(
      this.#selectable,
      key,
      () => new SelectableNames(this.all(), createPredicate(policy), policy),
    );
  }

  /** The wire names of `more` and of all tools that are in no toolset, in the form of a policy. */
  namesOf(more: readonly CompiledSpec[], policy: ViewPolicy): Set<string> {
    const specs = [...this.#listed(), ...more];
    return new Set(specs.flatMap((spec) => wireNamesOf(spec, policy)));
  }

  /** The wire names of some tools. Throws if one of them is taken, or if a tool cannot be listed. */
  assertFree(
    specs: readonly CompiledSpec[],
    policy: ViewPolicy,
    taken: ReadonlySet<string>,
  ): ReadonlySet<string> {
    this.#assertListable(specs);
    const names = new Set<string>();
    let clashing: string | undefined;
    for (const name of specs.flatMap((spec) => wireNamesOf(spec, policy))) {
      if (taken.has(name) || names.has(name)) clashing ??= name;
      names.add(name);
    }
    if (clashing === undefined) return names;
    throw new ErrDuplicateName(`Two tools would both be called "${clashing}".`, {
      hint: 'Rename one of them, use namespaceToolsWithSetKey, or give the tools of another server a prefix.',
      details: { name: clashing, kind: 'tool' },
    });
  }

  /** Rejects tools that clients could not list, by listing them. */
  #assertListable(specs: readonly CompiledSpec[]): void {
    const names = new Set<string>();
    const unchecked = specs.filter((spec) => !this.#listable.has(spec));
    for (const { spec, actions } of unchecked) {
      for (const compiled of compileTools(spec, actions)) {
        const { wireName, isListable } = compiled;
        if (names.has(wireName)) throw duplicateInForm(wireName);
        names.add(wireName);
        if (!isListable) assertListable(compiled.tool);
        if (this.#options.wireNames !== 'any') assertPortable(wireName);
      }
    }
    for (const spec of unchecked) this.#listable.add(spec);
  }
}

export function scopesOf(specs: readonly Pick<CompiledSpec, 'actions'>[]): readonly string[] {
  const all = specs.flatMap(({ actions }) => [...actions.values()].flatMap(({ action }) => action.scopes));
  return [...new Set(all)].toSorted();
}

/** Finds the author's call of `register` in a stack trace. */
function readPlace(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}

/** The tools have the same ID, or different IDs that become the same wire name. */
function duplicateOf(spec: ToolSpec, { spec: first, registeredAt }: RegisteredSpec): ErrDuplicateName {
  const [id, other] = [formatToolID(spec), formatToolID(first)];
  if (id === other) {
    return new ErrDuplicateName(`A tool "${id}" is already registered${registeredAt}.`, {
      hint: 'Rename one of them, or give them different namespaces; tools of another server get a prefix from fromMcpServer(…, { prefix }).',
      details: { name: id, kind: 'tool' },
    });
  }
  const name = wireNameOf(spec);
  return new ErrDuplicateName(
    `The tool "${id}" would be listed as "${name}", and so is "${other}", which is registered${registeredAt}.`,
    { hint: 'Rename one of them, or its namespace.', details: { name, kind: 'tool' } },
  );
}

/** Rejects former names of tools that are the name or a former name of another tool. */
function assertFormerNames(specs: readonly RegisteredSpec[]): void {
  const taken = new Map(specs.map(({ spec }) => [wireNameOf(spec), spec]));
  for (const { spec } of specs) {
    for (const alias of spec.aliases ?? []) {
      const name = wireNameOf({ namespace: spec.namespace, name: alias });
      const other = taken.get(name);
      if (other)
        throw new ErrDuplicateName(
          `The alias "${alias}" of tool "${formatToolID(spec)}" is a name of tool "${formatToolID(other)}".`,
          { hint: 'Leave out the alias, or rename the other tool.', details: { name, kind: 'tool' } },
        );
      taken.set(name, spec);
    }
  }
}

/** Rejects a name that some clients do not accept, because they then reject the whole list. */
function assertPortable(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw invalidName(`Some clients reject the tool name "${name.slice(0, 80)}".`, { name });
}

/** Includes the names of actions that the policy hides, so that no other tool takes them. */
function wireNamesOf({ spec }: CompiledSpec, { form, split }: CompiledForm): readonly string[] {
  const { name, namespace, discriminator, actions } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  if (discriminator === undefined || (form !== 'flat' && split !== 'risk')) return [toWire(name)];
  if (form === 'flat') return actions.map((action) => toWire(flatToolName(spec, action)));
  return [...new Set(actions.map((action) => partToolName(spec, action)))].map(toWire);
}
