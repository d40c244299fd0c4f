import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ErrInvalidOptions, ErrInvalidRequestState } from '../errors.js';

export interface RequestStateOptions {
  /** At least 32 bytes, and the same in all processes that serve one client. Default: random in each process. */
  readonly key?: string | Uint8Array | undefined;
  readonly ttlMs?: number | undefined;
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;
const MIN_KEY_BYTES = 32;
/** Length of a signature: 32 bytes in base64url. */
const SIGNATURE_LENGTH = 43;
/** Maximum length of a sealed state. */
const MAX_LENGTH = 256 * 1024;

/**
 * Signs the state that a server gives a client to send back. The client can read the state, but it can neither change it
 * nor use it for another request, for another caller, or after it has expired.
 */
export class RequestState {
  readonly #key: Uint8Array;
  readonly #ttlMs: number;
  readonly #clock: () => number;

  constructor({ key, ttlMs = HOUR, clock = Date.now }: RequestStateOptions = {}) {
    const bytes =
      typeof key === 'string' ? new TextEncoder().encode(key) : (key ?? randomBytes(MIN_KEY_BYTES));
    if (!(bytes instanceof Uint8Array) || bytes.byteLength < MIN_KEY_BYTES)
      throw new ErrInvalidOptions(`requestStateKey must have at least ${MIN_KEY_BYTES} bytes.`);
    this.#key = Uint8Array.from(bytes);
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  /** Signs a value for one `subject`: a request and its caller. */
  seal(value: unknown, subject: string): string {
    const payload = JSON.stringify([this.#clock() + this.#ttlMs, value]);
    const sealed = `${this.#sign(payload, subject)}${payload}`;
    if (sealed.length > MAX_LENGTH)
      throw new ErrInvalidRequestState('The answers so far are too large to be sent back and forth.');
    return sealed;
  }

  open(sealed: unknown, subject: string): unknown {
    if (typeof sealed !== 'string' || sealed.length > MAX_LENGTH) throw invalid();
    const payload = sealed.slice(SIGNATURE_LENGTH);
    const [given, expected] = [sealed.slice(0, SIGNATURE_LENGTH), this.#sign(payload, subject)].map((text) =>
      new TextEncoder().encode(text),
    );
    if (given?.length !== expected?.length || !timingSafeEqual(given as Uint8Array, expected as Uint8Array))
      throw invalid();
    const [expires, value] = JSON.parse(payload) as [number, unknown];
    if (expires <= this.#clock()) throw invalid();
    return value;
  }

  /** Signs UTF-16, because UTF-8 encodes lone surrogates and the replacement character alike. */
  #sign(payload: string, subject: string): string {
    return createHmac('sha256', this.#key)
      .update(`${subject.length}:${subject}${payload}`, 'utf16le')
      .digest('base64url');
  }
}

function invalid(): ErrInvalidRequestState {
  return new ErrInvalidRequestState('The request state is not one of this request, or it has expired.', {
    hint: 'Send the request again without requestState and inputResponses.',
  });
}
