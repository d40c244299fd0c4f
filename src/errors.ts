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
    when: 'A schema names a dialect other than 2020-12 or draft-07, or comes from a library that cannot give JSON Schema.',
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
} as const satisfies Record<string, { audience: Audience; when: string }>;

/** A stable code, safe to branch on. */
export type ErrorCode = keyof typeof errorTable;

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
  readonly code: ErrorCode;
  readonly audience: Audience;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(
      options.hint === undefined ? message : `${message} ${options.hint}`,
      'cause' in options ? { cause: options.cause } : undefined,
    );
    this.name = code;
    this.code = code;
    this.audience = errorTable[code].audience;
    this.hint = options.hint;
    this.details = Object.freeze({ ...options.details });
  }

  /** The facts of the error without its stack, for logs and reports. */
  toJSON(): { code: ErrorCode; audience: Audience; message: string; hint?: string; details: object } {
    const { code, audience, message, hint, details } = this;
    return { code, audience, message, ...(hint === undefined ? {} : { hint }), details };
  }
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
