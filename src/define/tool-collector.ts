import { ErrDuplicateName, ErrInvalidTool } from '../errors.js';
import type { Icon } from '../protocol/mcp-types.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import { readSchema } from '../schema/read/read-schema.js';
import type { SchemaSource } from '../schema/read/read-schema.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import type { AnyToolDefinition, ToolContext } from './tool-definition.js';

/** A tool that code registered through the API of an MCP SDK. */
export interface McpToolDefinition {
  /** The registered name. */
  readonly name: string;
  /** The name that people read. */
  readonly title?: string;
  /** The purpose of the tool. Default: its title or its name. */
  readonly description: string;
  /** The JSON Schema that clients see. */
  readonly inputSchema: JsonSchemaObject;
  /** The registered schema, which validates the arguments. */
  readonly inputSource: SchemaSource;
  /** The schema of `structuredContent`. */
  readonly outputSchema?: SchemaSource;
  /** Reads and validates its JSON Schemas. Default: the validator of the registry. */
  readonly schemaValidator?: SchemaValidator;
  /** Hints about the effects of a call. */
  readonly annotations: ToolAnnotationsInit;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Data for programs. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Takes the arguments and, second, the context that an SDK would pass. */
  readonly handler: (args: Readonly<Record<string, unknown>>, extra?: unknown) => Promise<unknown>;
}

/** A handler in the form that the SDKs take. */
type Callback = (...args: never[]) => unknown;

/** The second argument of `registerTool`, in both SDKs. */
export interface ToolConfig {
  /** The name that people read. */
  readonly title?: string;
  /** The purpose of the tool. */
  readonly description?: string;
  /** The schema of the arguments, or an object of field schemas. */
  readonly inputSchema?: unknown;
  /** The schema of `structuredContent`. */
  readonly outputSchema?: unknown;
  /** Hints about the effects of a call. */
  readonly annotations?: ToolAnnotationsInit;
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Data for programs. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** Options of `ToolCollector`. */
export interface ToolCollectorOptions {
  /** Reads and validates the JSON Schemas of the tools. Default: the built-in validator. */
  readonly schemaValidator?: SchemaValidator | undefined;
}

/**
 * Collects tools from code that registers them on an MCP server. It has the registration methods of both SDKs and serves nothing.
 */
export class ToolCollector {
  readonly #tools = new Map<string, McpToolDefinition>();
  readonly #validator: SchemaValidator | undefined;

  constructor({ schemaValidator }: ToolCollectorOptions = {}) {
    this.#validator = schemaValidator;
  }

  /** Registers a tool as in SDK v1: a name, an optional description, schema and annotations, then the handler. */
  tool(name: string, ...rest: readonly [...unknown[], Callback]): void {
    this.#capture(name, ...readArguments(rest));
  }

  /** Registers a tool as in both SDKs. */
  registerTool(name: string, config: ToolConfig, callback: Callback): void {
    this.#capture(name, config, callback);
  }

  /** The tools that were registered so far. */
  getToolDefinitions(): McpToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** The number of tools that were registered so far. */
  getToolCount(): number {
    return this.#tools.size;
  }

  /** Removes all tools. */
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
    const { title: annotatedTitle, ...annotations } = config.annotations ?? {};
    const title = config.title ?? annotatedTitle;
    const description = [config.description, title].find((text) => text?.trim()) ?? name;
    const source = (config.inputSchema === undefined ? {} : config.inputSchema) as SchemaSource;
    const validator = this.#validator;
    const { $schema: _, ...inputSchema } = readSchema(source, validator ? { validator } : {}).jsonSchema;
    this.#tools.set(name, {
      name,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: { type: 'object', ...inputSchema },
      inputSource: source,
      ...(outputSchema === undefined ? {} : { outputSchema: outputSchema as SchemaSource }),
      ...(validator ? { schemaValidator: validator } : {}),
      annotations,
      ...(icons ? { icons } : {}),
      ...(_meta ? { meta: _meta } : {}),
      handler: handlerOf(config, callback),
    });
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

/** The SDKs call handlers of tools without a schema with the context only. */
function handlerOf({ inputSchema }: ToolConfig, callback: Callback): McpToolDefinition['handler'] {
  const run = callback as unknown as (...args: unknown[]) => unknown;
  return async (args, extra) => (inputSchema === undefined ? run(extra) : run(args, extra));
}

const hints: ReadonlySet<string> = new Set([
  'title',
  'readOnlyHint',
  'destructiveHint',
  'idempotentHint',
  'openWorldHint',
]);

/** Whether an object is annotations and not a schema. The fields of a raw shape are schemas, and JSON Schema has `type`. */
function isAnnotations(value: unknown): boolean {
  if (!isJsonObject(value) || Object.hasOwn(value, 'type')) return false;
  const entries = Object.entries(value);
  return (
    entries.some(([key]) => hints.has(key)) &&
    entries.every(([, entry]) => entry === null || (typeof entry !== 'object' && typeof entry !== 'function'))
  );
}

/** Marks the definitions of collected tools. A symbol, because copies made with spread syntax keep it. */
export const COLLECTED = Symbol('collected');

/**
 * Turns a collected tool into a definition. Other items are returned unchanged. Handlers of collected tools take bare arguments,
 * as the SDKs pass them.
 */
export function toItem<T extends object>(tool: T | McpToolDefinition): T | AnyToolDefinition {
  if (!('inputSource' in tool)) return tool;
  const { name, title, description, inputSource, outputSchema, annotations, icons, meta, handler } = tool;
  const { schemaValidator } = tool;
  const definition = {
    [COLLECTED]: true,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: inputSource,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(schemaValidator ? { schemaValidator } : {}),
    ...(icons ? { icons } : {}),
    ...(meta ? { meta } : {}),
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
