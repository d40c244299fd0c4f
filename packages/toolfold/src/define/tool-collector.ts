import { ErrDuplicateName, ErrInvalidTool } from '@toolfold/schema/errors';
import type { Icon } from '@toolfold/profiles';
import { defined } from '../values/defined.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { JsonSchemaObject, SchemaSource, SchemaValidator } from '@toolfold/schema';
import { assertOptions, assertPlain, isJsonObject, withMethods } from '@toolfold/schema/internal';
import { hintNames, needsValidator } from './read-definition.js';
import { readSchema } from '@toolfold/schema';
import type { AnyToolDefinition, ToolContext } from './tool-definition.js';

/** A tool that code registered through the API of an MCP SDK. */
export interface McpToolDefinition {
  /** The name under which the code registered the tool. */
  readonly name: string;
  /** Name that clients show to people instead of `name`. */
  readonly title?: string;
  /** Tells a model what the tool does. Default: the title or the name. */
  readonly description: string;
  /** The JSON Schema that clients see. */
  readonly inputSchema: JsonSchemaObject;
  /** The registered schema, which validates the arguments. */
  readonly inputSource: SchemaSource;
  /** Schema of the data that the handler returns as `structuredContent`. */
  readonly outputSchema?: SchemaSource;
  /** Reads and validates its JSON Schemas. Default: the validator of the registry. */
  readonly schemaValidator?: SchemaValidator;
  /** Tells clients whether a call reads, writes or destroys data. */
  readonly annotations: ToolAnnotationsInit;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Metadata for programs, sent as `_meta` in lists. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Takes the arguments and, second, the context that an SDK would pass. */
  readonly handler: (args: Readonly<Record<string, unknown>>, extra?: unknown) => Promise<unknown>;
}

/** The SDKs accept handlers with any parameters. */
type Callback = (...args: never[]) => unknown;

/** Describes a tool in `registerTool`, as both SDKs do. */
export interface ToolConfig {
  /** Name that clients show to people instead of `name`. */
  readonly title?: string;
  /** Tells a model what the tool does. */
  readonly description?: string;
  /** The schema of the arguments, or an object of field schemas. */
  readonly inputSchema?: unknown;
  /** Schema of the data that the handler returns as `structuredContent`. */
  readonly outputSchema?: unknown;
  /** Tells clients whether a call reads, writes or destroys data. */
  readonly annotations?: ToolAnnotationsInit;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Metadata for programs, sent as `_meta` in lists. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Decides how a `ToolCollector` reads schemas. */
export interface ToolCollectorOptions {
  /** Reads and validates the JSON Schemas of the tools. Default: the validator of the registry, else the built-in one. */
  readonly schemaValidator?: SchemaValidator | undefined;
}

/**
 * Collects tools from code that registers them on an MCP server. It has the registration methods of both SDKs and serves nothing.
 */
export class ToolCollector {
  readonly #tools = new Map<string, McpToolDefinition>();
  readonly #validator: SchemaValidator | undefined;

  constructor(options: ToolCollectorOptions = {}) {
    assertOptions('ToolCollector', options, { schemaValidator: withMethods('compile') });
    this.#validator = options.schemaValidator;
  }

  /** Registers a tool as in SDK v1: a name, an optional description, schema and annotations, then the handler. */
  tool(name: string, ...rest: readonly [...unknown[], Callback]): void {
    this.#capture(name, ...readArguments(rest));
  }

  /** Registers a tool as in both SDKs: a name, its description and schemas, then the handler. */
  registerTool(name: string, config: ToolConfig, callback: Callback): void {
    this.#capture(name, config, callback);
  }

  /** Returns the collected tools in the order of their registration. */
  getToolDefinitions(): McpToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** Returns how many tools were collected. */
  getToolCount(): number {
    return this.#tools.size;
  }

  /** Forgets all collected tools, so that their names are free again. */
  clear(): void {
    this.#tools.clear();
  }

