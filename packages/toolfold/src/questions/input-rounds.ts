import { InputRequired } from '../protocol/input-required.js';
import type { WireQuestions } from '../protocol/input-required.js';
import { digest, encode } from '../values/digest.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { Store } from '../stores/contracts.js';
import type { AskClient } from './request-input.js';
import { createHmac, timingSafeEqual } from '#crypto';
import { ErrInvalidOptions, ErrInvalidRequestState } from '@toolfold/schema/errors';

type Answers = Readonly<Record<string, unknown>>;

/** A request whose handler may ask the client, with the answers that the client has sent so far. */
export interface RoundsRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The state is valid for this caller only. */
  readonly holder: () => string;
  /** The answers that the client sent, unchecked. */
  readonly inputResponses?: unknown;
  /** The sealed state that the client received with the questions, unchecked. */
  readonly requestState?: unknown;
}

/**
 * Asks a client without a session. The server keeps nothing between requests: the client sends the answers of earlier
 * rounds back in a sealed state. The handler runs from its beginning in every round, and its first question gets the
 * answers of the first round. An invalid state is rejected here, before the handler runs. `used` holds the calls whose answers
 * were used, so that a client that sends a state again cannot run its call twice.
 */
export function createRoundAsker(
  states: RequestState,
  request: RoundsRequest,
  used: Pick<Store, 'setIfAbsent' | 'delete'>,
): AskClient {
  const { inputResponses, requestState } = request;
  const isFirst = requestState === undefined || requestState === null;
  let known: string | undefined;
  const subject = (): string => (known ??= subjectOf(request));
  const opened = isFirst ? undefined : states.open(requestState, subject());
  const { rounds: earlier, memo: found } = opened ? readState(opened.value) : first;
  const answered = isJsonObject(inputResponses) ? Object.entries(inputResponses) : [];
  const current = {
    ...earlier.at(-1),
    ...Object.fromEntries(answered.filter(([, answer]) => isJsonObject(answer))),
  };
  const rounds: Answers[] = [...earlier.slice(0, -1), current];
  const call = opened?.call ?? crypto.randomUUID();
  const key = `request state ${call}`;
  let claim: Promise<void> | undefined;
  const claimAnswers = async (): Promise<void> => {
    if ((await used.setIfAbsent(key, 'used', states.ttlMs)) !== undefined) throw alreadyUsed();
  };
  const askAgain = async (asked: WireQuestions, value: unknown): Promise<never> => {
    const isOurs = await claim?.then(
      () => true,
      () => false,
    );
    // The call has not run, so the next request may use the answers.
    if (isOurs) await used.delete(key);
    claim = undefined;
    throw new InputRequired(asked, states.seal(value, subject(), call));
  };
  let next = 0;
  const ask: AskClient = async (questions, memo) => {
    const round = next++;
    if (memo) {
      return askAgain(questions, { rounds: [...rounds.slice(0, round), {}], memo: await memo() });
    }
    const answers = rounds[round] ?? {};
    const keys = Object.keys(questions);
    const missing = keys.filter((name) => !Object.hasOwn(answers, name));
    const given = pick(
      answers,
      keys.filter((name) => !missing.includes(name)),
    );
    if (missing.length > 0)
      return askAgain(pick(questions, missing) as WireQuestions, [...rounds.slice(0, round), given]);
    if (opened) await (claim ??= claimAnswers());
    return given;
  };
  return found === undefined ? ask : Object.assign(ask, { earlier: { memo: found, answers: current } });
}

/** Identifies a call and its caller, so that the answers to one call are not accepted for another. */
function subjectOf({ method, params, holder }: RoundsRequest): string {
  const { name, uri, arguments: args } = params;
  return digest(encode([method, name, uri, args, holder()]));
}

/** The answers of each round. The last round may be incomplete, and its questions may have come with a memo. */
interface State {
  readonly rounds: readonly Answers[];
  readonly memo?: unknown;
}

