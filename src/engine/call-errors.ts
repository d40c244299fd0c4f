import { clip } from '../schema/validate/describe-issues.js';
import {
  ErrActionRequired,
  ErrInvalidResult,
  ErrOutputTooLarge,
  ErrUnknownAction,
  ErrUnknownTool,
  ErrValidationFailed,
  ToolfoldError,
} from '../errors.js';
import { ErrorHandler, issuesOf } from './error-handler.js';
import { fitResult } from '../guards/budget/fit-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import { redactResult } from '../guards/redact/redact-outcome.js';
import { isResult } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Logger } from '../values/logger.js';
import { redactorOf } from '../guards/redact/redactor.js';
import type { Services } from './services.js';
import type { ExecuteRequest } from './request.js';
import { secretsOf } from './request-context.js';
import { markProtocolError } from './protocol-errors.js';
import { markScopeRefusal } from './scope-refusals.js';

/** What our guard never saw is not in its log. */
export function logFailure(
  thrown: unknown,
  { logger }: Services,
  request: ExecuteRequest,
  { address, app }: { readonly address?: string | undefined; readonly app?: unknown } = {},
): void {
  if (!logger) return;
  try {
    writeFailure(thrown, logger, request, { address, app });
  } catch {
    // What was thrown, or the request, does not let itself be read.
    logger.error({ address, outcome: 'error' }, 'tool call failed');
  }
}

function writeFailure(
  thrown: unknown,
  logger: Logger,
  request: ExecuteRequest,
  { address, app }: { readonly address?: string | undefined; readonly app?: unknown },
): void {
  const redactor = redactorOf(secretsOf(request, app));
  const isForCaller = thrown instanceof ToolfoldError && thrown.audience !== 'author';
  const tool = typeof request.name === 'string' ? redactor.text(clip(request.name)) : undefined;
  const outcome = isForCaller ? thrown.code : 'error';
  const fields = { tool, address, outcome, error: redactor.value(thrown) };
  if (isForCaller) logger.warn(fields, 'tool call refused');
  else logger.error(fields, 'tool call failed');
}

/** 7 error: one place, one table. */
export async function toError(
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
    // A handler of the author's own may be async.
    const result = made !== null && typeof made === 'object' && 'then' in made ? await made : made;
    if (!isResult(result)) throw new ErrInvalidResult('The error handler gave no result.');
    // Our own error handler has redacted its result already.
    const isOwn = errorHandler.constructor === ErrorHandler;
    const clean = isOwn ? result : redactResult(result, redactorOf(failed.context));
    const fitting = budget ? fitError(clean, budget) : clean;
    return markProtocolError(markScopeRefusal(fitting, thrown), thrown);
  } catch {
    // Anything can be thrown, even what throws when it is looked at; and a handler of the author's own may fail.
    return lastResort.handleError(undefined, { address });
  }
}

/** Shortens an error to the budget. The error is reported in any case. */
function fitError(result: CallToolResult, budget: OutputBudget): CallToolResult {
  try {
    return fitResult(result, budget);
  } catch (thrown) {
    if (thrown instanceof ErrOutputTooLarge) return result;
    throw thrown;
  }
}

const lastResort = new ErrorHandler({ exposeErrors: 'generic' });

/** The call cannot be run as it is, and the caller can tell why. */
function isValidationProblem(thrown: unknown): boolean {
  return (
    thrown instanceof ErrUnknownTool ||
    thrown instanceof ErrActionRequired ||
    thrown instanceof ErrUnknownAction ||
    thrown instanceof ErrValidationFailed
  );
}
