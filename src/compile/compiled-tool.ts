import type { InternalAction } from '../define/read-definition.js';
import type { Middleware } from '../define/tool-definition.js';
import type { ToolfoldError } from '../errors.js';
import type { Tool, ToolAnnotationsInit } from '../model/tool.js';
import type { Icon, Meta } from '../protocol/mcp-types.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import type { UnknownFields } from '../schema/validate/input-validator.js';
import type { aggregateAnnotations } from './annotation-aggregator.js';
import type { DescriptionGenerator } from './description-generator.js';
import type { ActionSchema } from './input-schema/action-schema.js';
import type { SchemaGenerator } from './input-schema/schema-generator.js';
import type { RepairPlan } from './json-repair.js';
import type { ChainFn, compileMiddlewareChains } from './middleware-compiler.js';

/** The parts of the compiler. Each is a pure function and can be replaced on its own. */
export interface Strategies {
  /** Makes the schema of a grouped tool. */
  readonly inputSchema: SchemaGenerator;
  /** Makes its description. */
  readonly description: DescriptionGenerator;
  /** Makes its hints from those of its actions. */
  readonly annotations: typeof aggregateAnnotations;
  /** Makes one function of middleware and handler. */
  readonly middleware: typeof compileMiddlewareChains;
}

/** What an author wrote, read and checked, before it takes a form. */
export interface ToolSpec {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly icons?: readonly Icon[] | undefined;
  readonly meta?: Meta | undefined;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
  readonly tags: readonly string[];
  readonly annotations?: ToolAnnotationsInit | undefined;
  /** Whether the listed input schema keeps the `$schema` that its library emits. */
  readonly listsDialect?: boolean;
  /** The argument that names the action; `undefined` for a tool that is one action. */
  readonly discriminator?: string | undefined;
  readonly common?: ReadSchema | undefined;
  readonly actions: readonly InternalAction[];
  readonly globalMiddleware: readonly Middleware[];
  readonly unknownFields: UnknownFields;
  readonly onConflict?: 'anyOf' | 'throw' | undefined;
  readonly strategies: Strategies;
}

/** One action, ready to run. */
export interface CompiledAction {
  readonly action: InternalAction;
  /** The tool that it was written for. */
  readonly spec: ToolSpec;
  /** `users.create`, whatever the form; `undefined` for a tool that is one action. */
  readonly key: string | undefined;
  /** The ID of the tool that it was written for: `acme:platform`, or `platform` without a namespace. */
  readonly toolID: string;
  /** `acme:platform/users.create`, or the ID of a tool that is one action. */
  readonly address: string;
  /** The label of the tool's namespace, where it has one. */
  readonly namespace: string | undefined;
  /** The tags of the action and its tool, as `toComparableTag` writes them, with those that the tag strategy adds. */
  readonly tags: ReadonlySet<string>;
  /** Where it comes from, where tools of one name may come from several places. */
  readonly origin?: string | undefined;
  /** The label of what runs. */
  readonly operation: string;
  /** The whole input, common fields included. */
  readonly schema: ActionSchema;
  /** Whether the discriminator may stay among the arguments that are validated. */
  readonly ignoresDiscriminator: boolean;
  /** The argument that names the action, where it may still be there. */
  readonly discriminator: string | undefined;
  /** Where JSON text stands for the object or array that it spells. */
  readonly repairable: RepairPlan | undefined;
  /** Whether a call of it may be answered without running, so that `run` needs to be told how. */
  readonly isGuarded: boolean;
  readonly run: ChainFn;
}

/** A tool as MCP sees it, and what its calls run. */
export interface CompiledTool {
  /** What clients are told of it. */
  readonly tool: Tool;
  /** For a tool that has no actions and whose calls stand for calls of others, which then run in their place. */
  readonly forward: Forward | undefined;
  /** The argument that names the action, where there are several. */
  readonly discriminator: string | undefined;
  /** By the discriminator's value; one entry under the empty key where there is no discriminator. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
}

/** A tool ready to take a form: what builders and registries pass around. */
export interface CompiledSpec {
  /** The tool as it was read. */
  readonly spec: ToolSpec;
  /** Its actions by their keys. */
  readonly actions: ReadonlyMap<string, CompiledAction>;
}

/** How a tool is offered. */
export interface CompiledForm {
  /** `grouped`: one tool. `flat`: one tool per action. */
  readonly form?: 'grouped' | 'flat' | undefined;
  /** `risk`: a grouped tool becomes two, the actions that only read apart from the others. */
  readonly split?: 'risk' | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** The call that a call of another tool stands for: which of these tools, and its arguments. */
export interface ForwardedCall {
  readonly tools: ReadonlyMap<string, CompiledTool>;
  readonly name: string;
  readonly arguments: Arguments;
}

/** Finds the call that arguments stand for, or says why they stand for none. */
export type Forward = (given: Arguments) => ForwardedCall | (() => ToolfoldError);
