import type { Caller } from '../callers/caller.js';
import type { LoggingLevel } from '../protocol/log-levels.js';
import type { Meta, Icon } from '../protocol/mcp-types.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import type { SchemaSource, InferInput } from '../schema/read/read-schema.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import type { CacheHelpers } from '../guards/cache/cache.js';
import type { RequestInput } from './input-question.js';

/** Reports how far a call has come; does nothing where the client did not ask. */
export type ReportProgress = (progress: number, total?: number, message?: string) => Promise<void>;

/** Sends a log message to the client; does nothing where the client did not ask for the level. */
export type LogToClient = (level: LoggingLevel, data: unknown, logger?: string) => Promise<void>;

/** What every handler knows, of a tool, a prompt or a resource. `App` is what the registry's `contextFactory` makes. */
export interface RequestContext<App = unknown> {
  /** What the registry's `contextFactory` made for this call. */
  readonly app: App;
  /** The credential to call other services with: that of the session context, else the one that was verified. */
  readonly accessToken: string | undefined;
  /** Ends when the caller gives up or the time is over. A handler that takes long should look at it. */
  readonly signal: AbortSignal;
  /** Tells the client how far the call has come. */
  readonly progress: ReportProgress;
  /** Asks the person at the client, its model, or for its directories. */
  readonly requestInput: RequestInput;
  /** Sends the client a log message. */
  readonly log: LogToClient;
  /**
   * Lets the connection go while the call runs on. A client of 2025-11-25 comes back for the answer; for others
   * nothing happens.
   */
  readonly releaseConnection: () => void;
  /** Who is calling. */
  readonly caller: Caller;
  /** What the request and the server say about the caller; empty where neither does. It was not verified. */
  readonly session: Readonly<Record<string, unknown>>;
  /** What is kept from call to call, by session context, and by caller unless declared shared. */
  readonly cache: CacheHelpers;
  /** The context of the MCP SDK, for what is not wrapped here. */
  readonly sdk: unknown;
}

/** What the handler of a tool knows beside its input. */
export interface ToolContext<App = unknown> extends RequestContext<App> {
  /** The discriminator's value in a grouped tool: `users.create`. */
  readonly action: string | undefined;
  /**
   * The operation that runs: the label of `security.operation`, otherwise the address without its namespace:
   * `platform/users.create`.
   */
  readonly operation: string;
  /** The arguments as they came. */
  readonly rawArguments: Readonly<Record<string, unknown>>;
  /** The names of arguments that came as JSON text and were parsed. */
  readonly repairs: readonly string[];
  /**
   * Of a call with an idempotency key, a number above those of all such calls that began before it. A database that
   * keeps the highest it has seen can refuse one that was held up while another took its place.
   */
  readonly fencingToken?: number;
}

/** One call on its way through middleware to the handler. */
export interface ToolCall<App = unknown, Input = Readonly<Record<string, unknown>>> {
  /** The arguments, validated. */
  readonly input: Input;
  /** What is known of the call. */
  readonly context: ToolContext<App>;
}

/**
 * Wraps a call. `next()` runs what is inside; `next({ ...call, context })` runs it with a derived call.
 * It may be called once.
 */
export type Middleware<App = unknown> = (
  call: ToolCall<App>,
  next: (call?: ToolCall<App>) => Promise<unknown>,
) => unknown;

/** A handler: returns a value, content, a result, or yields progress before returning one of them. */
export type Handler<Input, App> = (call: ToolCall<App, Input>) => unknown;

/** What an author says a call does. What is left out is not claimed. */
export interface Hints {
  /** Changes nothing. */
  readonly readOnly?: boolean | undefined;
  /** May destroy something. */
  readonly destructive?: boolean | undefined;
  /** Repeating it changes nothing more. */
  readonly idempotent?: boolean | undefined;
  /** Reaches beyond a closed set of things. */
  readonly openWorld?: boolean | undefined;
}

/** The labels under which a call is guarded and logged. */
export interface SecurityLabels {
  /** Whose operation it is. Default: the tool's namespace, else the server's name. */
  readonly namespace?: string;
  /**
   * Name of the operation. Default: the address without its namespace, which is the tool's name or
   * `platform/users.create`.
   */
  readonly operation?: string;
}

/** What clients are told instead of what Toolfold would tell them. */
export interface ToolMetadata {
  /** Goes out as written, in place of the schema that is made from `inputSchema`. */
  readonly inputJsonSchema?: JsonSchemaObject;
  /** Lets `inputJsonSchema` refuse arguments that `inputSchema` accepts. */
  readonly allowNarrower?: boolean;
  /** MCP's hints by their own names. Other keys go out in `_meta`. */
  readonly annotations?: ToolAnnotationsInit & Readonly<Record<string, unknown>>;
}

/** Supplies arguments that are missing. It runs when its action is called and admitted, before validation. */
export type DefaultArgumentResolver = (request: {
  readonly rawArguments: Readonly<Record<string, unknown>>;
  readonly accessToken: string | undefined;
  readonly caller: Caller;
  readonly session: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}) => Readonly<Record<string, unknown>> | undefined | Promise<Readonly<Record<string, unknown>> | undefined>;