  #capture(name: string, config: ToolConfig, callback: Callback): void {
    if (typeof name !== 'string' || name === '')
      throw new ErrInvalidTool('A tool without a name was registered.');
    if (typeof callback !== 'function') throw new ErrInvalidTool(`Tool "${name}" has no handler.`);
    if (this.#tools.has(name)) {
      throw new ErrDuplicateName(`A tool "${name}" is already registered.`, {
        details: { name, kind: 'tool' },
      });
    }
    if ('scopeChallenge' in config && config.scopeChallenge !== undefined) {
      throw new ErrInvalidTool(`Tool "${name}" has a scopeChallenge, which Toolfold does not support.`, {
        hint: 'Declare its scopes in a definition instead.',
        details: { name, field: 'scopeChallenge' },
      });
    }
    const { outputSchema, icons, _meta } = config;
    // The title is not a hint, so hints that a module sets for all its tools must not override it.
    const { annotations: given = {} } = config;
    assertPlain(`Tool "${name}": the annotations`, given, { error: ErrInvalidTool });
    const { title: annotatedTitle, ...annotations } = given;
    const title = config.title ?? annotatedTitle;
    const description = [config.description, title].find((text) => text?.trim()) ?? name;
    const source = (config.inputSchema === undefined ? {} : config.inputSchema) as SchemaSource;
    const validator = this.#validator;
    const { $schema: _, ...inputSchema } = readInput(source, validator);
    this.#tools.set(
      name,
      defined<McpToolDefinition>({
        name,
        title,
        description,
        inputSchema: { type: 'object', ...inputSchema },
        inputSource: source,
        outputSchema: outputSchema as SchemaSource | undefined,
        schemaValidator: validator,
        annotations,
        icons,
        meta: _meta,
        handler: handlerOf(config, callback),
      }),
    );
  }
}

/** The JSON Schema of a tool. A schema that only the validator of a registry can read is left unchanged. */
function readInput(source: SchemaSource, validator: SchemaValidator | undefined): JsonSchemaObject {
  try {
    return readSchema(source, validator ? { validator } : {}).jsonSchema;
  } catch (error) {
    if (validator || !needsValidator(error)) throw error;
    return source as JsonSchemaObject;
  }
}

/** Collects only the handlers of tools whose definitions are already known. */
export class HandlerCollector {
  readonly handlers = new Map<string, McpToolDefinition['handler']>();

  tool(name: string, ...rest: readonly [...unknown[], Callback]): void {
    this.handlers.set(name, handlerOf(...readArguments(rest)));
  }

  registerTool(name: string, config: ToolConfig, callback: Callback): void {
    this.handlers.set(name, handlerOf(config, callback));
  }
}

function readArguments(rest: readonly unknown[]): [config: ToolConfig, callback: Callback] {
  const before = rest.slice(0, -1);
  const description = typeof before[0] === 'string' ? (before.shift() as string) : undefined;
  // A single object is the schema, unless it can only be annotations.
  const [first, second] = before;
  const isAnnotated = before.length === 1 && isAnnotations(first);
  const config = {
    ...(description === undefined ? {} : { description }),
    ...(isAnnotated ? {} : { inputSchema: first }),
    annotations: ((isAnnotated ? first : second) ?? {}) as ToolAnnotationsInit,
  };
  return [config, rest.at(-1) as Callback];
}

/** For a tool without a schema, the SDKs pass the context as the first argument. */
function handlerOf({ inputSchema }: ToolConfig, callback: Callback): McpToolDefinition['handler'] {
  const run = callback as unknown as (...args: unknown[]) => unknown;
  return async (args, extra) => (inputSchema === undefined ? run(extra) : run(args, extra));
}

const hints: ReadonlySet<string> = new Set(['title', ...Object.keys(hintNames)]);

/** Whether an object is annotations and not a schema. The fields of a raw shape are schemas, and JSON Schema has `type`. */
function isAnnotations(value: unknown): boolean {
  if (!isJsonObject(value) || Object.hasOwn(value, 'type')) return false;
  const entries = Object.entries(value);
  return (
    entries.some(([key]) => hints.has(key)) &&
    entries.every(([, entry]) => entry === null || (typeof entry !== 'object' && typeof entry !== 'function'))
  );
}

/** Marks the definitions of collected tools. A symbol, because spread syntax copies it and no author can write it by accident. */
export const COLLECTED = Symbol('collected');

/**
 * Turns a collected tool into a definition. Other items are returned unchanged. Handlers of collected tools take bare arguments,
 * as the SDKs pass them.
 */
export function toItem<T extends object>(tool: T | McpToolDefinition): T | AnyToolDefinition {
  if (!('inputSource' in tool)) return tool;
  const { inputSource, annotations, handler, ...fields } = tool;
  const definition = {
    [COLLECTED]: true,
    ...fields,
    inputSchema: inputSource,
    metadata: { annotations: { ...annotations } },
    handler: ({ input, context }: { input: Readonly<Record<string, unknown>>; context: ToolContext }) =>
      handler(input, toExtra(context)),
  };
  return definition;
}

/** The context that handlers written for either SDK expect as their second argument. */
export function toExtra({ signal, caller, sdk, log }: ToolContext): object {
  if (typeof sdk === 'object' && sdk !== null) return sdk;
  const { auth, sessionId } = caller;
  return {
    signal,
    authInfo: auth,
    sessionId,
    mcpReq: { method: 'tools/call', signal, log },
    http: { authInfo: auth },
  };
}
