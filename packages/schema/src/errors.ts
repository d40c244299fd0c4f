import { resumeStackTraces, suspendStackTraces } from './runtime/runtime.js';

/** The reader who can act on an error: the author of a server, the model that called a tool, or the MCP client. */
export type Audience = 'author' | 'model' | 'client';

/** The three tables say when each error occurs. */
const forAuthors = {
  ErrInvalidToolID:
    'A tool ID is empty, has an empty part or a surplus `:`, or cannot be formed from its parts.',
  ErrInvalidTool: 'A tool definition lacks a name or an input schema, or one of its fields is invalid.',
  ErrInvalidSchema: 'A schema is not valid JSON Schema, exceeds a limit, or has no JSON Schema equivalent.',
  ErrUnsupportedSchema:
    'The dialect or the library of a schema is not supported, or the runtime forbids generated code.',
  ErrExternalRef: 'A schema refers to something outside itself. Toolfold fetches no schemas.',
  ErrInvalidModel: 'A group, prompt or resource is malformed, or a change to a group tree is not possible.',
  ErrGroupCycle: 'A group would become its own descendant. The message and `details.path` name the path.',
  ErrDuplicateName: 'A group would hold two children of one kind with the same name.',
  ErrFieldConflict:
    'Actions of one tool declare incompatible types for a field, and the author chose to reject that.',
  ErrNextCalledTwice: 'A middleware called `next()` a second time. The second call did not run.',
  ErrInvalidResult:
    'A handler returned something that is neither text, JSON, content nor a result, or a middleware returned nothing.',
  ErrFrozen: 'A builder was changed after `buildToolDefinition()`.',
  ErrInvalidBuilder:
    'A builder mixes `.action()` and `.group()`, or a name in it is missing, empty or used twice.',
  ErrInvalidServer:
    'A registry was attached to an object that is not an MCP server or cannot serve its tools.',
  ErrInvalidCatalog:
    'A toolset of a catalog is malformed or names an unknown module, or a module is in no toolset.',
  ErrModuleFailed: 'A module could not be loaded. None of its tools is registered.',
  ErrInvalidPolicy:
    'A policy names something that does not exist, or contradicts another part of the configuration.',
  ErrInvalidOptions:
    'An option of a function or constructor is unknown or has an invalid value, or options are not a plain object. The message names it.',
} as const;

const forModels = {
  ErrActionRequired: 'A call of a grouped tool names no action.',
  ErrUnknownAction: 'A call of a grouped tool names an action that does not exist for this caller.',
  ErrValidationFailed: 'Arguments do not match the schema. The message names every invalid field.',
  ErrToolFailed: 'A handler or a middleware threw.',
  ErrTimeout: 'A call took longer than its action allows and was aborted.',
  ErrOverloaded: 'More calls were running and waiting than the registry allows.',
  ErrInputUnavailable: 'A handler asked the user a question, and the client does not support questions.',
  ErrRateLimited:
    'The caller has called the action too often. `details.retryAfterMs` says when to try again.',
  ErrIdempotencyConflict:
    'An idempotency key was reused with other arguments, or its first call could not be finished.',
  ErrOutcomeUnknown:
    'An idempotency key was reused, or a question about code answered again, and the process that ran it has died or is unreachable.',
  ErrOutputTooLarge: 'A result exceeds its budget and cannot be shortened within its output schema.',
  ErrUpstreamLost: 'An upstream server is unreachable, or was lost during the call. The message names it.',
  ErrCallNotAllowed: 'A person or the server does not allow a call, or code made too many calls.',
  ErrCodeFailed: 'Code has a syntax error, threw an error or exceeded a limit. The message says where.',
} as const;

