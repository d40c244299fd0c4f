import { isInputRequired } from '../../protocol/input-required.js';
import { ToolfoldError } from '../../errors.js';
import type { Logger } from '../../values/logger.js';
import { digest } from '../../values/digest.js';
import { createRedactor, redactorOf } from '../redact/redactor.js';
import type { Redactor } from '../redact/redactor.js';
import { isSecretName } from '../../values/secret-names.js';
import type { Caller } from '../../callers/caller.js';

const MAX_CLIENT_ID = 256;

/** The key in `_meta` of the result of `run_code`. Its value has the id of the run. */
export const RUN = 'toolfold/run';

/** The runs of code that ended with a thrown value: a question, or an error. */
const thrownBy = new WeakMap<object, string>();

/** Names the run of code that throws a value, for the log line of `run_code`. */
export function noteRun(thrown: unknown, run: string): void {
  thrownBy.set(Object(thrown) as object, run);
}

/** The parts of a call that are logged, or that hold the credentials to keep out of the log. */
export interface LoggableCall {
  readonly address: string;
  readonly caller: Caller;
  readonly accessToken: string | undefined;
  readonly clientId?: string | undefined;
  /** The id of the run of code that makes the call. */
  readonly run?: string | undefined;
  readonly rawArguments: Readonly<Record<string, unknown>>;
  /** Whether parts other than the caller and the access token may hold credentials. */
  readonly hasMore: boolean;
  /** Returns all parts of the request that may hold credentials. */
  readonly secrets: () => readonly unknown[];
}

/** Logs one line before a call and one after it. */
export class RequestLog {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #redactorOf = createRedactors();

  constructor(logger: Logger, clock: () => number) {
    this.#logger = logger;
    this.#clock = clock;
  }

  begin(namespace: string, operation: string, call: LoggableCall): LoggedCall {
    const { address, caller, clientId, run, rawArguments } = call;
    const own = this.#redactorOf(call);
    let redactor = own;
    let shown = own.value(rawArguments);
    if (shown !== rawArguments && hasSecretName(rawArguments)) {
      // The arguments hold secrets, and other parts of the request may repeat them.
      redactor = redactorOf(call.secrets());
      shown = redactor.value(rawArguments);
    }
    const name = caller.client?.name;
    const about = {
      namespace,
      operation,
      address,
      client: name === undefined ? undefined : redactor.text(name),
      // A client chooses its own id, so it may contain a secret.
      clientId: clientId === undefined ? undefined : redactor.text(clientId.slice(0, MAX_CLIENT_ID)),
      // A digest tells sessions apart without revealing their ids, which are credentials.
      sessionId: caller.sessionId === undefined ? undefined : digest(String(caller.sessionId)).slice(0, 8),
      run,
    };
    // Fields are listed one by one, because a spread costs more than the rest of the call.
    this.#logger.info(
      {
        namespace,
        operation,
        address,
        client: about.client,
        clientId: about.clientId,
        sessionId: about.sessionId,
        run,
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
  readonly run: string | undefined;
}

/** The log entry of one call. A result that is an error is logged as a failure. */
class LoggedCall {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #about: About;
  readonly #call: LoggableCall;
  readonly #start: number;
  /** Whether the call was admitted. A later failure is not logged as a rejection. */
  isAdmitted = false;

  constructor(logger: Logger, clock: () => number, about: About, call: LoggableCall) {
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
    const run = this.#about.run ?? runIdIn(result);
    const ms = this.#clock() - this.#start;
    const fields = {
      namespace,
      operation,
      address,
      client,
      clientId,
      sessionId,
      run,
      ms,
      outcome: isError ? 'error' : 'ok',
    };
    if (isError) this.#logger.warn(fields, 'tool call failed');
    else this.#logger.info(fields, 'tool call done');
  }

  fail(thrown: unknown): void {
    const ms = this.#clock() - this.#start;
    const about = { ...this.#about, run: this.#about.run ?? thrownBy.get(Object(thrown) as object) };
    if (isInputRequired(thrown)) {
      this.#logger.info({ ...about, ms, outcome: 'input_required' }, 'tool call asks back');
      return;
    }
    const isForCaller = thrown instanceof ToolfoldError && thrown.audience !== 'author';
    const outcome = isForCaller ? thrown.code : 'error';
    const error = redactorOf(this.#call.secrets()).failure(thrown);
    const message = isForCaller && !this.isAdmitted ? 'tool call rejected' : 'tool call failed';
    if (isForCaller) this.#logger.warn({ ...about, ms, outcome, error }, message);
    else this.#logger.error({ ...about, ms, outcome, error }, message);
  }
}

/** The id of the run of code whose result this is. */
function runIdIn(result: unknown): string | undefined {
  const { _meta } = Object(result) as { readonly _meta?: { readonly [RUN]?: { readonly id?: unknown } } };
  const id = _meta?.[RUN]?.id;
  return typeof id === 'string' ? id : undefined;
}

/** Removes texts that look like secrets. */
const plainRedactor = createRedactor();

/** Returns a redactor for the credentials of a call, and reuses the last one of each caller. */
function createRedactors(): (call: LoggableCall) => Redactor {
  /** Keyed by the `auth` object, which the edge reuses for each caller. */
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

/** Whether a field name in the arguments suggests a secret. Assumes so below a depth of 8. */
function hasSecretName(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 8) return true;
  if (Array.isArray(value)) return value.some((item) => hasSecretName(item, depth + 1));
  for (const key of Object.keys(value)) {
    if (isSecretName(key) || hasSecretName((value as Record<string, unknown>)[key], depth + 1)) return true;
  }
  return false;
}
