import type { Caller } from '../callers/caller.js';
import type { LoggingLevel } from '../protocol/mcp-types.js';
import type { Meta, Icon } from '@toolfold/profiles';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { StructuredText } from '../guards/budget/structured-text.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { InferInput, JsonSchemaObject, SchemaSource, SchemaValidator } from '@toolfold/schema';
import type { CacheHelpers } from '../guards/cache/cache.js';
import type { RequestInput } from './input-question.js';
import type { SearchWords } from './search-words.js';
import type { Returned } from './handler-value.js';

/** Reports the progress of a call. Has no effect if the client did not ask for progress. */
export type ReportProgress = (progress: number, total?: number, message?: string) => Promise<void>;

/** Sends a log message to the client. Has no effect if the client did not ask for this level. */
export type LogToClient = (level: LoggingLevel, data: unknown, logger?: string) => Promise<void>;

/** The context of every handler of a tool, prompt or resource. `App` is the type that the registry's `contextFactory` returns. */
export interface RequestContext<App = unknown> {
  /** The value that the registry's `contextFactory` returned for this call. */
  readonly app: App;
  /** The credential for calls to other services: the one from the session context, otherwise the verified one. */
  readonly accessToken: string | undefined;
  /** Aborts when the caller cancels or the call times out. Long-running handlers should check it. */
  readonly signal: AbortSignal;
  /** Reports progress, if the client asked for it. */
  readonly progress: ReportProgress;
  /** Asks the client's user or its model a question, or the client for its directories. */
  readonly requestInput: RequestInput;
  /** Sends a log message, if the client asked for its level. */
  readonly log: LogToClient;
  /**
   * Closes the connection while the call goes on. A 2025-11-25 client reconnects for the result; other clients are not affected.
   */
  readonly releaseConnection: () => void;
  /** The verified identity and the address of the sender. */
  readonly caller: Caller;
  /** The session context from the request and the server; empty if there is none. It is not verified. */
  readonly session: Readonly<Record<string, unknown>>;
  /** A cache across calls, separate for each session context and, unless declared shared, for each caller. */
  readonly cache: CacheHelpers;
  /** The context object of the MCP SDK, for features that Toolfold does not wrap. */
  readonly sdk: unknown;
}

/** Adds the facts of a tool call to the context of a request. */
export interface ToolContext<App = unknown> extends RequestContext<App> {
  /** The value of the discriminator in a grouped tool, such as `users.create`. */
  readonly action: string | undefined;
  /**
   * The operation that runs: `security.operation` or, by default, the address without its namespace, such as
   * `platform/users.create`.
   */
  readonly operation: string;
  /** The arguments as the client sent them, before defaults, repairs and validation. */
  readonly rawArguments: Readonly<Record<string, unknown>>;
  /** The names of arguments that were received as JSON text and parsed. */
  readonly repairs: readonly string[];
  /**
   * For calls with an idempotency key: a number greater than that of every such call that began earlier. A database can store the
   * highest number and reject a delayed call whose place was taken by another.
   */
  readonly fencingToken?: number;
}

/** A call, as middleware and handlers see it. */
export interface ToolCall<
  App = unknown,
  Input = Readonly<Record<string, unknown>>,
  Context = ToolContext<App>,
> {
  /** The arguments after validation, with the defaults of the schema. */
  readonly input: Input;
  /** The caller, the session and the services of the call, and what outer middleware added. */
  readonly context: Context;
}

/** The result of `next()`. A middleware that returns it shows TypeScript which fields it added to the context. */
export interface Passed<Added> {
  /** Never set. It carries the type of the added fields. */
  readonly '~added'?: Added;
}

/**
 * Runs the inner middleware and the handler. Fields of `context` are added to the context, or replace its fields. It may be called
 * once.
 */
export type Next<Context = ToolContext> = {
  // Overloaded methods, because TypeScript then accepts middleware for any `App` where a more specific one is known.
  next(): Promise<Passed<unknown>>;
  next<More extends object>(changed: {
    readonly input?: Readonly<Record<string, unknown>>;
    readonly context?: More & Partial<Context>;
  }): Promise<Passed<More>>;
}['next'];

/** Wraps a call: returns `next()`, `next({ context: { user } })`, a changed result, or a result of its own. */
export type Middleware<App = unknown, Context = ToolContext<App>, Result = unknown> = (
  call: ToolCall<App, Readonly<Record<string, unknown>>, Context>,
  next: Next<Context>,
) => Result;

/** The fields that a list of middleware adds to the context, by the types of their results. */
export type AddedBy<Results> = Results extends readonly [infer Result, ...infer Rest]
  ? AddedWith<Result extends AsyncGenerator<unknown, infer Value> ? Value : Awaited<Result>> & AddedBy<Rest>
  : unknown;
type AddedWith<Result> = [PassedBy<Result>] extends [never] ? unknown : PassedBy<Result>;
type PassedBy<Result> = Result extends Passed<infer More> ? More : never;

