import { ErrDuplicateName, ErrInvalidTool } from '../errors.js';
import type { Icon } from '../protocol/mcp-types.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import { readSchema } from '../schema/read/read-schema.js';
import type { SchemaSource } from '../schema/read/read-schema.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import type { AnyToolDefinition, ToolContext } from './tool-definition.js';

/** A tool as code that registers on an MCP server hands it over. */
export interface McpToolDefinition {
  /** As it was registered. */
  readonly name: string;
  /** What people read in place of the name. */
  readonly title?: string;
  /** What it is for; its title or its name where nothing was said. */
  readonly description: string;
  /** What clients are told, as JSON Schema. */
  readonly inputSchema: JsonSchemaObject;
  /** What arguments are validated with: the schema that was registered. */
  readonly inputSource: SchemaSource;
  /** What its `structuredContent` is. */
  readonly outputSchema?: SchemaSource;
  /** Reads and validates its JSON Schemas. Default: the validator of the registry. */
  readonly schemaValidator?: SchemaValidator;
  /** What a call of it does to the world. */
  readonly annotations: ToolAnnotationsInit;
  /** Pictures that a client may show. */
  readonly icons?: readonly Icon[];
  /** Facts for programs. */
  readonly meta?: Readonly<Record<string, unknown>>;
  /** Takes the arguments and, second, what an SDK would pass along. */
  readonly handler: (args: Readonly<Record<string, unknown>>, extra?: unknown) => Promise<unknown>;
}

/** A handler as an SDK takes it. */
type Callback = (...args: never[]) => unknown;

/** The second argument of `registerTool`, in both SDKs. */
export interface ToolConfig {
  /** What people read in place of the name. */
  readonly title?: string;
  /** What it is for. */
  readonly description?: string;
  /** What its arguments are: a schema, or an object of field schemas. */
  readonly inputSchema?: unknown;
  /** What its `structuredContent` is. */
  readonly outputSchema?: unknown;
  /** What a call of it does to the world. */
  readonly annotations?: ToolAnnotationsInit;
  /** Pictures that a client may show. */
  readonly icons?: readonly Icon[];
  /** Facts for programs. */
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** How a `ToolCollector` reads what is registered. */
export interface ToolCollectorOptions {
  /** Reads and validates the JSON Schemas of the tools. Default: the built-in validator. */
  readonly schemaValidator?: SchemaValidator | undefined;
}

/** A server that serves nothing: code which registers tools on an MCP server registers them here, unchanged. */
export class ToolCollector {
  readonly #tools = new Map<string, McpToolDefinition>();
  readonly #validator: SchemaValidator | undefined;

  constructor({ schemaValidator }: ToolCollectorOptions = {}) {
    this.#validator = schemaValidator;
  }

  /** As in the first SDK: a name, then description, schema and annotations where there are any, then the handler. */
  tool(name: string, ...rest: readonly [...unknown[], Callback]): void {
    this.#capture(name, ...readArguments(rest));
  }

  /** As in both SDKs. */
  registerTool(name: string, config: ToolConfig, callback: Callback): void {
    this.#capture(name, config, callback);
  }

  /** What was registered so far. */
  getToolDefinitions(): McpToolDefinition[] {
    return [...this.#tools.values()];
  }

  /** How many tools were registered so far. */
  getToolCount(): number {
    return this.#tools.size;
  }

  /** Forgets what was registered. */
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
      throw new ErrInvalidTool(`Tool "${name}" has a scopeChallenge, which nothing here would ask.`, {
        hint: 'Give its scopes in a definition instead.',
        details: { name, field: 'scopeChallenge' },
      });
    }
    const { outputSchema, icons, _meta } = config;
    // The title is a name, and not one of the hints that a module can set for all of its tools.
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

/** A server that keeps the handlers alone, of tools that are known already. */
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
  // One object alone is a schema, unless it can only be annotations.
  const [first, second] = before;
  const isAnnotated = before.length === 1 && isAnnotations(first);
  const config = {
    ...(description === undefined ? {} : { description }),
    ...(isAnnotated ? {} : { inputSchema: first }),
    annotations: ((isAnnotated ? first : second) ?? {}) as ToolAnnotationsInit,
  };
  return [config, rest.at(-1) as Callback];
}

/** Without a schema the SDKs pass no arguments. */
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

/** Fields of a shape have schemas for values, and JSON Schema says what it is a schema of. */
function isAnnotations(value: unknown): boolean {
  if (!isJsonObject(value) || Object.hasOwn(value, 'type')) return false;
  const entries = Object.entries(value);
  return (
    entries.some(([key]) => hints.has(key)) &&
    entries.every(([, entry]) => entry === null || (typeof entry !== 'object' && typeof entry !== 'function'))
  );
}

/** Marks the definition of a collected tool. A symbol, so that copies of the definition keep it. */
export const COLLECTED = Symbol('collected');

/** The definition of a collected tool, whose handler takes its arguments bare, as the SDKs pass them. */
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

/** What handlers that were written for either SDK find beside their arguments. */
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
