import {
  ErrValidationFailed,
  ErrIdempotencyConflict,
  ErrOutcomeUnknown,
  ErrOverloaded,
  ErrRateLimited,
} from '@toolfold/schema/errors';
import { encode } from '../../values/digest.js';

export interface IdempotentRequest {
  /** The caller, as `recordKey` names it. */
  readonly caller: string;
  /** The hash of the session context. The same key in another context is another call, charged to the same caller. */
  readonly context?: string | undefined;
  /** Separates servers that share a store. */
  readonly namespace?: string | undefined;
  readonly address: string;
  readonly key: string;
  /** The arguments, which must be equal in every call with the key. */
  readonly input: unknown;
  /** Ends the wait of this caller. The call runs on, because its outcome is stored and other callers may wait for it. */
  readonly signal?: AbortSignal | undefined;
}

export interface NamedCall {
  /** Identifies the call in this process by its key and its arguments. The store decides which arguments own the key. */
  readonly id: string;
  readonly recordKey: string;
  readonly encoded: string;
}

/** Excludes control characters and lone surrogates. */
const PRINTABLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u;

export function nameOf({
  namespace = '',
  caller,
  context,
  address,
  key,
  input,
}: IdempotentRequest): NamedCall {
  const parts = ['idempotency', namespace, caller, address, key];
  const recordKey = JSON.stringify(context === undefined ? parts : [...parts, context]);
  const encoded = encode(input);
  return { id: `${recordKey}${encoded}`, recordKey, encoded };
}

export function isKey(key: unknown): key is string {
  return typeof key === 'string' && PRINTABLE.test(key);
}

export function noKey(): ErrValidationFailed {
  return new ErrValidationFailed(
    'Validation failed: the idempotency key must be a text of 1 to 255 printable characters.',
  );
}

/** The stored part of an error. Its text is not stored, because only the first caller may read it. */
export interface Failure {
  readonly code?: string;
}

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
