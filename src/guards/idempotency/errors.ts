import { ErrIdempotencyConflict, ErrOutcomeUnknown, ErrOverloaded, ErrRateLimited } from '../../errors.js';
import type { IdempotentRequest } from './key.js';
import type { Failure } from './stored-call.js';

const CHECK_FIRST = 'Check whether it took effect before you call again with a new key.';

export function otherArguments(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `The idempotency key "${request.key}" was used with other arguments.`;
  return conflict(request, message, 'Use a new key for a new call.');
}

export function unknownOutcome({ address, key }: IdempotentRequest, since: number): ErrOutcomeUnknown {
  const message = `The first call with the idempotency key "${key}" broke off, and its outcome is not known.`;
  return new ErrOutcomeUnknown(message, { hint: CHECK_FIRST, details: { address, key, since } });
}

export function failedBefore(request: IdempotentRequest, first: Failure): ErrIdempotencyConflict {
  const message = `The first call with the idempotency key "${request.key}" failed and was not run again.`;
  return conflict(request, message, CHECK_FIRST, first.code === undefined ? {} : { first });
}

export function resultNotKept(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `The call with the idempotency key "${request.key}" was done, but its result is no longer kept.`;
  return conflict(request, message, 'Do not repeat it: read what it changed.');
}

export function tooManyKeys({ address }: IdempotentRequest): ErrRateLimited {
  return new ErrRateLimited(`Too many idempotency keys were used with "${address}".`, {
    hint: 'Call without a key, or try again later.',
    details: { address },
  });
}

export function unreadable(request: IdempotentRequest): ErrIdempotencyConflict {
  const message = `What is stored for the idempotency key "${request.key}" cannot be read.`;
  return conflict(request, message, CHECK_FIRST);
}

export function unreachable({ address, key }: IdempotentRequest, cause: unknown): ErrOverloaded {
  return new ErrOverloaded(`Whether "${address}" ran already cannot be looked up, so nothing was done.`, {
    hint: 'Try again with the same idempotency key in a moment.',
    details: { address, key },
    cause,
  });
}

function conflict(
  { address, key }: IdempotentRequest,
  message: string,
  hint: string,
  more: Readonly<Record<string, unknown>> = {},
): ErrIdempotencyConflict {
  return new ErrIdempotencyConflict(message, { hint, details: { address, key, ...more } });
}
