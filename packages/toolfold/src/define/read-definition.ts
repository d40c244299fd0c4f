import {
  ErrExternalRef,
  ErrInvalidSchema,
  ErrInvalidTool,
  ErrUnsupportedSchema,
  ToolfoldError,
} from '@toolfold/schema/errors';
import type { ErrorOptions } from '@toolfold/schema/errors';
import { assertAccepts, deepFreeze, describeValue, isForeign } from '@toolfold/schema/internal';
import { readSchema } from '@toolfold/schema';
import type { ReadSchema, ReadSchemaOptions, SchemaSource, SchemaValidator } from '@toolfold/schema';
import { assertItem } from './assert-item.js';
import { assertDefinition } from './assert-definition.js';
import { copySearchWords, type SearchWords } from './search-words.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { StructuredText } from '../guards/budget/structured-text.js';
import type { Meta } from '@toolfold/profiles';
import type {
  AnyToolDefinition,
  Cached,
  ClientHints,
  DefaultArgumentResolver,
  Hints,
  IdempotencyRule,
  Middleware,
  RetryRule,
  SecurityLabels,
  TaskRule,
  ToolCall,
} from './tool-definition.js';

/** Wraps the handler of an action. It may return a cached value or an earlier result instead of running the handler. */
export type WrapHandler = (handler: (call: ToolCall) => unknown, call: ToolCall) => unknown;

/** A handler, or a middleware chain that ends in a handler. The chain passes `wrap` on to the handler. */
export type ActionFn = (call: ToolCall, wrap?: WrapHandler) => unknown;

/**
 * A definition after its names, options and schemas were checked. Builders and tools that consist of one action share this
 * form.
 */
export interface InternalAction extends Hints {
  /** A frozen copy of what the author wrote, for `getToolDefinitions()`. */
  readonly definition: AnyToolDefinition;
  /** `create`, or `users.create` below a group. */
  readonly key: string;
  readonly actionName: string;
  readonly groupName?: string | undefined;
  readonly groupDescription?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  /** The action's own input schema, without the common fields. */
  readonly input: ReadSchema;
  /** The input schema that clients see, if it differs from the validated one. */
  readonly advertised?: Pick<ReadSchema, 'jsonSchema' | 'fields' | 'required'> | undefined;
  readonly output?: ReadSchema | undefined;
  readonly meta?: Meta | undefined;
  readonly clientHints?: ClientHints | undefined;
  /** Former keys of the action, or former names of a tool that consists of it. */
  readonly aliases?: readonly string[] | undefined;
  readonly tags: readonly string[];
  readonly search?: SearchWords | undefined;
  readonly scopes: readonly string[];
  readonly security?: SecurityLabels | undefined;
  readonly confirm?: string | ((call: ToolCall) => unknown) | undefined;
  readonly resolveDefaults?: DefaultArgumentResolver | undefined;
  readonly timeoutMs?: number | undefined;
  readonly task?: TaskRule | undefined;
  readonly cost?: number | undefined;
  readonly cached?: Cached | undefined;
  readonly invalidates?: readonly string[] | undefined;
  readonly idempotency?: IdempotencyRule | undefined;
  readonly retry?: RetryRule | undefined;
  readonly outputBudget?: OutputBudget | undefined;
  readonly textFormat?: 'json' | 'toon' | undefined;
  readonly structuredText?: StructuredText | undefined;
  readonly unknownOutput?: 'strip' | 'reject' | undefined;
  /** The middleware of the group, then that of the action. */
  readonly middleware: readonly Middleware[];
  readonly handler: ActionFn;
}

export interface DefinitionPlace {
  /** The name of the tool; `undefined` if the definition is a tool itself. */
  readonly tool?: string | undefined;
  readonly group?: {
    readonly name: string;
    readonly description?: string | undefined;
    readonly middleware: readonly Middleware[];
  };
  readonly validator?: ReadSchemaOptions['validator'];
}

