import { FrozenMap } from './compiled-tool.js';
import { deepFreeze, dropsUndeclared, isContradiction } from '@toolfold/schema/internal';
import { assertItem } from '../define/assert-item.js';
import { readDefinition } from '../define/read-definition.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { CompiledAction, CompiledSpec, Strategies, ToolSpec } from './compiled-tool.js';
import { ErrInvalidTool, ErrFieldConflict } from '@toolfold/schema/errors';
import { assertBudget } from '../guards/budget/output-budget.js';
import { toComparableTag } from '../model/tool.js';
import type { TagStrategy } from '../model/tool.js';
import type { SchemaSource, SchemaValidator } from '@toolfold/schema';
import { COLLECTED, toItem } from '../define/tool-collector.js';
import type { InternalAction } from '../define/read-definition.js';
import { assertPlaceholders, requireConfirmation } from './confirmation.js';
import { aggregateAnnotations } from './annotation-aggregator.js';
import { generateDescription } from './description-generator.js';
import { ActionSchema } from './input-schema/action-schema.js';
import { generateInputSchema } from './input-schema/schema-generator.js';
import { compileMiddlewareChains, drainGenerators } from './middleware-compiler.js';
import type { ChainFn } from './middleware-compiler.js';

/** An object that compiles itself to a tool, such as a builder. */
export interface CompilableTool<App = never, Tools = never> {
  /** Identifies the tool within its namespace. */
  readonly name: string;
  /** Precedes the name in the ID and the listed name. */
  readonly namespace?: string | undefined;
  /** The version that the author gave the tool, in any format. */
  readonly version?: string | undefined;
  /** Never set. With it, TypeScript rejects a builder whose handlers need another type of `context.app`. */
  readonly '~app'?: (app: App) => void;
  /** Never set. With it, TypeScript knows the actions of a builder. */
  readonly '~tools'?: (tool: Tools) => void;
  /** Compiles the tool. `validator` reads JSON Schemas that were not read before; a builder has read its own. */
  compile(validator?: SchemaValidator): CompiledSpec;
}

/** A definition that was built at run time, so that its schema has no static type. */
export type AnyRegistrable = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: SchemaSource;
};

interface CompileItemOptions {
  readonly validator?: SchemaValidator | undefined;
  /** Names the toolset, because tools of two toolsets may have the same name. */
  readonly origin?: string | undefined;
  readonly tagStrategy?: TagStrategy | undefined;
}

export function compileItem(
  item: CompilableTool | AnyToolDefinition,
  { validator, origin, tagStrategy }: CompileItemOptions,
): CompiledSpec {
  assertItem('registry.register', item);
  const known = toItem(item);
  const made =
    'compile' in known
      ? known.compile(validator)
      : compileDefinition(known, { validator, isCollected: COLLECTED in known });
  const compiled = origin === undefined && !tagStrategy ? made : complete(made, origin, tagStrategy);
  for (const { address, action } of compiled.actions.values())
    if (action.outputBudget) assertBudget(action.outputBudget, `Tool "${address}": outputBudget`);
  return compiled;
}

interface CompileDefinitionOptions {
  readonly validator: SchemaValidator | undefined;
  readonly strategies?: Strategies;
  /** Whether a `ToolCollector` collected the tool. */
  readonly isCollected?: boolean;
  readonly paths?: ToolSpec['paths'];
}

const none: readonly never[] = Object.freeze([]);
const noTags: ReadonlySet<string> = new Set();

/** Compiles a tool that consists of one action. */
export function compileDefinition(
  definition: AnyToolDefinition,
  { validator, strategies = defaultStrategies, isCollected = false, paths }: CompileDefinitionOptions,
): CompiledSpec {
  const action = readDefinition(definition, { validator });
  const spec = Object.freeze({
    name: definition.name,
    title: definition.title,
    description: definition.description,
    icons: definition.icons && deepFreeze(structuredClone([...definition.icons])),
    namespace: definition.namespace,
    version: definition.version,
    tags: action.tags,
    aliases: action.aliases,
    listsDialect: !isCollected,
    paths,
    actions: Object.freeze([action]),
    globalMiddleware: none,
    unknownFields: 'strict' as const,
    strategies,
  });
  return { spec, actions: compileActions(spec) };
}

/**
 * Adds values that depend on the registry, to copies of the actions, because a builder may be registered in several registries.
 */
function complete(
  { spec, actions }: CompiledSpec,
  origin: string | undefined,
  tagStrategy: TagStrategy | undefined,
): CompiledSpec {
  const completed = [...actions].map(([key, compiled]) => {
    const tags = tagStrategy ? deriveTags(compiled, tagStrategy) : compiled.tags;
    return [key, Object.freeze({ ...compiled, origin, tags })] as const;
  });
  return { spec, actions: new FrozenMap(completed) };
}

