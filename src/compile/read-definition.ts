import { ErrInvalidTool, ErrInvalidSchema, ToolfoldError } from '../errors.js';
import type { ErrorOptions } from '../errors.js';
import { readSchema } from '../schema/read-schema.js';
import type { ReadSchema, ReadSchemaOptions, SchemaSource } from '../schema/read-schema.js';
import type { InternalAction } from './internal-action.js';
import type { Middleware, ToolCall, ToolDefinition } from './tool-definition.js';

/** Where a definition stands. */
export interface DefinitionPlace {
  /** The tool it belongs to; `undefined` for one that is a tool itself. */
  readonly tool?: string | undefined;
  readonly group?: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly middleware: readonly Middleware[];
  };
  readonly validator?: ReadSchemaOptions['validator'];
}

/** A definition of any typed input and context: the types matter to handler and middleware alone. */
export type AnyToolDefinition = Omit<ToolDefinition, 'handler' | 'middleware'> & {
  readonly handler: (call: never) => unknown;
  readonly middleware?: readonly ((call: never, next: never) => unknown)[];
};

/** Checks a definition, reads its schemas, and names tool, action and field in every error. */
export function readDefinition(definition: AnyToolDefinition, place: DefinitionPlace = {}): InternalAction {
  const { name } = definition;
  const what = place.tool === undefined ? 'Tool' : `Tool "${place.tool}", action`;
  if (typeof name !== 'string' || name.trim() === '') {
    throw new ErrInvalidTool(`${what} has no name.`, { hint: 'Give it a name.' });
  }
  const key = place.group ? `${place.group.name}.${name}` : name;
  const label = `${what} "${key}"`;
  if (place.tool !== undefined && name.includes('.')) {
    throw new ErrInvalidTool(`${label}: an action name must not contain a dot.`, {
      hint: 'Dots separate group and action.',
      details: { tool: place.tool, action: name },
    });
  }
  if (typeof definition.handler !== 'function') {
    throw new ErrInvalidTool(`${label} has no handler.`, { hint: 'Add handler: ({ input, context }) => …' });
  }
  const { timeout } = definition;
  if (timeout !== undefined && !(timeout > 0 && timeout < 2 ** 31)) {
    throw new ErrInvalidTool(`${label}: timeout must be milliseconds above 0 and below 2^31.`, {
      hint: 'Leave it out for no limit.',
    });
  }
  for (const field of ['tags', 'scopes'] as const) {
    const list = definition[field];
    if (list !== undefined && !(Array.isArray(list) && list.every((item) => typeof item === 'string'))) {
      throw new ErrInvalidTool(`${label}: ${field} must be a list of text.`);
    }
  }
  const options = place.validator ? { validator: place.validator } : {};
  return Object.freeze({
    key,
    actionName: name,
    groupName: place.group?.name,
    groupDescription: place.group?.description,
    title: definition.title,
    description: definition.description,
    input: readObject(definition.inputSchema ?? {}, `${label}, inputSchema`, options),
    output:
      definition.outputSchema &&
      readAt(definition.outputSchema, `${label}, outputSchema`, { ...options, side: 'output' }),
    readOnly: definition.readOnly,
    destructive: definition.destructive,
    idempotent: definition.idempotent,
    openWorld: definition.openWorld,
    tags: Object.freeze([...(definition.tags ?? [])]),
    scopes: Object.freeze([...(definition.scopes ?? [])]),
    timeout: definition.timeout,
    middleware: Object.freeze([
      ...(place.group?.middleware ?? []),
      ...((definition.middleware ?? []) as Middleware[]),
    ]),
    handler: definition.handler as (call: ToolCall) => unknown,
  });
}

/** Reads a schema of arguments, which are objects. One that only a validator understands may just say so. */
export function readObject(source: SchemaSource, label: string, options: ReadSchemaOptions = {}): ReadSchema {
  const read = readAt(source, label, options);
  const { $schema: _, ...rest } = read.jsonSchema;
  if (read.fields === undefined && rest['type'] !== 'object' && Object.keys(rest).length > 0) {
    throw new ErrInvalidSchema(`${label}: arguments are an object, and this schema is for something else.`, {
      hint: 'Wrap it in an object schema.',
    });
  }
  return read;
}

function readAt(source: SchemaSource, label: string, options: ReadSchemaOptions): ReadSchema {
  try {
    return readSchema(source, options);
  } catch (cause) {
    if (!(cause instanceof ToolfoldError)) throw cause;
    const ErrorClass = cause.constructor as new (message: string, options: ErrorOptions) => ToolfoldError;
    throw new ErrorClass(`${label}: ${cause.message}`, { cause, details: cause.details });
  }
}