/** Reads schemas with the given validator. Without one, throws if only a validator of the registry can read them. */
export type Reader<T> = (validator?: SchemaValidator) => T;

/**
 * Reads with the author's own validator, so that mistakes throw where they are made. The validator of a registry reads again later, and
 * only it can read some schemas: their errors are thrown when they are read without one.
 */
export function createReader<T>(own: SchemaValidator | undefined, read: Reader<T>): Reader<T> {
  let known: T | undefined;
  try {
    known = read(own);
  } catch (error) {
    if (own || !needsValidator(error)) throw error;
  }
  return (validator) => (own || !validator ? (known ??= read(own)) : read(validator));
}

/** Whether the error is one that another `SchemaValidator` may avoid, such as an unknown dialect. */
export function needsValidator(error: unknown): boolean {
  return error instanceof ErrUnsupportedSchema || error instanceof ErrExternalRef;
}

/** Checks a definition and reads its schemas. Errors name the tool, the action and the field. */
export function readDefinition(definition: AnyToolDefinition, place: DefinitionPlace = {}): InternalAction {
  if (place.tool !== undefined) assertItem('.action', definition);
  const { name, key, label } = identify(definition, place);
  assertDefinition(definition, label, place.tool === undefined);
  const validator = definition.schemaValidator ?? place.validator;
  const options = validator ? { validator } : {};
  const input = readObject(definition.inputSchema ?? {}, `${label}, inputSchema`, options);
  const { annotations: { title: annotatedTitle, ...annotations } = {} } = definition.metadata ?? {};
  const hints = hintsOf(definition, annotations, label);
  return Object.freeze({
    definition: Object.freeze({ ...definition }),
    key,
    actionName: name,
    groupName: place.group?.name,
    groupDescription: place.group?.description,
    title: definition.title ?? annotatedTitle,
    description: definition.description,
    meta: metaOf(definition, annotations),
    clientHints: definition.clientHints && Object.freeze({ ...definition.clientHints }),
    aliases: formerKeys(definition.aliases, place),
    input,
    advertised: readAdvertised(definition, label, options),
    output:
      definition.outputSchema &&
      readAt(definition.outputSchema, `${label}, outputSchema`, { ...options, side: 'output' }),
    readOnly: hints.readOnly,
    destructive: hints.destructive,
    idempotent: hints.idempotent,
    openWorld: hints.openWorld,
    tags: frozenCopy(definition.tags),
    search: definition.search && copySearchWords(definition.search),
    scopes: frozenCopy(definition.scopes),
    security: definition.security && Object.freeze({ ...definition.security }),
    confirm: definition.confirm as InternalAction['confirm'],
    resolveDefaults: definition.defaultArgumentResolver,
    timeoutMs: definition.timeoutMs,
    task: definition.task === true ? {} : definition.task && { ...definition.task },
    cost: definition.cost,
    cached: definition.cached && deepFreeze(structuredClone(definition.cached)),
    invalidates: definition.invalidates && Object.freeze([...definition.invalidates]),
    idempotency:
      definition.idempotency === true ? {} : definition.idempotency && { ...definition.idempotency },
    retry: definition.retry && { ...definition.retry },
    outputBudget: definition.outputBudget && { ...definition.outputBudget },
    textFormat: definition.textFormat,
    structuredText: definition.structuredText,
    unknownOutput: definition.unknownOutput,
    middleware: frozenCopy([
      ...(place.group?.middleware ?? none),
      ...((definition.middleware ?? none) as Middleware[]),
    ]),
    handler: definition.handler as (call: ToolCall) => unknown,
  });
}

const none: readonly never[] = Object.freeze([]);

/** All empty lists are one, because most definitions have several. */
function frozenCopy<T>(list: readonly T[] = none): readonly T[] {
  return list.length === 0 ? none : Object.freeze([...list]);
}

