/** Who can act on an error: the author of a server, the model that called a tool, or the MCP client. */
export type Audience = 'author' | 'model' | 'client';

/**
 * Every error once. `docs/reference/errors.md` holds the same rows, and a test keeps the two equal.
 */
export const errorTable = {
  ErrInvalidToolID: {
    audience: 'author',
    when: 'A tool ID is empty, has an empty part or a surplus `:`, or its parts cannot form one.',
  },
  ErrInvalidTool: {
    audience: 'author',
    when: 'A tool definition lacks a name or an input schema, its name has forbidden characters, or a field has the wrong type.',
  },
  ErrInvalidSchema: {
    audience: 'author',
    when: 'A schema is not valid JSON Schema, goes past the limits, or holds something JSON Schema cannot say.',
  },
  ErrUnsupportedSchema: {
    audience: 'author',
    when: 'A schema names a dialect other than 2020-12 or draft-07 or comes from a library that cannot give JSON Schema, or code is to be generated where the runtime forbids it.',
  },
  ErrExternalRef: {
    audience: 'author',
    when: 'A schema refers to anything outside itself. Nothing is fetched.',
  },
  ErrInvalidModel: {
    audience: 'author',
    when: 'A group, prompt or resource is malformed, or a change to a group tree is not possible.',
  },
  ErrGroupCycle: {
    audience: 'author',
    when: 'A group would become its own descendant. The message and `details.path` name the path.',
  },
  ErrDuplicateName: {
    audience: 'author',
    when: 'A group would hold two children of one kind with the same name.',
  },
  ErrFieldConflict: {
    audience: 'author',
    when: 'Actions of one tool give a field shapes that cannot be one, and the author chose to refuse that.',
  },
  ErrNextCalledTwice: {
    audience: 'author',
    when: 'A middleware called `next()` a second time. Nothing ran twice.',
  },
  ErrInvalidResult: {
    audience: 'author',
    when: 'A handler returned something that is neither text, JSON, content nor a result.',
  },
  ErrFrozen: {
    audience: 'author',
    when: 'A builder was changed after `buildToolDefinition()`.',
  },
  ErrInvalidBuilder: {
    audience: 'author',
    when: 'A builder mixes `.action()` and `.group()`, or has no, an empty or a twice used name.',
  },
  ErrUnknownTool: {
    audience: 'client',
    when: 'A call names a tool that does not exist for this caller.',
  },
  ErrActionRequired: {
    audience: 'model',
    when: 'A call of a grouped tool does not say which action.',
  },
  ErrUnknownAction: {
    audience: 'model',
    when: 'A call of a grouped tool names an action that does not exist for this caller.',
  },
  ErrValidationFailed: {
    audience: 'model',
    when: 'Arguments do not fit the schema. Every field that is wrong is named.',
  },
  ErrToolFailed: {
    audience: 'model',
    when: 'A handler or a middleware threw.',
  },
  ErrTimeout: {
    audience: 'model',
    when: 'A call took longer than its action allows and was given up.',
  },
  ErrCancelled: {
    audience: 'client',
    when: 'The caller cancelled the call.',
  },
  ErrOverloaded: {
    audience: 'model',
    when: 'More calls were running and waiting than the registry allows.',
  },
  ErrInvalidServer: {
    audience: 'author',
    when: 'A registry was attached to something that is not an MCP server, has tools of its own, or is connected without the capabilities that the registry needs.',
  },
  ErrUnknownPrompt: {
    audience: 'client',
    when: 'A request names a prompt that does not exist for this caller.',
  },
  ErrUnknownResource: {
    audience: 'client',
    when: 'A request names a resource that neither a URI nor a template answers, or of which a handler says with `status: 404` that it is not there.',
  },
  ErrInputUnavailable: {
    audience: 'model',
    when: 'A handler asked the person at the client, and the client takes no questions.',
  },
  ErrInvalidRequestState: {
    audience: 'client',
    when: 'A client sent a `requestState` that was not made for this request and caller, or has expired.',
  },
  ErrInvalidCursor: {
    audience: 'client',
    when: 'A client asks for a page with a cursor that was never given out, or of a list that has changed since.',
  },
  ErrMissingCapability: {
    audience: 'client',
    when: 'A request needs something that the client did not say it can do. `details.requiredCapabilities` names it.',
  },
  ErrUnknownTask: {
    audience: 'client',
    when: 'A request names a task that does not exist for this caller, or no longer.',
  },
  ErrProtocol: {
    audience: 'client',
    when: 'A handler answers with a JSON-RPC error of its own instead of a result.',
  },
  ErrInvalidSessionContext: {
    audience: 'client',
    when: 'What a request says about its caller is malformed, or holds something that is not allowed. It is answered with 400.',
  },
  ErrInvalidCatalog: {
    audience: 'author',
    when: 'A catalog of toolsets is malformed, names a module that does not exist, or leaves a module out.',
  },
  ErrModuleFailed: {
    audience: 'author',
    when: 'A module could not be loaded. Nothing of it is registered.',
  },
  ErrUnknownToolset: {
    audience: 'client',
    when: 'A request, or the configuration, names a toolset that does not exist, or not for this caller.',
  },
  ErrTooManyToolsets: {
    audience: 'client',
    when: 'A caller wants more toolsets at once than the operator allows.',
  },
  ErrInvalidSelection: {
    audience: 'client',
    when: 'What a request selects, by its path or headers, is malformed or names a tool that is not there for it. It is answered with 400.',
  },
  ErrInsufficientScope: {
    audience: 'client',
    when: 'The caller lacks a scope that the action asks for. The message and `details.required` name all of them.',
  },
  ErrInvalidPolicy: {
    audience: 'author',
    when: 'A view policy has an unknown key, a value of the wrong type, or names something that is not registered.',
  },
  ErrInvalidOptions: {
    audience: 'author',
    when: 'Options for serving, authentication or CORS are malformed. The message names the one that is.',
  },
  ErrRateLimited: {
    audience: 'model',
    when: 'The caller has called the action too often. The message and `details.retryAfterMs` say when to try again.',
  },
  ErrIdempotencyConflict: {
    audience: 'model',
    when: 'An idempotency key came again with other arguments, or its first call could not be finished.',
  },
  ErrOutcomeUnknown: {
    audience: 'model',
    when: 'An idempotency key came again, and the process that ran its first call has died or says nothing any more.',
  },
  ErrOutputTooLarge: {
    audience: 'model',
    when: 'A result is above its budget and cannot be shortened within its output schema.',
  },
  ErrUpstreamLost: {
    audience: 'model',
    when: 'A server that calls are forwarded to cannot be reached, or was lost during the call. The message names it.',
  },
} as const satisfies Record<string, { audience: Audience; when: string }>;