/** Adds the tags of the strategy to those of the author, because a policy that names a tag as written must always match. */
export function deriveTags(
  { spec, action, address, tags }: CompiledAction,
  strategy: TagStrategy,
): ReadonlySet<string> {
  const derived: unknown = strategy([...spec.tags, ...action.tags]);
  if (!Array.isArray(derived) || !derived.every((tag) => typeof tag === 'string'))
    throw new ErrInvalidTool(`Tool "${address}": tagStrategy must return a list of text.`);
  return new Set([...tags, ...derived.map(toComparableTag)]);
}

export const defaultStrategies: Strategies = Object.freeze({
  inputSchema: generateInputSchema,
  description: generateDescription,
  annotations: aggregateAnnotations,
  middleware: compileMiddlewareChains,
});

/** Compiles every action of a tool. All forms and views share the compiled actions. */
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
    unknownFields,
    ignoresDiscriminator ? discriminator : undefined,
  );
  assertKeyField(address, action, schema);
  assertPlaceholders(address, action, schema);
  return Object.freeze({
    action,
    spec,
    key: discriminator === undefined ? undefined : action.key,
    toolID,
    address,
    formerAddresses: formerAddressesOf(spec, action),
    namespace: action.security?.namespace ?? spec.namespace,
    tags: comparableTags([...spec.tags, ...action.tags]),
    operation: action.security?.operation ?? local,
    schema,
    ignoresDiscriminator,
    discriminator: ignoresDiscriminator ? discriminator : undefined,
    isWrapped: isWrapped(action),
    run,
    mounted: undefined,
  });
}

/** Most actions have no tags, and an empty set of its own would be among the largest parts of an action. */
function comparableTags(tags: readonly string[]): ReadonlySet<string> {
  return tags.length === 0 ? noTags : new Set(tags.map(toComparableTag));
}

/** Every combination of the names and former names of a tool and its action, except the current ones. */
export function formerAddressesOf(
  { name, namespace, aliases = [], discriminator }: ToolSpec,
  { key, aliases: keys = [] }: InternalAction,
): readonly string[] {
  if (aliases.length === 0 && keys.length === 0) return none;
  const toID = (own: string): string => (namespace === undefined ? own : `${namespace}:${own}`);
  const tools = [name, ...aliases].map(toID);
  if (discriminator === undefined) return tools.slice(1);
  const addresses = tools.flatMap((tool) => [key, ...keys].map((each) => `${tool}/${each}`));
  return [...tools.slice(1), ...addresses.slice(1)];
}

function isWrapped({ cached, idempotency, retry, invalidates = [] }: InternalAction): boolean {
  return Boolean(cached ?? idempotency ?? retry) || invalidates.length > 0;
}

function guardHandler(action: InternalAction): InternalAction {
  return requireConfirmation(requireWrapper(action));
}

/**
 * Makes the handler of an action that needs a wrapper run only through `wrap`. A custom middleware strategy that drops
 * `wrap` must not run the handler without its wrapper, because that could write twice.
 */
function requireWrapper(action: InternalAction): InternalAction {
  if (!isWrapped(action)) return action;
  const { handler, key } = action;
  const run = drainGenerators(handler);
  return {
    ...action,
    handler: (call, wrap) => {
      if (wrap) return wrap(run, call);
      throw new ErrInvalidTool(`Action "${key}" was run without its cache, idempotency or retries.`, {
        hint: 'A custom middleware strategy must pass its second argument on to the handler.',
      });
    },
  };
}

function assertKeyField(address: string, { idempotency }: InternalAction, schema: ActionSchema): void {
  const field = idempotency?.field;
  if (field === undefined || schema.fieldNames.includes(field)) return;
  throw new ErrInvalidTool(`Tool "${address}": idempotency.field "${field}" is not one of its arguments.`, {
    details: { field: 'idempotency' },
  });
}

/** Throws if a field of the common schema and of the action has no value that is valid in both. */
function assertCompatible({ name, common }: ToolSpec, { key, input }: InternalAction): void {
  for (const [field, { schema }] of common?.fields ?? []) {
    const own = input.fields?.get(field);
    if (!common || !own) continue;
    if (!isContradiction([schema, common.jsonSchema], [own.schema, input.jsonSchema])) continue;
    throw new ErrFieldConflict(
      `The field "${field}" of tool "${name}" is ${JSON.stringify(schema)} in the common schema and ` +
        `${JSON.stringify(own.schema)} in action "${key}", and no value satisfies both.`,
      {
        hint: 'Rename one of them, or give them shapes that have values in common.',
        details: { field, actions: [key], shapes: [schema, own.schema] },
      },
    );
  }
}
