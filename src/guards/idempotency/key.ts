import { ErrValidationFailed } from '../../errors.js';
import { encode } from '../../values/digest.js';
import type { IdempotentRequest } from './idempotency.js';

/** What a call with a key is known by. */
export interface NamedCall {
  /** Other arguments are another call: which of the two has the key is for the store to say. */
  readonly id: string;
  readonly recordKey: string;
  readonly encoded: string;
}

/** Neither control characters nor half characters. */
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
