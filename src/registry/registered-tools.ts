import { LRUCache } from 'lru-cache';
import { compileItem } from '../compile/compile-item.js';
import type { CompilableTool } from '../compile/compile-item.js';
import type { CompiledForm, CompiledSpec } from '../compile/compiled-tool.js';
import { compileTools, flatToolName, partToolName } from '../compile/tool-forms.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import { ErrDuplicateName, ErrInvalidTool } from '../errors.js';
import { formatToolID, parseToolID } from '../model/tool.js';
import { wireNameOf } from '../protocol/wire-name.js';
import type { CompiledPolicy, ViewPolicy } from '../views/policy.js';
import { SelectableNames, createPredicate } from '../views/view-selection.js';
import type { ViewHost } from '../views/view-tree.js';
import { assertListable } from '../views/lists.js';
import { compileView, duplicateInForm } from '../views/view.js';
import type { CompileOptions, View } from '../views/view.js';
import type { ToolRegistryOptions } from './registry-options.js';

/** Maximum number of cached views, each of a distinct policy. */
const MAX_VIEWS = 256;

type ToolSpec = CompiledSpec['spec'];

interface RegisteredSpec extends CompiledSpec {
  /** ` at file:line` of the call of `register`, or empty if the runtime does not tell. */
  readonly registeredAt: string;
}

type Options = Pick<ToolRegistryOptions<never>, 'schemaValidator' | 'tagStrategy' | 'wireNames'>;

/** The compiled tools of a registry, and the views over them. */
export class RegisteredTools {
  /** Whether an action may run as a task: one that is compiled, or one of a toolset that is loaded later. */
  mayHaveTasks = false;
  readonly #host: ViewHost;
  readonly #options: Options;
  /** By tool ID. */
  readonly #specs = new Map<string, RegisteredSpec>();
  readonly #byWireName = new Map<string, RegisteredSpec>();
  /** Tools of modules that were checked and can be listed. */
  readonly #listable = new WeakSet<CompiledSpec>();
  readonly #views = new LRUCache<string, View>({ max: MAX_VIEWS });

  constructor(host: ViewHost, options: Options) {
    this.#host = host;
    this.#options = options;
  }

  get size(): number {
    return this.#specs.size;
  }

  has(toolID: string): boolean {
    return this.#specs.has(toolID);
  }

  definitions(): readonly ToolSpec[] {
    return [...this.#specs.values()].map(({ spec }) => spec);
  }

  definition(toolID: string): ToolSpec | undefined {
    return this.#specs.get(formatToolID(parseToolID(toolID)))?.spec;
  }

  /** Adds all items or, on an error, none. */
  add(items: readonly (CompilableTool | AnyToolDefinition)[], stack: string | undefined): void {
    const registeredAt = readPlace(stack);
    const added = new Map<string, RegisteredSpec>();
    for (const item of items) {
      const compiled = this.compileItem(item);
      const wireName = wireNameOf(compiled.spec);
      const other = this.#byWireName.get(wireName) ?? added.get(wireName);
      if (other) throw duplicateOf(compiled.spec, other);
      added.set(wireName, { ...compiled, registeredAt });
    }
    // Tools that cannot be listed in the grouped form are rejected here, not in the next request.
    this.#assertListable([...added.values()]);
    for (const [wireName, spec] of added) {
      this.#specs.set(formatToolID(spec.spec), spec);
      this.#byWireName.set(wireName, spec);
    }
    this.forgetViews();
  }

  clear(): void {
    this.#specs.clear();
    this.#byWireName.clear();
    this.forgetViews();
  }

  /** Drops the cached views. Their trees hold prompts and resources too. */
  forgetViews(): void {
    this.#views.clear();
  }

  /** Compiles a builder or a definition without registering it. `origin` distinguishes it from others of its name. */
  compileItem(item: CompilableTool | AnyToolDefinition, origin?: string): CompiledSpec {
    const { schemaValidator: validator, tagStrategy } = this.#options;
    const compiled = compileItem(item, { validator, origin, tagStrategy });
    for (const { action } of compiled.actions.values()) if (action.task) this.mayHaveTasks = true;
    return compiled;
  }

  /** The view of a policy, compiled once. */
  view({ key, policy }: CompiledPolicy): View {
    let view = this.#views.get(key);
    if (!view) this.#views.set(key, (view = compileView(this.#host, [...this.#specs.values()], policy)));
    return view;
  }

  /** A view of the registered tools and `more`. It is not cached here. Pass a normalised policy. */
  viewWith(more: readonly CompiledSpec[], policy: ViewPolicy, options?: CompileOptions): View {
    this.#assertListableOnce(more);
    return compileView(this.#host, [...this.#specs.values(), ...more], policy, options);
  }

  /** The names that requests can select under a policy. */
  selectableNames(policy: ViewPolicy): SelectableNames {
    return new SelectableNames([...this.#specs.values()], createPredicate(policy), policy);
  }

  /** The wire names of the registered tools and `more` in the form of a policy. */
  namesOf(more: readonly CompiledSpec[], policy: ViewPolicy): Set<string> {
    const specs = [...this.#specs.values(), ...more];
    return new Set(specs.flatMap((spec) => wireNamesOf(spec, policy)));
  }

  /** The wire names of some tools. Throws if one of them is taken, or if a tool cannot be listed. */
  assertFree(
    specs: readonly CompiledSpec[],
    policy: ViewPolicy,
    taken: ReadonlySet<string>,
  ): ReadonlySet<string> {
    this.#assertListableOnce(specs);
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

  #assertListableOnce(specs: readonly CompiledSpec[]): void {
    if (specs.length === 0) return;
    this.#assertListable(specs.filter((spec) => !this.#listable.has(spec)));
    for (const spec of specs) this.#listable.add(spec);
  }

  /** Rejects tools that clients could not list, by listing them. Plain tools can always be listed, and are built later. */
  #assertListable(specs: readonly CompiledSpec[]): void {
    const names = new Set<string>();
    for (const { spec, actions } of specs) {
      for (const compiled of compileTools(spec, actions)) {
        const { wireName, isPlain } = compiled;
        if (names.has(wireName)) throw duplicateInForm(wireName);
        names.add(wireName);
        if (!isPlain) assertListable(compiled.tool);
        if (this.#options.wireNames !== 'any') assertPortable(wireName);
      }
    }
  }
}

/** The place of the caller of `register` in a stack trace. */
function readPlace(stack: string | undefined): string {
  const [, line = ''] = /^.*\n.*register.*\n\s*at (.*)$/m.exec(stack ?? '') ?? [];
  return line === '' ? '' : ` at ${line}`;
}

/** Two tools with one ID, or with two IDs and one wire name. */
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

/** Rejects a name that some clients do not accept, because they then reject the whole list. */
function assertPortable(name: string): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  throw new ErrInvalidTool(`Some clients reject the tool name "${name.slice(0, 80)}".`, {
    hint: "Use at most 64 letters, digits, _ and -, or set wireNames: 'any'.",
    details: { name },
  });
}

/** The wire names of all actions of a tool in a form, shown or hidden. */
function wireNamesOf({ spec }: CompiledSpec, { form, split }: CompiledForm): readonly string[] {
  const { name, namespace, discriminator, actions } = spec;
  const toWire = (own: string): string => wireNameOf({ namespace, name: own });
  if (discriminator === undefined || (form !== 'flat' && split !== 'risk')) return [toWire(name)];
  if (form === 'flat') return actions.map((action) => toWire(flatToolName(spec, action)));
  return [...new Set(actions.map((action) => partToolName(spec, action)))].map(toWire);
}
