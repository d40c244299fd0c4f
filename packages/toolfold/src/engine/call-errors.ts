import { clip } from '@toolfold/schema/internal';
import {
  ErrActionRequired,
  ErrInsufficientScope,
  ErrInvalidResult,
  ErrOutputTooLarge,
  ErrProtocol,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import { ErrorHandler, issuesOf } from './error-handler.js';
import { fitResult } from '../guards/budget/fit-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { redactResult, redactorOf } from '../guards/redact/redactor.js';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Services } from './services.js';
import type { ExecuteRequest } from './request.js';
import { redactorFor, secretsOf } from './request-context.js';
import { logFailed } from '../guards/log/request-log.js';

/** Logs a failure that the default security wrapper did not see, and so did not log. */
export function logFailure(
  thrown: unknown,
  { logger }: Services,
  request: ExecuteRequest,
  { address, app }: { readonly address?: string | undefined; readonly app?: unknown } = {},
): void {
  if (!logger) return;
  try {
    const redactor = redactorFor(request, app);
    const tool = typeof request.name === 'string' ? redactor.text(clip(request.name)) : undefined;
    logFailed(logger, { tool, address }, thrown, redactor, false);
  } catch {
    // Reading the error or the request can throw too.
    logger.error({ address, outcome: 'error' }, 'tool call failed');
  }
}

/** Makes the result of a failed call, without credentials and within its budget. */
export async function toErrorResult(
  thrown: unknown,
  { errorHandler, outputBudget }: Services,
  request: ExecuteRequest,
  {
    address,
    app,
    isAdmitted,
    fieldNames,
    budget = outputBudget,
  }: {
    address?: string | undefined;
    app?: unknown;
    isAdmitted?: boolean | undefined;
    fieldNames?: readonly string[] | undefined;
    budget?: OutputBudget | undefined;
  },
): Promise<CallToolResult> {
  try {
    const failed = { address, fieldNames, context: secretsOf(request, app) };
    const isProblem = isValidationProblem(thrown) || (isAdmitted !== true && issuesOf(thrown) !== undefined);
    const made: unknown = isProblem
      ? errorHandler.createValidationError(thrown, failed)
      : errorHandler.handleError(thrown, failed);
    // An injected error handler may be asynchronous.
    const result = made !== null && typeof made === 'object' && 'then' in made ? await made : made;
    if (!isResult(result)) throw new ErrInvalidResult('The error handler returned no result.');
    // The default error handler redacts its results itself.
    const isOwn = errorHandler.constructor === ErrorHandler;
    const clean = isOwn ? result : redactResult(result, redactorOf(failed.context));
    const fitting = budget ? fitError(clean, budget) : clean;
    return markResult(fitting, thrown);
  } catch {
    // Reading a thrown value can throw, and an injected error handler can fail.
    return lastResort.handleError(undefined, { address });
  }
}

/** Shortens an error to the budget. An error that cannot be shortened is returned in full. */
function fitError(result: CallToolResult, budget: OutputBudget): CallToolResult {
  try {
    return fitResult(result, budget);
  } catch (thrown) {
    if (thrown instanceof ErrOutputTooLarge) return result;
    throw thrown;
  }
}

const lastResort = new ErrorHandler({ exposeErrors: 'generic' });

/** Whether the call itself is wrong, so that the caller can correct it. */
function isValidationProblem(thrown: unknown): boolean {
  return (
    thrown instanceof ErrUnknownTool ||
    thrown instanceof ErrActionRequired ||
    thrown instanceof ErrUnknownAction ||
    thrown instanceof ErrValidationFailed
  );
}

/**
 * Results of calls that this server rejected for their scopes, or that a handler ended with a protocol error. A mark in
 * `_meta` would prove nothing, because an upstream server can set it.
 */
const missingScopes = new WeakMap<CallToolResult, readonly string[]>();
const protocolErrors = new WeakSet<CallToolResult>();

/** Remembers the result of a protocol error or of a missing scope. */
export function markResult(result: CallToolResult, thrown: unknown): CallToolResult {
  if (!(thrown instanceof ErrProtocol || thrown instanceof ErrInsufficientScope)) return result;
  // Mark a copy, because an injected error handler may return one object for every failure.
  const marked = { ...result };
  if (thrown instanceof ErrProtocol) protocolErrors.add(marked);
  const { required } = thrown.details;
  if (thrown instanceof ErrInsufficientScope && isTexts(required)) missingScopes.set(marked, required);
  return marked;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Whether a handler of this server ended the call with a protocol error. */
export function isProtocolError(result: CallToolResult): boolean {
  return protocolErrors.has(result);
}

/** Returns all scopes that a call needs, if this server rejected it because one is missing. */
export function requiredScopesOf(result: CallToolResult): readonly string[] | undefined {
  return missingScopes.get(result);
}