function identify(definition: AnyToolDefinition, { tool, group }: DefinitionPlace) {
  const { name } = definition;
  const what = tool === undefined ? 'Tool' : `Tool "${tool}", action`;
  if (typeof name !== 'string' || name.trim() === '') {
    const given =
      name === undefined ? `Got ${describeValue(definition)}` : `Its name is ${describeValue(name)}`;
    throw new ErrInvalidTool(`${what} has no name. ${given}.`, { hint: "Write name: '…'." });
  }
  const key = group ? `${group.name}.${name}` : name;
  const label = `${what} "${key}"`;
  if (tool !== undefined && name.includes('.')) {
    throw new ErrInvalidTool(`${label}: an action name must not contain a dot.`, {
      hint: 'Dots separate group and action.',
      details: { tool, action: name },
    });
  }
  return { name, key, label };
}

/** Former names as keys. A former name without a group belongs to the group of the action. */
function formerKeys(aliases: readonly string[] = [], { tool, group }: DefinitionPlace): readonly string[] {
  const isBare = (alias: string): boolean =>
    tool !== undefined && group !== undefined && !alias.includes('.');
  return frozenCopy(aliases.map((alias) => (isBare(alias) ? `${group?.name}.${alias}` : alias)));
}

export const hintNames = {
  readOnlyHint: 'readOnly',
  destructiveHint: 'destructive',
  idempotentHint: 'idempotent',
  openWorldHint: 'openWorld',
} as const satisfies Record<string, keyof Hints>;

/** Merges hints that may be given under either of two names. Throws if the two disagree. */
function hintsOf(definition: Hints, annotations: Readonly<Record<string, unknown>>, label: string): Hints {
  const hints: Record<string, boolean | undefined> = {};
  for (const [theirs, ours] of Object.entries(hintNames)) {
    const [declared, annotated] = [definition[ours], annotations[theirs] as boolean | undefined];
    if (declared !== undefined && annotated !== undefined && declared !== annotated) {
      throw new ErrInvalidTool(
        `${label}: ${ours} is ${declared}, but metadata.annotations.${theirs} is ${annotated}.`,
        {
          hint: 'Set only one of them.',
        },
      );
    }
    hints[ours] = declared ?? annotated;
  }
  return hints;
}

/** Annotations that MCP does not define are sent in `_meta`. */
function metaOf({ meta }: AnyToolDefinition, annotations: Readonly<Record<string, unknown>>) {
  const others = Object.entries(annotations).filter(([key]) => !(key in hintNames));
  if (!meta && others.length === 0) return undefined;
  return deepFreeze(structuredClone({ ...Object.fromEntries(others), ...meta }));
}

function readAdvertised(
  { inputSchema = {}, metadata: { inputJsonSchema, allowNarrower } = {} }: AnyToolDefinition,
  label: string,
  options: ReadSchemaOptions,
): InternalAction['advertised'] {
  if (inputJsonSchema === undefined) return undefined;
  const place = `${label}, metadata.inputJsonSchema`;
  const advertised = readObject(inputJsonSchema, place, options);
  if (allowNarrower !== true)
    assertAccepts(advertised, readAt(inputSchema, label, { ...options, isExact: true }), place);
  const { jsonSchema, fields, required } = advertised;
  return Object.freeze({ jsonSchema, fields, required });
}

/**
 * Reads the schema of arguments and rejects schemas that describe no object. A schema that only the author's validator can read
 * may leave its type open.
 */
export function readObject(source: SchemaSource, label: string, options: ReadSchemaOptions = {}): ReadSchema {
  const read = readAt(source, label, options);
  const { $schema: _, ...rest } = read.jsonSchema;
  // The author's validator may resolve the reference to an object schema.
  if (options.validator && rest['type'] === undefined && isForeign(read.jsonSchema)) return read;
  if (rest['type'] !== 'object' && read.fields === undefined && Object.keys(rest).length > 0) {
    const type = typeof rest['type'] === 'string' ? `the type ${rest['type']}` : 'another type';
    throw new ErrInvalidSchema(`${label}: arguments must be an object, but this schema describes ${type}.`, {
      hint: 'Wrap it in an object schema: z.object({ field: … }).',
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
