import { assertOptions, MAX_ISSUES, oneOf, validationFailed } from '@toolfold/schema/internal';
import { ErrToolFailed, ErrValidationFailed, ToolfoldError } from '@toolfold/schema/errors';
import { redactorOf } from '../guards/redact/redactor.js';
import { retryAfterOf, statusOf } from '../guards/retry/retry.js';
import type { SchemaIssue } from '@toolfold/schema';
import { stripStack } from '../values/strip-stack.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/** The value of `_meta['toolfold/error']` in the result of a failed call, for programs. */
export interface ErrorReport {
  /** A code of the error table, or the code of an error that the server's author defined. */
  readonly code: string;
  /** Tells the model what went wrong. */
  readonly message: string;
  /** The message that may be shown to a person. */
  readonly userMessage: string;
  /** Next steps, or valid names to use instead. */
  readonly suggestions: readonly string[];
  /** Facts about the error, such as the tool or an HTTP status. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Facts about a failed call, for the error handler. */
export interface FailedCall {
  /** The address of the action, such as `platform/users.create`; `undefined` if no action was found. */
  readonly address?: string | undefined;
  /** Names of the action's arguments, for suggestions. */
  readonly fieldNames?: readonly string[] | undefined;
  /** The parts of the request that may hold credentials. Those credentials are removed from the result. */
  readonly context?: readonly unknown[] | undefined;
}

/** Turns errors into results. Pass your own to `ToolRegistry` as `errorHandler`. */
export interface ErrorHandling {
  /** Returns the result of a call that the caller must correct, such as one with an unknown tool or invalid arguments. */
  createValidationError(problem: unknown, call?: FailedCall): CallToolResult;
  /** Returns the result of a call that failed. The thrown value can be of any type. */
  handleError(thrown: unknown, call?: FailedCall): CallToolResult;
}

/** Decides how much clients learn of errors. */
export interface ErrorHandlerOptions {
  /** Whether clients get the message of a handler's error, or only learn that the call failed. Default: `message`. */
  readonly exposeErrors?: 'message' | 'generic';
}

const MAX_SUGGESTIONS = 50;
/** Characters of an error message. Longer messages usually contain a whole response of another service. */
const MAX_MESSAGE = 4_000;

/** Turns errors into results that a model can act on, without the credentials of the call. */
export class ErrorHandler implements ErrorHandling {
  readonly #exposeErrors: 'message' | 'generic';

  constructor(options: ErrorHandlerOptions = {}) {
    assertOptions('ErrorHandler', options, { exposeErrors: oneOf('message', 'generic') });
    this.#exposeErrors = options.exposeErrors ?? 'message';
  }

  createValidationError(problem: unknown, call: FailedCall = {}): CallToolResult {
    return toResult(toProblem(problem, call), call);
  }

  handleError(thrown: unknown, call: FailedCall = {}): CallToolResult {
    if (thrown instanceof ToolfoldError && thrown.audience !== 'author') return toResult(thrown, call);
    return toResult(
      this.#exposeErrors === 'generic' ? hideFailure(thrown, call) : describeFailure(thrown, call),
      call,
    );
  }
}

/** Reads `issues` from an error of any validation library. */
export function issuesOf(thrown: unknown): readonly SchemaIssue[] | undefined {
  try {
    const issues =
      typeof thrown === 'object' && thrown !== null && 'issues' in thrown ? thrown.issues : undefined;
    if (!Array.isArray(issues) || issues.length === 0) return undefined;
    return (issues as readonly unknown[]).slice(0, MAX_ISSUES).map((issue) => {
      const { path, message } = Object(issue) as { path?: unknown; message?: unknown };
      return { path: Array.isArray(path) ? path.map(toKey) : [], message: String(message ?? 'is not valid') };
    });
  } catch {
    // A thrown value can be of any type, and reading its properties can throw. Such a value has no issues.
    return undefined;
  }
}

/** Returns the key of a path segment. In Standard Schema a segment can be an object that holds the key. */
function toKey(part: unknown): string | number {
  const key = typeof part === 'object' && part !== null && 'key' in part ? part.key : part;
  return typeof key === 'number' ? key : String(key);
}

function toProblem(problem: unknown, { address, fieldNames = [] }: FailedCall): ToolfoldError {
  if (problem instanceof ToolfoldError) return problem;
  const issues = issuesOf(problem);
  if (issues) return validationFailed(issues, { address, fieldNames });
  return new ErrValidationFailed(`Validation failed: ${messageOf(problem)}`, { cause: problem });
}

/** Describes a handler's error: the address of the action, the message, and advice that follows from its HTTP status. */
function describeFailure(thrown: unknown, { address }: FailedCall): ErrToolFailed {
  const prefix = address === undefined ? '' : `[${address}] `;
  const status = statusOf(thrown);
  const retryAfterMs = retryAfterOf(thrown);
  const hint = status === undefined ? undefined : adviceFor(status, retryAfterMs);
  return new ErrToolFailed(withFullStop(`${prefix}${messageOf(thrown)}`, hint !== undefined), {
    cause: thrown,
    ...(hint === undefined ? {} : { hint }),
    details: {
      ...(thrown instanceof ToolfoldError ? { ...thrown.details, cause: thrown.code } : {}),
      ...(status === undefined ? {} : { status }),
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      ...(hint === undefined ? {} : { suggestions: [hint] }),
    },
  });
}

function hideFailure(thrown: unknown, { address }: FailedCall): ErrToolFailed {
  const prefix = address === undefined ? '' : `[${address}] `;
  return new ErrToolFailed(`${prefix}The call failed.`, {
    hint: 'The operator of the server can find out why.',
    cause: thrown,
  });
}

/** Returns advice for an HTTP status. The status comes from a field of the error, never from digits in its message. */
function adviceFor(status: number, retryAfterMs: number | undefined): string | undefined {
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s`;
  if (status === 400 || status === 422) return 'The upstream service rejected the values. Correct them.';
  if (status === 401) return 'The upstream service rejected the credentials. A person must renew them.';
  if (status === 403) return 'The upstream service does not allow this with these credentials.';
  if (status === 404 || status === 410) return 'Not found. Look the name up first.';
  if (status === 409 || status === 412) return 'It has changed in the meantime: read it again first.';
  if (status === 408 || status === 429 || status >= 500) return `Try again ${when}.`;
  return undefined;
}

function withFullStop(text: string, isNeeded: boolean): string {
  return isNeeded && !/[.!?]\s*$/.test(text) ? `${text}.` : text;
}

/** Returns the message of a thrown value, which can be of any type and may not convert to text. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    return 'an error without a message was thrown';
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

function toResult(failure: ToolfoldError, { context = [] }: FailedCall): CallToolResult {
  const redactor = redactorOf(context);
  const message = shorten(redactor.text(stripStack(failure.message)));
  const { suggestions, ...details } = failure.details;
  const report: ErrorReport = {
    code: failure.code,
    message,
    userMessage: message,
    suggestions: Array.isArray(suggestions)
      ? suggestions.slice(0, MAX_SUGGESTIONS).map((suggestion) => redactor.text(String(suggestion)))
      : [],
    details: redactor.value(details) as Record<string, unknown>,
  };
  return {
    content: [{ type: 'text', text: message }],
    isError: true,
    _meta: { 'toolfold/error': report },
  };
}