/** A stable code, safe to branch on. */
export type ErrorCode = keyof typeof errorTable;

/** What an error says beside its message. */
export interface ErrorOptions {
  /** What to do next; becomes the last sentence of the message. */
  readonly hint?: string;
  /** The error that led to this one. */
  readonly cause?: unknown;
  /** Facts a program can read instead of parsing the message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The base of every error that Toolfold throws. Branch on `code` or on the class, never on the text. */
export class ToolfoldError extends Error {
  /** What happened, by the name of its row in the error table. */
  readonly code: ErrorCode;
  /** Who can act on it. */
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

  /** The facts of the error without its stack, for logs and reports. */
  toJSON(): { code: ErrorCode; audience: Audience; message: string; hint?: string; details: object } {
    const { code, audience, message, hint, details } = this;
    return { code, audience, message, ...(hint === undefined ? {} : { hint }), details };
  }
}

/**
 * Keeps errors that are constructed next from recording a stack trace. Returns what `resumeStackTraces` needs, or
 * `undefined` where the runtime does not allow it: then errors keep their traces.
 *
 * @internal
 */
export function suspendStackTraces(): number | undefined {
  const limit = Error.stackTraceLimit;
  if (typeof limit !== 'number' || limit === 0) return undefined;
  try {
    Error.stackTraceLimit = 0;
    return limit;
  } catch {
    // The application has frozen the built-in objects.
    return undefined;
  }
}

/** @internal */
export function resumeStackTraces(limit: number | undefined): void {
  if (limit !== undefined) Error.stackTraceLimit = limit;
}

export class ErrInvalidToolID extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidToolID', message, options);
  }
}

