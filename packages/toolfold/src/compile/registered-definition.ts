import type { AnyToolDefinition, ToolCall, ToolDefinition } from '../define/tool-definition.js';
import { ErrInvalidTool } from '@toolfold/schema/errors';
import type { SchemaSource } from '@toolfold/schema';
import type { CompiledSpec } from './compiled-tool.js';
import { defined } from '../values/defined.js';
import { compileTools } from './tool-forms.js';

/**
 * A registered tool as its author defined it. The handler of a builder runs the action that its input names. Only a definition
 * without `actions` can be registered again.
 */
export interface RegisteredDefinition extends ToolDefinition {
  /** Tells a model what the tool does. */
  readonly description: string;
  /** The schema of the arguments as its author wrote it. For a builder, the JSON Schema of the grouped tool. */
  readonly inputSchema: SchemaSource;
  /** The actions of a builder, with the values of the discriminator. Absent for a tool that was defined as one action. */
  readonly actions?: readonly (AnyToolDefinition & { readonly key: string })[];
}

/** The definition of a compiled tool. Its handler gets validated arguments and runs without the guards of a registry. */
export function definitionOf({ spec, actions }: CompiledSpec): RegisteredDefinition {
  const { name, namespace, version, discriminator } = spec;
  const [only] = spec.actions;
  const identity = defined<Pick<RegisteredDefinition, 'name' | 'namespace' | 'version'>>({
    name,
    namespace,
    version,
  });
  if (only && discriminator === undefined) {
    const { description = name, inputSchema = {} } = only.definition;
    const definition = only.definition as ToolDefinition;
    return Object.freeze({ ...definition, description, inputSchema, ...identity });
  }
  const [grouped] = compileTools(spec, actions);
  const { description = name, inputSchema = {} } = grouped?.tool ?? {};
  const handler = ({ input, context }: ToolCall<unknown, unknown>): unknown => {
    const { [discriminator ?? '']: key, ...rest } = input as ToolCall['input'];
    const action = actions.get(String(key));
    if (!action) throw new ErrInvalidTool(`Tool "${name}" has no action "${String(key)}".`);
    return action.run({ input: rest, context }, (run, call) => run(call));
  };
  return Object.freeze({
    ...(spec.title === undefined ? {} : { title: spec.title }),
    description: spec.description ?? description,
    inputSchema,
    tags: spec.tags,
    handler,
    actions: spec.actions.map(({ key, definition }) => ({ ...definition, key })),
    ...identity,
  });
}