/** Runs an action. Returns a value, content or a result, and may yield progress before. */
export type Handler<Input, App, Value = unknown, Context = ToolContext<App>> = (
  call: ToolCall<App, Input, Context>,
) => Returned<Value>;

/** The effects of a call as its author declares them. MCP's default applies to hints that are left out. */
export interface Hints {
  /** The call changes no data. */
  readonly readOnly?: boolean | undefined;
  /** The call may destroy data. */
  readonly destructive?: boolean | undefined;
  /** Repeating the call has no further effect. */
  readonly idempotent?: boolean | undefined;
  /** The call reaches an open set of things, such as the web. */
  readonly openWorld?: boolean | undefined;
}

/** Hints that some clients read from `_meta` of a listed tool. */
export interface ClientHints {
  /** Keeps the tool in the model's context instead of behind the client's tool search (`anthropic/alwaysLoad`). Default: false. */
  readonly alwaysLoad?: boolean;
  /** Characters of a result that the client passes on whole, up to 500,000 (`anthropic/maxResultSizeChars`). Default: none. */
  readonly maxResultChars?: number;
  /** Asks a person before every call (`anthropic/requiresUserInteraction`). Default: false. */
  readonly requiresPerson?: boolean;
}

/** Names the operation in rate limits and logs. */
export interface SecurityLabels {
  /** The owner of the operation. Default: the tool's namespace, else the server's name. */
  readonly namespace?: string;
  /**
   * The name of the operation. Default: the address without its namespace, which is the tool's name or `platform/users.create`.
   */
  readonly operation?: string;
}

/** Overrides the listed schema and hints of a tool. */
export interface ToolMetadata {
  /** The JSON Schema that clients see, instead of the one derived from `inputSchema`. */
  readonly inputJsonSchema?: JsonSchemaObject;
  /** Whether `inputJsonSchema` may reject arguments that `inputSchema` accepts. Default: false. */
  readonly allowNarrower?: boolean;
  /** MCP's hints by their MCP names. Other keys are sent in `_meta`. */
  readonly annotations?: ToolAnnotationsInit & Readonly<Record<string, unknown>>;
}

/** Supplies missing arguments. Runs after the call was admitted and before validation. */
export type DefaultArgumentResolver = (request: {
  readonly rawArguments: Readonly<Record<string, unknown>>;
  readonly accessToken: string | undefined;
  readonly caller: Caller;
  readonly session: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}) => Readonly<Record<string, unknown>> | undefined | Promise<Readonly<Record<string, unknown>> | undefined>;

/** Caches the results of a read-only action for calls with the same input. */
export interface Cached {
  /** Milliseconds after which a cached value is stale. */
  readonly ttlMs: number;
  /** Milliseconds after that in which calls get the stale value while a new one is fetched. */
  readonly staleWhileRevalidateMs?: number;
  /** Whether all callers with the same session context share a value. Default: each caller has its own. */
  readonly shared?: boolean;
  /** Tags by which other actions invalidate the value. */
  readonly tags?: readonly string[];
}

/** Recognizes repeated calls, so that they write only once. */
export interface IdempotencyRule<Field extends PropertyKey = string> {
  /** The argument that contains the key. Default: `_meta['toolfold/idempotencyKey']` of the request. */
  readonly field?: Field;
}

/** How many times a failing handler is tried, and how long to wait between the attempts. */
export interface RetryRule {
  /** Maximum number of attempts, including the first: 1 to 10. */
  readonly attempts: number;
  /** Milliseconds before the second attempt, doubled for each further one. Default: 200. */
  readonly delayMs?: number;
}

/** Runs long calls as tasks, which the client polls, if the client supports tasks. Other clients wait for the result. */
export interface TaskRule {
  /** Whether to reject clients without task support. Default: false. */
  readonly required?: boolean;
  /** When the handler's questions are asked: `during` the task, or `before` it is created. Default: `during`. */
  readonly input?: 'during' | 'before';
  /**
   * Milliseconds for which a finished task, or one that waits for answers, can be read after its last change. Default: 10
   * minutes.
   */
  readonly ttlMs?: number;
  /** Milliseconds between two polls of the client. Default: 1,000. */
  readonly pollIntervalMs?: number;
}

/** Defines an action of a builder, or a tool that is registered on its own. */
export interface ToolDefinition<
  S extends SchemaSource = SchemaSource,
  App = unknown,
  Common = unknown,
  Output extends SchemaSource = SchemaSource,
  Name extends string = string,
  Value = unknown,
  Context = ToolContext<App>,
