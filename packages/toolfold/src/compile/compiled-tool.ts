import type { InternalAction } from '../define/read-definition.js';
import type { Reading } from '../guards/repair/choose-arguments.js';
import type { Middleware } from '../define/tool-definition.js';
import type { ToolfoldError } from '@toolfold/schema/errors';
import type { BaseModelInit } from '../model/base.js';
import type { Tool, ToolAnnotationsInit } from '../model/tool.js';
import type { Icon, Meta } from '@toolfold/profiles';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { ReadSchema, UnknownFields } from '@toolfold/schema';
import type { aggregateAnnotations } from './annotation-aggregator.js';
import type { DescriptionGenerator } from './description-generator.js';
import type { ActionSchema } from './input-schema/action-schema.js';
import type { SchemaGenerator } from './input-schema/schema-generator.js';
import type { ChainFn, compileMiddlewareChains } from './middleware-compiler.js';

/** Functions of the compiler that an author can replace. Each must be pure. */
export interface Strategies {
  /** Merges the schemas of all actions into the input schema of a grouped tool. */
  readonly inputSchema: SchemaGenerator;
  /** Writes the description of a grouped tool, which lists its actions. */
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
  /** The groups of the model that hold the tool, each from the outermost on. */
  readonly paths?: readonly (readonly BaseModelInit[])[] | undefined;
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
  /** Maximum number of characters of the grouped tool's description. Default: none. */
  readonly maxDescriptionLength?: number | undefined;
  readonly strategies: Strategies;
}

/** Everything that the pipeline needs of an action. All forms and views share it. */
export interface CompiledAction {
  readonly action: InternalAction;
  readonly spec: ToolSpec;
  /** `users.create` in every form; `undefined` for a tool that consists of one action. */
  readonly key: string | undefined;
  /** The ID of the tool that defines the action: `acme:platform`, or `platform` without a namespace. */
  readonly toolID: string;
  /** `acme:platform/users.create`, or the tool's ID if the tool consists of one action. */
  readonly address: string;
  /** The former IDs of its tool and its former addresses, by which policies can still name the action. */
  readonly formerAddresses: readonly string[];
  /** The namespace under which rate limits and logs count the action. */
  readonly namespace: string | undefined;
  /** The tags of the action and its tool, in the form of `toComparableTag`, and those that the tag strategy adds. */
  readonly tags: ReadonlySet<string>;
  /** The toolset of the action, because tools of two toolsets may have the same name. */
  readonly origin?: string | undefined;
  /** The name under which rate limits and logs count the action. */
  readonly operation: string;
  /** The schema of the whole input, including the common fields. */
  readonly schema: ActionSchema;
  /** Whether validation ignores the discriminator, so that it need not be removed from the arguments. */
  readonly ignoresDiscriminator: boolean;
  /** The name of the discriminator, if it may still be among the arguments. */
  readonly discriminator: string | undefined;
  /** Whether cache, idempotency or retries wrap the handler, so that `run` needs the `wrap` argument. */
  readonly isWrapped: boolean;
  readonly run: ChainFn;
  /** Set for an action of a mounted registry. That registry runs its calls. */
  readonly mounted: MountedAction | undefined;
}

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
  /** The listed name, which includes the namespace. */
  readonly wireName: string;
  /** The tool as clients see it. The tool of a single action is built on first use. */
  readonly tool: Tool;
  /** Whether clients can certainly list the tool, so that it need not be built to find out. */
  readonly isListable: boolean;
  /** Set for a tool that runs actions of other tools instead of its own. */
  readonly forward: Forward | undefined;
  /** The argument that names the action; `undefined` for a tool with one action. */
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
  /** The options, names and schemas that the author wrote. */
  readonly spec: ToolSpec;
  /** The compiled actions, by key. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
}

/** Decides how many tools a builder with several actions becomes. */
export interface CompiledForm {
  /** `grouped` lists one tool, `flat` one tool per action. */
  readonly form?: 'grouped' | 'flat' | undefined;
  /** `risk` splits a grouped tool into one with the read-only actions and one with the others. */
  readonly split?: 'risk' | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The parts of a request that decide how its arguments are read. */
export interface ForwardedRequest {
  readonly meta?: Arguments | undefined;
  readonly asListed?: boolean | undefined;
}

/** Replaces the call of a forwarding tool, such as `call_read_tool` of the search form. */
export interface ForwardedCall {
  /** The tools among which the pipeline looks for `name`. */
  readonly tools: ReadonlyMap<string, CompiledTool>;
  /** Name of the tool that runs. */
  readonly name: string;
  /** Arguments of the tool that runs, not validated. */
  readonly arguments: Arguments;
  /** The former address of the action, if the call uses one. */
  readonly former?: string | undefined;
  /** Set if the profile of the client's list may change the form of the arguments. */
  readonly reading?: Reading | undefined;
}

/** Returns the call that runs instead, or a function that creates the error. */
export type Forward = (given: Arguments, request?: ForwardedRequest) => ForwardedCall | (() => ToolfoldError);

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

/** `get` and `has` also accept former keys, which iteration leaves out. */
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