const forClients = {
  ErrUnknownTool: 'A call names a tool that does not exist for this caller.',
  ErrCancelled: 'The caller cancelled the call.',
  ErrUnknownPrompt: 'A request names a prompt that does not exist for this caller.',
  ErrUnknownResource:
    'No resource or template matches the URI, or the handler threw an error with `status: 404`.',
  ErrInvalidRequestState:
    'A `requestState` was not issued for this request and caller, has expired, or its call has already run.',
  ErrInvalidCursor: 'A cursor was never issued, or its list has changed since.',
  ErrMissingCapability:
    'A request needs a capability that the client did not declare: `details.requiredCapabilities`.',
  ErrUnknownTask: 'A request names a task that does not exist for this caller, or has expired.',
  ErrProtocol: 'A handler answers with a JSON-RPC error instead of a result.',
  ErrInvalidSessionContext:
    'A session context in a request is malformed or not allowed. The response has status 400.',
  ErrUnknownToolset: 'A request or the configuration names a toolset that does not exist for this caller.',
  ErrTooManyToolsets: 'A caller enables more toolsets at once than the server allows.',
  ErrInvalidSelection:
    'A selection is malformed or names a tool that the caller cannot see. The response has status 400.',
  ErrInsufficientScope:
    'The caller lacks a scope of the action. `details.required` names all required scopes.',
} as const;

/** A stable error code. Branch on it instead of on the message. */
export type ErrorCode = keyof typeof forAuthors | keyof typeof forModels | keyof typeof forClients;

/** The audience of an error code, and when the error occurs. */
export interface ErrorRow {
  /** The party that can act on the error. */
  readonly audience: Audience;
  /** When the error occurs. */
  readonly when: string;
}

/** Every error, by code. `docs/reference/errors.md` has the same rows, and a test keeps them equal. */
export const errorTable: Readonly<Record<ErrorCode, ErrorRow>> = {
  ...toRows('author', forAuthors),
  ...toRows('model', forModels),
  ...toRows('client', forClients),
};

function toRows<Code extends string>(
  audience: Audience,
  errors: Readonly<Record<Code, string>>,
): Record<Code, ErrorRow> {
  const rows = Object.entries<string>(errors).map(([code, when]) => [code, { audience, when }]);
  return Object.fromEntries(rows) as Record<Code, ErrorRow>;
}

/** Options of the error classes. */
export interface ErrorOptions {
  /** The next step for the reader. It becomes the last sentence of the message. */
  readonly hint?: string;
  /** The error that caused this one. */
  readonly cause?: unknown;
  /** Facts that a program can read instead of parsing the message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The base of every error that Toolfold throws. Branch on `code` or on the class, never on the text. */
export class ToolfoldError extends Error {
  /** Name of the error in the error table. */
  readonly code: ErrorCode;
  /** Who can act on the error: the server's author, the model or the client. */
  readonly audience: Audience;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    const text = options.hint === undefined ? String(message) : `${message} ${options.hint}`;
    const { audience } = errorTable[code];
    // Only authors read stack traces. For models and clients, recording one costs more than the rest of the error.
    const limit = audience === 'author' ? undefined : suspendStackTraces();
    super(text, 'cause' in options ? { cause: options.cause } : undefined);
    resumeStackTraces(limit);
    this.name = code;
    this.code = code;
    this.audience = audience;
    this.hint = options.hint;
    this.details = Object.freeze({ ...options.details });
  }

  /** Returns the error without its stack, for logs and reports. */
  toJSON(): { code: ErrorCode; audience: Audience; message: string; hint?: string; details: object } {
    const { code, audience, message, hint, details } = this;
    return { code, audience, message, ...(hint === undefined ? {} : { hint }), details };
  }
}

type ErrorClass = new (message: string, options?: ErrorOptions) => ToolfoldError;

function define(code: ErrorCode): ErrorClass {
  return class extends ToolfoldError {
    constructor(message: string, options?: ErrorOptions) {
      super(code, message, options);
    }
  };
}

