import { deepFreeze, FrozenMap } from '../values/freeze.js';
import { readDefinition } from '../define/read-definition.js';
import type { AnyToolDefinition, ToolDefinition } from '../define/tool-definition.js';
import { compileActions, defaultStrategies } from './tool-definition-compiler.js';
import type { CompiledAction, CompiledSpec, Strategies } from './compiled-tool.js';
import { ErrInvalidTool } from '../errors.js';
import { assertBudget } from '../guards/budget/output-budget.js';
import { toComparableTag } from '../model/tool.js';
import type { TagStrategy } from '../model/tool.js';
import type { SchemaSource } from '../schema/read/read-schema.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import { COLLECTED, toItem } from '../define/tool-collector.js';

/** An object that compiles itself to a tool, such as a builder. */
export interface CompilableTool<App = never> {
  /** The name of the tool. */
  readonly name: string;
  /** The namespace of the tool, if it has one. */
  readonly namespace?: string | undefined;
  /** Never set. With it, TypeScript rejects a builder whose handlers need another type of `context.app`. */
  readonly '~app'?: (app: App) => void;
  /** Compiles the tool. JSON Schemas that were not read before are read with the registry's validator. */
  compile(validator?: SchemaValidator): CompiledSpec;
}

/** Items that can be registered: builders, and definitions whose handler input is inferred from the schema. */
export type Registrable<S extends SchemaSource, App> =
  | CompilableTool<App>
  | (ToolDefinition<S, App> & { readonly description: string; readonly inputSchema: S });

/** A definition whose schema has no static type. */
export type AnyRegistrable = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: SchemaSource;
};

/** How a registry compiles an item. */
interface CompileItemOptions {
  readonly validator?: SchemaValidator | undefined;
  /** Distinguishes tools of the same name from different sources. */
  readonly origin?: string | undefined;
  readonly tagStrategy?: TagStrategy | undefined;
}

/** Compiles a builder or a definition. */
export function compileItem(
  item: CompilableTool | AnyToolDefinition,
  { validator, origin, tagStrategy }: CompileItemOptions,
): CompiledSpec {
  assertItem(item);
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

function assertItem(item: unknown): asserts item is object {
  if (typeof item === 'object' && item !== null) return;
  throw new ErrInvalidTool(`Only builders and definitions can be registered, not ${String(item)}.`);
}

interface CompileDefinitionOptions {
  readonly validator: SchemaValidator | undefined;
  readonly strategies?: Strategies;
  /** Whether a `ToolCollector` collected the tool. */
  readonly isCollected?: boolean;
}

/** Compiles a tool that consists of one action. */
export function compileDefinition(
  definition: AnyToolDefinition,
  { validator, strategies = defaultStrategies, isCollected = false }: CompileDefinitionOptions,
): CompiledSpec {
  const action = readDefinition(definition, { validator });
  const spec = deepFreeze({
    name: definition.name,
    title: definition.title,
    description: definition.description,
    icons: definition.icons && structuredClone([...definition.icons]),
    namespace: definition.namespace,
    version: definition.version,
    tags: [...(definition.tags ?? [])],
    listsDialect: !isCollected,
    actions: [action],
    globalMiddleware: [],
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
function deriveTags(
  { spec, action, address, tags }: CompiledAction,
  strategy: TagStrategy,
): ReadonlySet<string> {
  const derived: unknown = strategy([...spec.tags, ...action.tags]);
  if (!Array.isArray(derived) || !derived.every((tag) => typeof tag === 'string'))
    throw new ErrInvalidTool(`Tool "${address}": tagStrategy must return a list of text.`);
  return new Set([...tags, ...derived.map(toComparableTag)]);
}
