import { isInputRequired } from '../../protocol/input-required.js';
import { ToolfoldError } from '../../errors.js';
import type { Logger } from '../../values/logger.js';
import { digest } from '../../values/digest.js';
import { createRedactor, redactorOf } from '../redact/redactor.js';
import type { Redactor } from '../redact/redactor.js';
import { isSecretName } from '../../values/secret-names.js';
import type { SecuredCall } from '../../engine/security-wrapper.js';

const MAX_CLIENT_ID = 256;

/** Writes one line before a call and one after it. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #redactorOf = createRedactors();

  constructor(logger: Logger, clock: () => number) {
    this.#logger = logger;
    this.#clock = clock;
  }

  begin(namespace: string, operation: string, call: SecuredCall): LoggedCall {
    const { address, caller, clientId, rawArguments } = call;
    const own = this.#redactorOf(call);
    let redactor = own;
    let shown = own.value(rawArguments);
    if (shown !== rawArguments && hasSecretName(rawArguments)) {
      // Arguments have secrets of their own only now and then, and what stands beside them may repeat them.
      redactor = redactorOf(call.secrets());
      shown = redactor.value(rawArguments);
    }
    const name = caller.client?.name;
    const about = {
      namespace,
      operation,
      address,
      client: name === undefined ? undefined : redactor.text(name),
      // A client can call itself anything, also by what is secret.
      clientId: clientId === undefined ? undefined : redactor.text(clientId.slice(0, MAX_CLIENT_ID)),
      // Enough to tell sessions apart, and nothing of the id itself.
      sessionId: caller.sessionId === undefined ? undefined : digest(String(caller.sessionId)).slice(0, 8),
    };
    // Fields are written out: spreading them costs more than the call.
    this.#logger.info(
      {
        namespace,
        operation,
        address,
        client: about.client,
        clientId: about.clientId,
        sessionId: about.sessionId,
        arguments: shown,
      },
      'tool call',
    );
    return new LoggedCall(this.#logger, this.#clock, about, call);
  }
}

interface About {
  readonly namespace: string;
  readonly operation: string;
  readonly address: string;
  readonly client: string | undefined;
  readonly clientId: string | undefined;
  readonly sessionId: string | undefined;
}

/** One call whose end is to be told truthfully: a result that is an error is a failure. */
class LoggedCall {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #about: About;
  readonly #call: SecuredCall;
  readonly #start: number;
  /** Whether it was let through: what fails from then on was not refused. */
  isAdmitted = false;

  constructor(logger: Logger, clock: () => number, about: About, call: SecuredCall) {
    this.#logger = logger;
    this.#clock = clock;
    this.#about = about;
    this.#call = call;
    this.#start = clock();
  }

  end(result: unknown): void {
    const isError =
      typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
    const { namespace, operation, address, client, clientId, sessionId } = this.#about;
    const ms = this.#clock() - this.#start;
    const fields = {
      namespace,
      operation,
      address,
      client,
      clientId,
      sessionId,
      ms,
      outcome: isError ? 'error' : 'ok',
    };
    if (isError) this.#logger.warn(fields, 'tool call failed');
    else this.#logger.info(fields, 'tool call done');
  }

  fail(thrown: unknown): void {
    const ms = this.#clock() - this.#start;
    if (isInputRequired(thrown)) {
      this.#logger.info({ ...this.#about, ms, outcome: 'input_required' }, 'tool call asks back');
      return;
    }
    const isForCaller = thrown instanceof ToolfoldError && thrown.audience !== 'author';
    const outcome = isForCaller ? thrown.code : 'error';
    const error = redactorOf(this.#call.secrets()).value(thrown);
    const message = isForCaller && !this.isAdmitted ? 'tool call refused' : 'tool call failed';
    if (isForCaller) this.#logger.warn({ ...this.#about, ms, outcome, error }, message);
    else this.#logger.error({ ...this.#about, ms, outcome, error }, message);
  }
}

/** Knows what looks like a secret. */
const plainRedactor = createRedactor();

/** One that knows a caller's own secrets is soon found again. */
function createRedactors(): (call: SecuredCall) => Redactor {
  /** By the very object, where edges keep one for each caller. */
  const recent = new WeakMap<object, Known>();
  return (call) => {
    const { caller, accessToken, hasMore } = call;
    const { auth, sessionId } = caller;
    if (hasMore) return redactorOf(call.secrets());
    if (!auth) {
      if (!accessToken && !sessionId) return plainRedactor;
      return redactorOf([{ accessToken }, caller]);
    }
    const { token, extra } = auth;
    const known = recent.get(auth);
    const isSame = known?.token === token && known?.extra === extra && known?.accessToken === accessToken;
    if (known && isSame && known.sessionId === sessionId) return known.redactor;
    const redactor = redactorOf([{ accessToken }, caller]);
    recent.set(auth, { accessToken, sessionId, token, extra, redactor });
    return redactor;
  };
}

interface Known {
  readonly accessToken: string | undefined;
  readonly sessionId: string | undefined;
  readonly token: unknown;
  readonly extra: unknown;
  readonly redactor: Redactor;
}

/** Whether a name somewhere in the arguments promises a secret; where that is not soon told, yes. */
function hasSecretName(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 8) return true;
  if (Array.isArray(value)) return value.some((item) => hasSecretName(item, depth + 1));
  for (const key of Object.keys(value)) {
    if (isSecretName(key) || hasSecretName((value as Record<string, unknown>)[key], depth + 1)) return true;
  }
  return false;
}
