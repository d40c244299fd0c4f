import { ErrFieldConflict, ErrInvalidTool } from '../errors.js';
import type { Meta, Icon } from '../protocol/mcp-types.js';
import { toComparableTag } from '../model/tool.js';
import type { ToolAnnotationsInit, Tool } from '../model/tool.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import { aggregateAnnotations } from './annotation-aggregator.js';
import { drain, isAsyncGenerator } from './async-generator.js';
import { generateDescription } from './description-generator.js';
import type { DescriptionGenerator } from './description-generator.js';
import type { Forward } from './forwarding-tool.js';
import { FrozenMap } from '../values/freeze.js';
import { ActionSchema } from './action-schema.js';
import { createInputValidator, dropsUndeclared } from '../schema/validate/input-validator.js';
import type { UnknownFields } from '../schema/validate/input-validator.js';
import type { InternalAction } from '../define/internal-action.js';
import { planRepairs } from './json-repair.js';
import type { RepairPlan } from './json-repair.js';
import { compileMiddlewareChains } from './middleware-compiler.js';
import type { ChainFn } from './middleware-compiler.js';
import { generateInputSchema } from './input-schema/schema-generator.js';
import type { SchemaGenerator } from './input-schema/schema-generator.js';
import type { Middleware } from '../define/tool-definition.js';
import { isContradiction } from '../schema/compare/value-types.js';

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

export const defaultStrategies: Strategies = Object.freeze({
  inputSchema: generateInputSchema,
  description: generateDescription,
  annotations: aggregateAnnotations,
  middleware: compileMiddlewareChains,
});

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

/** Prepares every action of a tool to run. Forms and narrower views share what comes out. */
export function compileActions(spec: ToolSpec): ReadonlyMap<string, CompiledAction> {
  const chains = spec.strategies.middleware(spec.actions.map(guardHandler), spec.globalMiddleware);
  return new FrozenMap(
    spec.actions.map((action) => [action.key, compileAction(spec, action, chains.get(action.key))]),
  );
}

function compileAction(
  spec: ToolSpec,
  action: InternalAction,
  run: ChainFn = guardHandler(action).handler,
): CompiledAction {
  const { common, discriminator, unknownFields } = spec;
  assertCompatible(spec, action);
  const ignoresDiscriminator = discriminator !== undefined && dropsUndeclared(action.input, common);
  const toolID = spec.namespace === undefined ? spec.name : `${spec.namespace}:${spec.name}`;
  const [address, local] = [toolID, spec.name].map((tool) =>
    discriminator === undefined ? tool : `${tool}/${action.key}`,
  ) as [string, string];
  const schema = new ActionSchema(
    action.input,
    common,
    createInputValidator(
      action.input,
      common,
      unknownFields,
      ignoresDiscriminator ? discriminator : undefined,
    ),
  );
  assertKeyField(address, action, schema);
  return Object.freeze({
    action,
    spec,
    key: discriminator === undefined ? undefined : action.key,
    toolID,
    address,
    namespace: action.security?.namespace ?? spec.namespace,
    tags: new Set([...spec.tags, ...action.tags].map(toComparableTag)),
    operation: action.security?.operation ?? local,
    schema,
    ignoresDiscriminator,
    discriminator: ignoresDiscriminator ? discriminator : undefined,
    repairable: planRepairs(common ? [common, action.input] : [action.input]),
    isGuarded: isGuarded(action),
    run,
  });
}

function isGuarded({ cached, idempotency, retry, invalidates = [] }: InternalAction): boolean {
  return Boolean(cached ?? idempotency ?? retry) || invalidates.length > 0;
}

/** A chain of the author's own making that loses `around` would write twice: then nothing runs at all. */
function guardHandler(action: InternalAction): InternalAction {
  if (!isGuarded(action)) return action;
  const { handler, key } = action;
  const run: ChainFn = (call) => {
    const result = handler(call);
    return isAsyncGenerator(result) ? drain(result, call.context) : result;
  };
  return {
    ...action,
    handler: (call, around) => {
      if (around) return around(run, call);
      throw new ErrInvalidTool(`Action "${key}" was run without its cache, idempotency or retries.`, {
        hint: 'A replaced middleware strategy must hand its second argument on to the handler.',
      });
    },
  };
}

function assertKeyField(
  address: string,
  { idempotency }: InternalAction,
  { fieldNames }: ActionSchema,
): void {
  const field = idempotency?.field;
  if (field === undefined || fieldNames.includes(field)) return;
  throw new ErrInvalidTool(`Tool "${address}": idempotency.field "${field}" is not one of its arguments.`, {
    details: { field: 'idempotency' },
  });
}

/** A field of both schemas has to satisfy both. */
function assertCompatible({ name, common }: ToolSpec, { key, input }: InternalAction): void {
  for (const [field, { schema }] of common?.fields ?? []) {
    const own = input.fields?.get(field);
    if (!common || !own) continue;
    if (!isContradiction([schema, common.jsonSchema], [own.schema, input.jsonSchema])) continue;
    throw new ErrFieldConflict(
      `The field "${field}" of tool "${name}" is ${JSON.stringify(schema)} in the common schema and ` +
        `${JSON.stringify(own.schema)} in action "${key}", and no value is both.`,
      {
        hint: 'Rename one of them, or give them shapes that have values in common.',
        details: { field, actions: [key], shapes: [schema, own.schema] },
      },
    );
  }
}
