import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Meta } from '../model/base-model.js';
import type { Icon } from '../model/icon.js';
import type { SchemaSource } from '../schema/read-schema.js';

/** What the handler of a schema's tool gets: the output of a library's schema, or an open object. */
export type InferInput<S> = S extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<S>
  : S extends Readonly<Record<string, StandardSchemaV1>>
    ? InferShape<S>
    : Record<string, unknown>;

type InferShape<S extends Readonly<Record<string, StandardSchemaV1>>> = {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? never : K
  ]: StandardSchemaV1.InferOutput<S[K]>;
} & {
  [
    K in keyof S as undefined extends StandardSchemaV1.InferOutput<S[K]> ? K : never
  ]?: StandardSchemaV1.InferOutput<S[K]>;
};

/** Who is calling, as far as the edge has found out. */
export interface Caller {
  /** What the authorization layer verified, in the SDK's form. */
  readonly auth?: Readonly<Record<string, unknown>> | undefined;
  /** The name and version that the client gives itself. */
  readonly client?: { readonly name: string; readonly version: string } | undefined;
  /** The 2025-era session, where there is one. */
  readonly sessionId?: string | undefined;
}

/** Reports how far a call has come; does nothing where the client did not ask. */
export type ReportProgress = (progress: number, total?: number, message?: string) => Promise<void>;

/** A question to the person at the client: a message, and the fields of the answer. */
export interface InputQuestion {
  readonly message: string;
  /** An object of plain fields: text, numbers, choices, yes or no. */
  readonly schema: SchemaSource;
}

/** What the person did. `content` is validated, and there only for `accept`. */
export interface InputAnswer {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Readonly<Record<string, unknown>>;
}

/**
 * Asks the person at the client. With 2025-era clients the call waits; a 2026-07-28 client gets the questions as
 * the answer and calls again, so the handler starts anew: ask everything at once, before anything is changed.
 */
export type RequestInput = <const K extends string>(
  questions: Readonly<Record<K, InputQuestion>>,
) => Promise<Readonly<Record<K, InputAnswer>>>;

/** What every handler knows, of a tool, a prompt or a resource. `App` is what the registry's `contextFactory` makes. */
export interface RequestContext<App = unknown> {
  readonly app: App;
  readonly accessToken: string | undefined;
  readonly signal: AbortSignal;
  readonly progress: ReportProgress;
  readonly requestInput: RequestInput;
  readonly caller: Caller;
  /** The context of the MCP SDK, for what is not wrapped here. */
  readonly sdk: unknown;
}

/** What the handler of a tool knows beside its input. */
export interface ToolContext<App = unknown> extends RequestContext<App> {
  /** The discriminator's value in a grouped tool: `users.create`. */
  readonly action: string | undefined;
  /** The address of what runs: `platform/users.create`. */
  readonly operation: string;
  /** The arguments as they came. */
  readonly rawArguments: Readonly<Record<string, unknown>>;
  /** The names of arguments that came as JSON text and were parsed. */
  readonly repairs: readonly string[];
}

/** One call on its way through middleware to the handler. */
export interface ToolCall<App = unknown, Input = Readonly<Record<string, unknown>>> {
  readonly input: Input;
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

/** The one shape of every action, in a builder or on its own. */
export interface ToolDefinition<
  S extends SchemaSource = SchemaSource,
  App = unknown,
  Common = unknown,
> extends Hints {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: S;
  readonly outputSchema?: SchemaSource;
  readonly tags?: readonly string[];
  readonly scopes?: readonly string[];
  readonly middleware?: readonly Middleware<App>[];
  readonly icons?: readonly Icon[];
  readonly meta?: Meta;
  /** Milliseconds after which a call is given up. */
  readonly timeout?: number;
  readonly handler: Handler<InferInput<S> & Common, App>;
}