> extends Hints {
  /** Identifies the tool, or the action within its group. */
  readonly name: Name;
  /** Name that clients show to people instead of `name`. */
  readonly title?: string;
  /** Tells the model what the action does and when to call it. */
  readonly description?: string;
  /**
   * The schema of the arguments: a schema of Zod or another library, JSON Schema, or an object of field schemas. Default: no
   * arguments.
   */
  readonly inputSchema?: S & ObjectOnly<S>;
  /** The schema of the handler's result, which is then also sent as `structuredContent`. */
  readonly outputSchema?: Output;
  /**
   * Validates with the JSON Schemas of this definition, instead of the built-in validator. Default: the validator of the builder
   * or the registry.
   */
  readonly schemaValidator?: SchemaValidator;
  /** Tags for views, filters and search. */
  readonly tags?: readonly string[];
  /** Words by which the search finds the action beside its own texts. Clients do not see them. Default: none. */
  readonly search?: SearchWords;
  /** Scopes that the caller's token must have. Default: none. */
  readonly scopes?: readonly string[];
  /** Middleware around the handler, inside the middleware of group and tool. */
  readonly middleware?: readonly Middleware<App, Context>[];
  /** Icons that a client may show. */
  readonly icons?: readonly Icon[];
  /** Metadata for programs, sent as `_meta` in lists. */
  readonly meta?: Meta;
  /** Hints that some clients read from `_meta`, although MCP does not define them. Default: none. */
  readonly clientHints?: ClientHints;
  /**
   * Former names of the tool or action. They can still be called and selected, but are not listed. A former name of an action may
   * include its former group, as in `members.ban`. Default: none.
   */
  readonly aliases?: readonly string[];
  /**
   * The namespace of a tool that is registered on its own: up to 64 letters, digits, `_`, `.` and `-`. The tool's ID is then
   * `namespace:name`, and it is listed as `namespace_name`. Actions of a builder have the namespace of the builder. Default:
   * none.
   */
  readonly namespace?: string;
  /** The version of a tool that is registered on its own, in any format. Default: none. */
  readonly version?: string;
  /** Names the operation in rate limits and logs. */
  readonly security?: SecurityLabels;
  /** Overrides the listed schema and hints. */
  readonly metadata?: ToolMetadata;
  /**
   * Asks a person before the action runs. `{field}` in a text shows an argument, as in `Delete ticket {id}?`. A function returns the
   * text, or `undefined` if nobody need be asked. Default: nobody is asked.
   */
  readonly confirm?:
    | string
    | ((
        call: ToolCall<App, NoInfer<InferInput<S> & Common>, Context>,
      ) => string | undefined | Promise<string | undefined>);
  /** Supplies missing arguments before validation. */
  readonly defaultArgumentResolver?: DefaultArgumentResolver;
  /** Milliseconds after which a call times out. Default: none. */
  readonly timeoutMs?: number;
  /** Runs long calls as tasks; `true` for the defaults. */
  readonly task?: true | TaskRule;
  /** How many calls one call counts as in the rate limit. Default: 1. */
  readonly cost?: number;
  /** Caches the results for calls with equal input. Only read-only actions may have it. */
  readonly cached?: Cached;
  /** Tags whose cached values are dropped after each call. */
  readonly invalidates?: readonly string[];
  /** Gives repeated calls with the same key the first result; `true` for the defaults. */
  readonly idempotency?: true | IdempotencyRule<FieldOf<NoInfer<S>, Common>>;
  /** Retries the handler after an error. Only idempotent or read-only actions may have it. */
  readonly retry?: RetryRule;
  /** Maximum size of a result. Overrides that of the registry. */
  readonly outputBudget?: OutputBudget;
  /** The text format of data: JSON, or TOON, which takes fewer tokens for rows of equal shape. Default: `json`. */
  readonly textFormat?: 'json' | 'toon';
  /** The text of a result with structured content. Overrides that of the registry. */
  readonly structuredText?: StructuredText;
  /** Whether keys that the output schema does not declare are dropped (`strip`) or an error (`reject`). Default: `strip`. */
  readonly unknownOutput?: 'strip' | 'reject';
  // `NoInfer`, because inferring `S` from the handler as well makes a tenth of all type instantiations of a program.
  /** Runs the action with validated input. Its value becomes the result. */
  readonly handler: Handler<NoInfer<InferInput<S> & Common>, App, Value, Context>;
}

/** The names of the arguments. Any name, if the type of the schema does not show them. */
type FieldOf<S, Common> = SchemaSource extends S ? string : keyof (InferInput<S> & Common);

/** Rejects schemas of lists and of single values, because the arguments of a call are an object. */
type ObjectOnly<S> =
  InferInput<S> extends readonly unknown[] | string | number | boolean | bigint | null | undefined
    ? 'The input of a tool is an object'
    : unknown;

/** A definition with any input and context types, which matter only to its handler and middleware. */
export type AnyToolDefinition = Omit<ToolDefinition, 'confirm' | 'handler' | 'middleware'> & {
  readonly confirm?: string | ((call: never) => unknown);
  readonly handler: (call: never) => unknown;
  readonly middleware?: readonly ((call: never, next: never) => unknown)[];
};
