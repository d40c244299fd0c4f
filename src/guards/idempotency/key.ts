import { ErrValidationFailed } from '../../errors.js';
import { encode } from '../../values/digest.js';

/** A call with an idempotency key. */
export interface IdempotentRequest {
  /** The caller, as `recordKey` names it. */
  readonly caller: string;
  /** The hash of the session context. The same key in another context is another call, charged to the same caller. */
  readonly context?: string | undefined;
  /** Tells servers that share a store apart. */
  readonly namespace?: string | undefined;
  readonly address: string;
  /** The key that the caller chose. */
  readonly key: string;
  /** The arguments, which must be equal in every call with the key. */
  readonly input: unknown;
  /** Ends the wait of this caller. The call runs on, because its outcome is stored and other callers may wait for it. */
  readonly signal?: AbortSignal | undefined;
}

/** The names of a call with a key. */
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