/** Keeps what a reading action returned, for calls with the same input. */
export interface Cached {
  /** Milliseconds for which a value is good. */
  readonly ttlMs: number;
  /** Milliseconds more in which the old value is given while a new one is fetched. */
  readonly staleWhileRevalidateMs?: number;
  /** One value for all callers of one session context. Otherwise each caller has its own. */
  readonly shared?: boolean;
  /** Names under which writing actions say that the value is out of date. */
  readonly tags?: readonly string[];
}

/** How a call that must not write twice says that it is the same call again. */
export interface IdempotencyRule {
  /** The argument that holds the key. By default it is `_meta['toolfold/idempotencyKey']` of the request. */
  readonly field?: string;
}

/** How often, and how patiently, a failed call is tried again. */
export interface RetryRule {
  /** How many tries there are, the first included. */
  readonly attempts: number;
  /** Milliseconds before the second; doubled for each one after it. Default: 200. */
  readonly delayMs?: number;
}

/**
 * Lets a call that takes long be answered with a task, which the client asks about later, where the client can do
 * that. Elsewhere the call is answered when it is done.
 */
export interface TaskRule {
  /** Refuse clients that cannot. */
  readonly required?: boolean;
  /** When questions are put: by the task, or `before` there is one. Default: `during`. */
  readonly input?: 'during' | 'before';
  /**
   * Milliseconds for which a task that has ended, or waits for answers, can be asked about, counted from its last
   * change. Default: 10 minutes.
   */
  readonly ttlMs?: number;
  /** How often the client should ask. Default: 1,000. */
  readonly pollIntervalMs?: number;
}

/** The one shape of every action, in a builder or on its own. */
export interface ToolDefinition<
  S extends SchemaSource = SchemaSource,
  App = unknown,
  Common = unknown,
> extends Hints {
  /** Of the tool, or of the action within its group. */
  readonly name: string;
  /** What people read in place of the name. */
  readonly title?: string;
  /** What a model reads to decide whether to call it. */
  readonly description?: string;
  /**
   * What the arguments are: a schema of Zod or another library, JSON Schema, or an object of field schemas. Default:
   * no arguments.
   */
  readonly inputSchema?: S;
  /** What the handler returns, which then also goes out as `structuredContent`. */
  readonly outputSchema?: SchemaSource;
  /**
   * Reads and validates the JSON Schemas of this definition, in place of the built-in rules about dialects and
   * references. Default: the validator of the builder or the registry.
   */
  readonly schemaValidator?: SchemaValidator;
  /** Words by which views choose and the search finds. */
  readonly tags?: readonly string[];
  /** Without all of these a caller is refused. Default: none. */
  readonly scopes?: readonly string[];
  /** Wraps the handler, inside the middleware of group and tool. */
  readonly middleware?: readonly Middleware<App>[];
  /** Pictures that a client may show. */
  readonly icons?: readonly Icon[];
  /** Facts for programs, which go out as `_meta`. */
  readonly meta?: Meta;
  /**
   * The namespace of a tool that is registered on its own: up to 64 letters, digits, `_`, `.` and `-`. Its ID is then
   * `namespace:name`, and it is listed as `namespace_name`. The actions of a builder have the builder's. Default: none.
   */
  readonly namespace?: string;
  /** The version of a tool that is registered on its own, in any form. Default: none. */
  readonly version?: string;
  /** The labels under which calls are guarded and logged. */
  readonly security?: SecurityLabels;
  /** What clients are told in place of what is made from the definition. */
  readonly metadata?: ToolMetadata;
  /** Supplies arguments that a call leaves out, before validation. */
  readonly defaultArgumentResolver?: DefaultArgumentResolver;
  /** Milliseconds after which a call is given up. Default: none. */
  readonly timeoutMs?: number;
  /** For calls that take long; `true` for the defaults. */
  readonly task?: true | TaskRule;
  /** How many calls it counts as against the rate limit; 1 by default. */
  readonly cost?: number;
  /** For actions that only read. */
  readonly cached?: Cached;
  /** The tags of cached values that are out of date once this has run. */
  readonly invalidates?: readonly string[];
  /** Makes a repeated call with one key get the first result; `true` for the defaults. */
  readonly idempotency?: true | IdempotencyRule;
  /** For actions that are declared idempotent or read-only. */
  readonly retry?: RetryRule;
  /** How large a result may be; wins over the registry's. */
  readonly outputBudget?: OutputBudget;
  /**
   * How data is written as text: as JSON, or as TOON, which takes fewer tokens for rows of equal shape. Default:
   * `json`.
   */
  readonly textFormat?: 'json' | 'toon';
  /** What becomes of keys that the output schema does not know: they are dropped, or an error. Default: `strip`. */
  readonly unknownOutput?: 'strip' | 'refuse';
  /** Does the work. */
  readonly handler: Handler<InferInput<S> & Common, App>;
}

/** A definition of any typed input and context: the types matter to handler and middleware alone. */
export type AnyToolDefinition = Omit<ToolDefinition, 'handler' | 'middleware'> & {
  readonly handler: (call: never) => unknown;
  readonly middleware?: readonly ((call: never, next: never) => unknown)[];
};