export class ErrInvalidToolID extends define('ErrInvalidToolID') {}
export class ErrInvalidTool extends define('ErrInvalidTool') {}
export class ErrInvalidSchema extends define('ErrInvalidSchema') {}
export class ErrUnsupportedSchema extends define('ErrUnsupportedSchema') {}
export class ErrExternalRef extends define('ErrExternalRef') {}
export class ErrInvalidModel extends define('ErrInvalidModel') {}
export class ErrGroupCycle extends define('ErrGroupCycle') {}
export class ErrDuplicateName extends define('ErrDuplicateName') {}
export class ErrFieldConflict extends define('ErrFieldConflict') {}
export class ErrNextCalledTwice extends define('ErrNextCalledTwice') {}
export class ErrInvalidResult extends define('ErrInvalidResult') {}
export class ErrFrozen extends define('ErrFrozen') {}
export class ErrInvalidBuilder extends define('ErrInvalidBuilder') {}
export class ErrInvalidServer extends define('ErrInvalidServer') {}
export class ErrInvalidCatalog extends define('ErrInvalidCatalog') {}
export class ErrModuleFailed extends define('ErrModuleFailed') {}
export class ErrInvalidPolicy extends define('ErrInvalidPolicy') {}
export class ErrInvalidOptions extends define('ErrInvalidOptions') {}
export class ErrActionRequired extends define('ErrActionRequired') {}
export class ErrUnknownAction extends define('ErrUnknownAction') {}
export class ErrValidationFailed extends define('ErrValidationFailed') {}
export class ErrToolFailed extends define('ErrToolFailed') {}
export class ErrTimeout extends define('ErrTimeout') {}
export class ErrOverloaded extends define('ErrOverloaded') {}
export class ErrInputUnavailable extends define('ErrInputUnavailable') {}
export class ErrRateLimited extends define('ErrRateLimited') {}
export class ErrIdempotencyConflict extends define('ErrIdempotencyConflict') {}
export class ErrOutcomeUnknown extends define('ErrOutcomeUnknown') {}
export class ErrOutputTooLarge extends define('ErrOutputTooLarge') {}
export class ErrUpstreamLost extends define('ErrUpstreamLost') {}
export class ErrCallNotAllowed extends define('ErrCallNotAllowed') {}
export class ErrCodeFailed extends define('ErrCodeFailed') {}
export class ErrUnknownTool extends define('ErrUnknownTool') {}
export class ErrCancelled extends define('ErrCancelled') {
  constructor(message = 'The call was cancelled.', options?: ErrorOptions) {
    super(message, options);
  }
}
export class ErrUnknownPrompt extends define('ErrUnknownPrompt') {}
export class ErrUnknownResource extends define('ErrUnknownResource') {}
export class ErrInvalidRequestState extends define('ErrInvalidRequestState') {}
export class ErrInvalidCursor extends define('ErrInvalidCursor') {}
export class ErrMissingCapability extends define('ErrMissingCapability') {}
export class ErrUnknownTask extends define('ErrUnknownTask') {}
export class ErrInvalidSessionContext extends define('ErrInvalidSessionContext') {}
export class ErrUnknownToolset extends define('ErrUnknownToolset') {}
export class ErrTooManyToolsets extends define('ErrTooManyToolsets') {}
export class ErrInvalidSelection extends define('ErrInvalidSelection') {}
export class ErrInsufficientScope extends define('ErrInsufficientScope') {}

/** Throw it in a handler to answer with a JSON-RPC error. `rpcCode` is the `code` of that error. */
export class ErrProtocol extends ToolfoldError {
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(
    message: string,
    { rpcCode = -32_603, data, ...options }: ErrorOptions & { rpcCode?: unknown; data?: unknown } = {},
  ) {
    const code = Number.isInteger(rpcCode) ? (rpcCode as number) : -32_603;
    super('ErrProtocol', message, { ...options, details: { ...options.details, rpcCode: code, data } });
    this.rpcCode = code;
    this.data = data;
  }
}