const first: State = { rounds: [{}] };

/** Reads an opened state: a list of rounds, or an object if there is a memo. */
function readState(value: unknown): State {
  const { rounds = value, memo } = isJsonObject(value) ? value : {};
  return Array.isArray(rounds) && rounds.every(isJsonObject) ? { rounds, memo } : first;
}

function pick(from: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

interface RequestStateOptions {
  /** At least 32 bytes, and the same in all processes that serve one client. Default: random in each process. */
  readonly key?: string | Uint8Array | undefined;
  readonly ttlMs?: number | undefined;
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;
const MIN_KEY_BYTES = 32;
/** Characters of 32 bytes in base64url. */
const SIGNATURE_LENGTH = 43;
const MAX_LENGTH = 256 * 1024;

/**
 * Signs the state that a server gives a client to send back. The client can read the state, but it can neither change it
 * nor use it for another request, for another caller, or after it has expired.
 */
export class RequestState {
  #key: Uint8Array | undefined;
  readonly ttlMs: number;
  readonly #clock: () => number;

  constructor({ key, ttlMs = HOUR, clock = Date.now }: RequestStateOptions = {}) {
    if (key !== undefined) {
      const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
      if (!(bytes instanceof Uint8Array) || bytes.byteLength < MIN_KEY_BYTES)
        throw new ErrInvalidOptions(`requestStateKey must have at least ${MIN_KEY_BYTES} bytes.`);
      this.#key = Uint8Array.from(bytes);
    }
    this.ttlMs = ttlMs;
    this.#clock = clock;
  }

  /** Signs a value for one `subject`: a request and its caller. `call` identifies the call through all of its rounds. */
  seal(value: unknown, subject: string, call: string): string {
    const payload = JSON.stringify([this.#clock() + this.ttlMs, value, call]);
    const sealed = `${this.#sign(payload, subject)}${payload}`;
    if (sealed.length > MAX_LENGTH)
      throw new ErrInvalidRequestState('The answers so far are too large to be sent back and forth.');
    return sealed;
  }

  open(sealed: unknown, subject: string): { readonly value: unknown; readonly call: string } {
    if (typeof sealed !== 'string' || sealed.length > MAX_LENGTH) throw invalid();
    const payload = sealed.slice(SIGNATURE_LENGTH);
    const [given, expected] = [sealed.slice(0, SIGNATURE_LENGTH), this.#sign(payload, subject)].map((text) =>
      new TextEncoder().encode(text),
    );
    if (given?.length !== expected?.length || !timingSafeEqual(given as Uint8Array, expected as Uint8Array))
      throw invalid();
    const [expires, value, call] = JSON.parse(payload) as [number, unknown, string];
    if (expires <= this.#clock()) throw invalid();
    return { value, call };
  }

  /** Signs UTF-16, because UTF-8 encodes lone surrogates and the replacement character alike. */
  #sign(payload: string, subject: string): string {
    this.#key ??= crypto.getRandomValues(new Uint8Array(MIN_KEY_BYTES));
    return createHmac('sha256', this.#key)
      .update(toUtf16(`${subject.length}:${subject}${payload}`))
      .digest('base64url');
  }
}

/** Fixes the byte order, because processes on other processors check the signature. */
function toUtf16(text: string): Uint8Array {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let index = 0; index < text.length; index++) view.setUint16(2 * index, text.charCodeAt(index), true);
  return new Uint8Array(view.buffer);
}

function invalid(): ErrInvalidRequestState {
  return new ErrInvalidRequestState('The request state is not one of this request, or it has expired.', {
    hint: 'Send the request again without requestState and inputResponses.',
  });
}

function alreadyUsed(): ErrInvalidRequestState {
  return new ErrInvalidRequestState('The call has already run with the answers of this request state.', {
    hint: 'Check whether it took effect. To run it again, send the request without requestState and inputResponses.',
  });
}
