import type { Caller } from '../callers/caller.js';
import type { InternalAction } from '../define/read-definition.js';
import type { Middleware } from '../define/tool-definition.js';
import type { ToolfoldError } from '../errors.js';
import type { Tool, ToolAnnotationsInit } from '../model/tool.js';
import type { Icon, Meta } from '../protocol/mcp-types.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import type { UnknownFields } from '../schema/validate/input-validator.js';
import type { aggregateAnnotations, DescriptionGenerator } from './describe-tool.js';
import type { ActionSchema } from './input-schema/action-schema.js';
import type { SchemaGenerator } from './input-schema/schema-generator.js';
import type { ChainFn, compileMiddlewareChains } from './middleware-compiler.js';

/** The replaceable parts of the compiler. Each is a pure function. */
export interface Strategies {
  /** Generates the input schema of a grouped tool. */
  readonly inputSchema: SchemaGenerator;
  /** Generates the description of a grouped tool. */
  readonly description: DescriptionGenerator;
  /** Derives the annotations of a tool from those of its actions. */
  readonly annotations: typeof aggregateAnnotations;
  /** Composes middleware and handler into one function. */
  readonly middleware: typeof compileMiddlewareChains;
}

/** A tool as its author defined it, read and checked, before it takes a form. */
export interface ToolSpec {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: Meta | undefined;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
  readonly tags: readonly string[];
  /** Former names of the tool, without its namespace. */
  readonly aliases?: readonly string[] | undefined;
  readonly annotations?: ToolAnnotationsInit | undefined;
  /** Whether the listed input schema keeps the `$schema` that its library emits. */
  readonly listsDialect?: boolean;
  /** The argument that names the action; `undefined` for a tool that consists of one action. */
  readonly discriminator?: string | undefined;
  readonly common?: ReadSchema | undefined;
  readonly actions: readonly InternalAction[];
  readonly globalMiddleware: readonly Middleware[];
  readonly unknownFields: UnknownFields;
  readonly onConflict?: 'anyOf' | 'throw' | undefined;
  /** Maximum number of characters of the grouped tool's description. Default: 1,024. */
  readonly maxDescriptionLength?: number | undefined;
  readonly strategies: Strategies;
}

/** One action, ready to run. */
export interface CompiledAction {
  readonly action: InternalAction;
  /** The tool that defines the action. */
  readonly spec: ToolSpec;
  /** `users.create` in every form; `undefined` for a tool that consists of one action. */
  readonly key: string | undefined;
  /** The ID of the tool that defines the action: `acme:platform`, or `platform` without a namespace. */
  readonly toolID: string;
  /** `acme:platform/users.create`, or the tool's ID if the tool consists of one action. */
  readonly address: string;
  /** The former IDs of its tool and its former addresses, by which policies can still name the action. */
  readonly formerAddresses: readonly string[];
  /** The namespace label for guards and logs. */
  readonly namespace: string | undefined;
  /** The tags of the action and its tool, in the form of `toComparableTag`, and those that the tag strategy adds. */
  readonly tags: ReadonlySet<string>;
  /** The source of the tool, if tools of the same name may come from several sources. */
  readonly origin?: string | undefined;
  /** The operation label for guards and logs. */
  readonly operation: string;
  /** The schema of the whole input, including the common fields. */
  readonly schema: ActionSchema;
  /** Whether validation ignores the discriminator, so that it need not be removed from the arguments. */
  readonly ignoresDiscriminator: boolean;
  /** The name of the discriminator, if it may still be among the arguments. */
  readonly discriminator: string | undefined;
  /** Whether the arguments may need repairs or defaults before they are validated. */
  readonly isPrepared: boolean;
  /** Whether cache, idempotency or retries wrap the handler, so that `run` needs the `wrap` argument. */
  readonly isWrapped: boolean;
  readonly run: ChainFn;
  /** Set for an action of a mounted registry. That registry runs its calls. */
  readonly mounted: MountedAction | undefined;
}

/** An action of a mounted registry, as that registry compiled it. */
export interface MountedAction {
  readonly compiled: CompiledAction;
  readonly mount: ActionMount;
}

/** Runs calls of mounted actions in the registry that defines them. */
export interface ActionMount {
  /** `tools` are the tools of the view in which the call was found. */
  run(tools: ReadonlyMap<string, CompiledTool>, request: { readonly name: string }): Promise<CallToolResult>;
}

/** A tool as clients see it, and the actions that its calls run. */
export interface CompiledTool {
  /** The name under which clients list and call the tool. */
  readonly wireName: string;
  /** The tool as clients see it. The tool of a plain action is built on first use. */
  readonly tool: Tool;
  /** Whether the tool consists of an action with a plain schema, so that it can certainly be listed. */
  readonly isPlain: boolean;
  /** Set for a tool without actions of its own, whose calls run actions of other tools. */
  readonly forward: Forward | undefined;
  /** The argument that names the action, if there are several. */
  readonly discriminator: string | undefined;
  /** The actions by value of the discriminator. Without a discriminator, one entry under the empty key. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
  /** The arguments that 2026 clients repeat in headers. */
  readonly paramHeaders: readonly ParamHeader[];
}

/** An argument that its schema declares with `x-mcp-header`: the client repeats it in a header, so that proxies can read it. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumber: boolean;
}

/** A compiled tool before it takes a form. Builders return it to registries. */
export interface CompiledSpec {
  /** The tool as its author defined it. */
  readonly spec: ToolSpec;
  /** The actions by key. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
}

/** The form in which a tool is listed. */
export interface CompiledForm {
  /** `grouped` lists one tool, `flat` one tool per action. */
  readonly form?: 'grouped' | 'flat' | undefined;
  /** `risk` splits a grouped tool into one with the read-only actions and one with the others. */
  readonly split?: 'risk' | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The call to run instead of a call of a forwarding tool. */
export interface ForwardedCall {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly name: string;
  readonly arguments: Arguments;
  /** The former address of the action, if the call uses one. */
  readonly former?: string | undefined;
  /** Called with the result of the call and the request that made it, unless the call throws. */
  onResult?(result: CallToolResult, request: { readonly caller?: Caller | undefined }): void;
}

/** Finds the call to run instead, or returns the error. `meta` is the `_meta` of the request. */
export type Forward = (given: Arguments, meta?: Arguments) => ForwardedCall | (() => ToolfoldError);

/** A map that cannot be changed. `Object.freeze` does not stop `set` of a `Map`. */
export class FrozenMap<K, V> extends Map<K, V> implements ReadonlyMap<K, V> {
  constructor(entries: Iterable<readonly [K, V]>) {
    super();
    for (const [key, value] of entries) super.set(key, value);
  }
  override set(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
  override delete(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
  override clear(): never {
    throw new TypeError('A frozen map cannot be changed.');
  }
}

/** A map whose entries can also be read by former keys, which it does not list. */
export class AliasedMap<V> extends FrozenMap<string, V> {
  readonly former: ReadonlyMap<string, V>;

  constructor(entries: Iterable<readonly [string, V]>, former: ReadonlyMap<string, V>) {
    super(entries);
    this.former = former;
  }

  override get(key: string): V | undefined {
    return super.get(key) ?? this.former.get(key);
  }

  override has(key: string): boolean {
    return super.has(key) || this.former.has(key);
  }
}
