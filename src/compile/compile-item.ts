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

/** Something that compiles itself to a tool, such as a builder. */
export interface CompilableTool<App = never> {
  /** The name of the tool. */
  readonly name: string;
  /** The namespace of the tool, where it has one. */
  readonly namespace?: string | undefined;
  /** Never there: it makes a builder whose handlers want another `context.app` an error of types. */
  readonly '~app'?: (app: App) => void;
  /** Gives what a registry runs. JSON Schemas that are not read yet are read with the validator of the registry. */
  compile(validator?: SchemaValidator): CompiledSpec;
}

/** What can be registered: a builder, or a definition whose handler's input follows from its schema. */
export type Registrable<S extends SchemaSource, App> =
  | CompilableTool<App>
  | (ToolDefinition<S, App> & { readonly description: string; readonly inputSchema: S });

/** A definition whose schema is not known to TypeScript. */
export type AnyRegistrable = AnyToolDefinition & {
  readonly description: string;
  readonly inputSchema: SchemaSource;
};

/** How a registry compiles what is registered. */
export interface CompileItemOptions {
  readonly validator?: SchemaValidator | undefined;
  /** Distinguishes tools that have the same name. */
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
  /** Whether other code registered the tool on a server, which Toolfold collected it from. */
  readonly isCollected?: boolean;
}

/** Compiles a tool that is one action. */
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

/** Adds what depends on the registry. A builder may be registered in several, so its own actions stay as they are. */
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

/** A strategy only adds tags: a policy that names a tag as its author wrote it must always find it. */
function deriveTags(
  { spec, action, address, tags }: CompiledAction,
  strategy: TagStrategy,
): ReadonlySet<string> {
  const derived: unknown = strategy([...spec.tags, ...action.tags]);
  if (!Array.isArray(derived) || !derived.every((tag) => typeof tag === 'string'))
    throw new ErrInvalidTool(`Tool "${address}": tagStrategy must return a list of text.`);
  return new Set([...tags, ...derived.map(toComparableTag)]);
}