export class ErrInvalidTool extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidTool', message, options);
  }
}

export class ErrInvalidSchema extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidSchema', message, options);
  }
}

export class ErrUnsupportedSchema extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnsupportedSchema', message, options);
  }
}

export class ErrExternalRef extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrExternalRef', message, options);
  }
}

export class ErrInvalidModel extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidModel', message, options);
  }
}

export class ErrGroupCycle extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrGroupCycle', message, options);
  }
}

export class ErrDuplicateName extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrDuplicateName', message, options);
  }
}

export class ErrFieldConflict extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrFieldConflict', message, options);
  }
}

export class ErrNextCalledTwice extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrNextCalledTwice', message, options);
  }
}

export class ErrInvalidResult extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidResult', message, options);
  }
}

export class ErrFrozen extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrFrozen', message, options);
  }
}

export class ErrInvalidBuilder extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidBuilder', message, options);
  }
}

export class ErrUnknownTool extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownTool', message, options);
  }
}

export class ErrActionRequired extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrActionRequired', message, options);
  }
}

export class ErrUnknownAction extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownAction', message, options);
  }
}

export class ErrValidationFailed extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrValidationFailed', message, options);
  }
}

export class ErrToolFailed extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrToolFailed', message, options);
  }
}

export class ErrTimeout extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrTimeout', message, options);
  }
}

export class ErrCancelled extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrCancelled', message, options);
  }
}

export class ErrOverloaded extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrOverloaded', message, options);
  }
}

export class ErrInvalidServer extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidServer', message, options);
  }
}

export class ErrUnknownPrompt extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownPrompt', message, options);
  }
}

export class ErrUnknownResource extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownResource', message, options);
  }
}

export class ErrInputUnavailable extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInputUnavailable', message, options);
  }
}

export class ErrInvalidRequestState extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidRequestState', message, options);
  }
}

export class ErrInvalidCursor extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidCursor', message, options);
  }
}

export class ErrMissingCapability extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrMissingCapability', message, options);
  }
}

export class ErrUnknownTask extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownTask', message, options);
  }
}

/** Thrown by a handler, it is the JSON-RPC error that the client gets. `code` of JSON-RPC is `rpcCode` here. */
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

export class ErrInvalidSessionContext extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidSessionContext', message, options);
  }
}

export class ErrInvalidCatalog extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidCatalog', message, options);
  }
}

export class ErrModuleFailed extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrModuleFailed', message, options);
  }
}

export class ErrUnknownToolset extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUnknownToolset', message, options);
  }
}

export class ErrTooManyToolsets extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrTooManyToolsets', message, options);
  }
}

export class ErrInvalidSelection extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidSelection', message, options);
  }
}

export class ErrInsufficientScope extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInsufficientScope', message, options);
  }
}

export class ErrInvalidPolicy extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidPolicy', message, options);
  }
}

export class ErrInvalidOptions extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrInvalidOptions', message, options);
  }
}

export class ErrRateLimited extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrRateLimited', message, options);
  }
}

export class ErrIdempotencyConflict extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrIdempotencyConflict', message, options);
  }
}

export class ErrOutcomeUnknown extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrOutcomeUnknown', message, options);
  }
}

export class ErrOutputTooLarge extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrOutputTooLarge', message, options);
  }
}

export class ErrUpstreamLost extends ToolfoldError {
  constructor(message: string, options?: ErrorOptions) {
    super('ErrUpstreamLost', message, options);
  }
}
