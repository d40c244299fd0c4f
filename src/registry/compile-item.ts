import { deepFreeze } from '../compile/deep-freeze.js';
import { FrozenMap } from '../compile/frozen-map.js';
import { readDefinition } from '../compile/read-definition.js';
import type { AnyToolDefinition } from '../compile/read-definition.js';
import type { ToolDefinition } from '../compile/tool-definition.js';
import { compileActions, defaultStrategies } from '../compile/tool-definition-compiler.js';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import { ErrInvalidTool } from '../errors.js';
import { assertBudget } from '../format/output-budget.js';
import type { SchemaSource } from '../schema/read-schema.js';
import type { SchemaValidator } from '../schema/schema-validator.js';
import { toItem } from './collected-tool.js';

/** Something that compiles itself to a tool, such as a builder. */
export interface CompilableTool<App = never> {
  /** The name of the tool. */
  readonly name: string;
  /** Never there: it makes a builder whose handlers want another `context.app` an error of types. */
  readonly '~app'?: (app: App) => void;
  /** Gives what a registry runs. */
  compile(): CompiledSpec;
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

/** Compiles a builder or a definition. `origin` tells it from others of its name. */
export function compileItem(
  item: CompilableTool | AnyToolDefinition,
  validator: SchemaValidator | undefined,
  origin: string | undefined,
): CompiledSpec {
  assertItem(item);
  const known = toItem(item);
  const made = 'compile' in known ? known.compile() : compileDefinition(known, validator);
  const compiled = origin === undefined ? made : withOrigin(made, origin);
  for (const { address, action } of compiled.actions.values())
    if (action.outputBudget) assertBudget(action.outputBudget, `Tool "${address}": outputBudget`);
  return compiled;
}

function assertItem(item: unknown): asserts item is object {
  if (typeof item === 'object' && item !== null) return;
  throw new ErrInvalidTool(`Only builders and definitions can be registered, not ${String(item)}.`);
}

function compileDefinition(
  definition: AnyToolDefinition,
  validator: SchemaValidator | undefined,
): CompiledSpec {
  const action = readDefinition(definition, { validator });
  const spec = deepFreeze({
    name: definition.name,
    title: definition.title,
    description: definition.description,
    icons: definition.icons && structuredClone([...definition.icons]),
    namespace: definition.namespace,
    tags: [...(definition.tags ?? [])],
    actions: [action],
    globalMiddleware: [],
    unknownFields: 'strict' as const,
    strategies: defaultStrategies,
  });
  return { spec, actions: compileActions(spec) };
}

function withOrigin({ spec, actions }: CompiledSpec, origin: string): CompiledSpec {
  const marked = [...actions].map(([key, action]) => [key, Object.freeze({ ...action, origin })] as const);
  return { spec, actions: new FrozenMap(marked) };
}
