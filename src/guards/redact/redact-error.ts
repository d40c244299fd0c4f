import { ErrProtocol, ToolfoldError } from '../../errors.js';
import type { ErrorOptions } from '../../errors.js';
import type { Redactor } from './redaction.js';

/** The same error without credentials in what it says and in what caused it. */
export function redactError(error: ToolfoldError, redactor: Redactor): ToolfoldError {
  const ErrorClass = error.constructor as new (message: string, options: ErrorOptions) => ToolfoldError;
  const details = redactor.value(error.details) as Record<string, unknown>;
  // An error of the protocol is made of what it says in its details.
  const own = error instanceof ErrProtocol ? details : {};
  const cause = error.cause === undefined ? {} : { cause: redactThrown(error.cause, redactor) };
  return new ErrorClass(redactor.text(error.message), { ...own, ...cause, details });
}

/**
 * The same for anything that was thrown, so that it can be logged or answered. Of an error of others its message and
 * stack are left: its fields may hold whole requests.
 */
export function redactThrown(thrown: unknown, redactor: Redactor): unknown {
  if (thrown instanceof ToolfoldError) return redactError(thrown, redactor);
  if (!(thrown instanceof Error)) return redactor.value(thrown);
  const copy = new Error(redactor.text(thrown.message));
  copy.name = redactor.text(thrown.name);
  if (thrown.stack !== undefined) copy.stack = redactor.text(thrown.stack);
  return copy;
}
