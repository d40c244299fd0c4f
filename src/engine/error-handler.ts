import { validationFailed } from '../schema/validate/describe-issues.js';
import { ErrToolFailed, ErrValidationFailed, ToolfoldError } from '../errors.js';
import { redactorOf } from '../guards/redact/redactor.js';
import { retryAfterOf, statusOf } from '../guards/retry/retry.js';
import { MAX_ISSUES } from '../schema/validate/schema-validator.js';
import type { SchemaIssue } from '../schema/validate/schema-validator.js';
import type { CallToolResult } from '../protocol/tool-result.js';

/** What `_meta['toolfold/error']` of a failed call holds, for programs. */
export interface ErrorReport {
  /** The code of the error table, or of a handler's own error. */
  readonly code: string;
  /** What went wrong, in the words a model reads. */
  readonly message: string;
  /** What may be shown to a person. */
  readonly userMessage: string;
  /** What to do next. */
  readonly suggestions: readonly string[];
  /** Facts that a program can read. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The call that failed. */
export interface FailedCall {
  /** Where it got to: `platform/users.create`; `undefined` when nothing was found. */
  readonly address?: string | undefined;
  /** The fields that the action takes. */
  readonly fieldNames?: readonly string[] | undefined;
  /** What the call itself brought along. Credentials in it are kept out of the answer, wherever the error has them. */
  readonly context?: readonly unknown[] | undefined;
}

/** What the pipeline needs of an error handler. */
export interface ErrorHandling {
  /** The answer to a call that cannot be run as it is: unknown tool, wrong arguments. */
  createValidationError(problem: unknown, call?: FailedCall): CallToolResult;
  /** The answer to a call that failed, whatever was thrown. */
  handleError(thrown: unknown, call?: FailedCall): CallToolResult;
}

/** How much clients are told of what went wrong. */
export interface ErrorHandlerOptions {
  /** Whether clients are told what a handler's error says, or only that it failed. Default: `message`. */
  readonly exposeErrors?: 'message' | 'generic';
}

const MAX_SUGGESTIONS = 50;
/** A page of text says what is wrong; what is longer is an answer that somebody took for an error. */
const MAX_MESSAGE = 4_000;

/** Turns whatever went wrong into a result that a model can act on. No credential of the call gets out with it. */
export class ErrorHandler implements ErrorHandling {
  readonly #exposeErrors: 'message' | 'generic';

  constructor({ exposeErrors = 'message' }: ErrorHandlerOptions = {}) {
    this.#exposeErrors = exposeErrors;
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

/** The issues of any validator, in the one form in which they are told. */
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
    // Anything can be thrown, even what throws when it is looked at: then it has no issues.
    return undefined;
  }
}

/** Standard Schema lets a part of a path be an object with the key in it. */
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

/** What a handler threw is marked with where it came from, and with what its status says to do. */
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

/** The status of an HTTP answer is a field of the error; digits in its message mean nothing. */
function adviceFor(status: number, retryAfterMs: number | undefined): string | undefined {
  const when = retryAfterMs === undefined ? 'later' : `in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s`;
  if (status === 400 || status === 422) return 'The service behind it refused the values: correct them.';
  if (status === 401)
    return 'The service behind it did not accept the credentials: a person must renew them.';
  if (status === 403) return 'The service behind it does not allow this with these credentials.';
  if (status === 404 || status === 410) return 'Not found. Look the name up first.';
  if (status === 409 || status === 412) return 'It has changed in the meantime: read it again first.';
  if (status === 408 || status === 429 || status >= 500) return `Try again ${when}.`;
  return undefined;
}

function withFullStop(text: string, isNeeded: boolean): string {
  return isNeeded && !/[.!?]\s*$/.test(text) ? `${text}.` : text;
}

/** What was thrown may be anything, even something that cannot be made text. */
export function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    return 'something that has no message was thrown';
  }
}

function shorten(text: string): string {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
}

function toResult(failure: ToolfoldError, { context = [] }: FailedCall): CallToolResult {
  const redactor = redactorOf(context);
  const message = shorten(redactor.text(failure.message));
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
