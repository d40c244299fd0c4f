import { isInputRequired } from '../../protocol/input-required.js';
import { ToolfoldError } from '@toolfold/schema/errors';
import { isObject } from '@toolfold/schema/internal';
import type { Logger } from '../../values/logger.js';
import { digest } from '../../values/digest.js';
import { redactorOf } from '../redact/redactor.js';
import type { Redactor } from '../redact/redactor.js';
import type { Caller } from '../../callers/caller.js';

const MAX_CLIENT_ID = 256;

/** The result of `run_code` has the id of the run under this key of `_meta`. */
export const RUN = 'toolfold/run';

/** Ids of runs of code by the value that ended them: a question or an error. */
const thrownBy = new WeakMap<object, string>();

/** Names the run of code that throws a value, for the log line of `run_code`. */
export function noteRun(thrown: unknown, run: string): void {
  thrownBy.set(Object(thrown) as object, run);
}

/** The parts of a `SecuredCall` that are logged, or that hold the credentials to keep out of the log. */
interface LoggableCall {
  readonly address: string;
  readonly caller: Caller;
  readonly clientId?: string | undefined;
  readonly run?: string | undefined;
  readonly rawArguments: Readonly<Record<string, unknown>>;
  readonly secrets: () => readonly unknown[];
}

/** Logs a call and its end. A result with `isError` is logged as a failure. */
export class LoggedCall {
  readonly #logger: Logger;
  readonly #clock: () => number;
  readonly #about: { readonly run: string | undefined; readonly [field: string]: unknown };
  readonly #secrets: () => readonly unknown[];
  readonly #start: number;
  /** Whether the call was admitted. A later failure is not logged as a rejection. */
  isAdmitted = false;

  constructor(
    logger: Logger,
    clock: () => number,
    operation: { readonly namespace: string; readonly operation: string },
    { address, caller, clientId, run, rawArguments, secrets }: LoggableCall,
  ) {
    // Other parts of the request may repeat the secrets that the arguments hold.
    const redactor = redactorOf(secrets());
    const name = caller.client?.name;
    this.#about = {
      namespace: operation.namespace,
      operation: operation.operation,
      address,
      client: name === undefined ? undefined : redactor.text(name),
      // A client chooses its own id, so it may contain a secret.
      clientId: clientId === undefined ? undefined : redactor.text(clientId.slice(0, MAX_CLIENT_ID)),
      // A digest tells sessions apart without revealing their ids, which are credentials.
      sessionId: caller.sessionId === undefined ? undefined : digest(String(caller.sessionId)).slice(0, 8),
      run,
    };
    // Not a spread, which takes as long as a call if the object has many fields.
    logger.info(Object.assign({}, this.#about, { arguments: redactor.value(rawArguments) }), 'tool call');
    this.#logger = logger;
    this.#clock = clock;
    this.#secrets = secrets;
    this.#start = clock();
  }

  end(result: unknown): void {
    const isError = isObject(result) && 'isError' in result && result.isError === true;
    const fields = Object.assign({}, this.#about, {
      run: this.#about.run ?? runIdIn(result),
      ms: this.#clock() - this.#start,
      outcome: isError ? 'error' : 'ok',
    });
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
    const redactor = redactorOf(this.#secrets());
    logFailed(this.#logger, { ...about, ms }, thrown, redactor, this.isAdmitted);
  }
}

/** Errors that are meant for the caller are logged as warnings, all others as errors. */
export function logFailed(
  logger: Logger,
  about: object,
  thrown: unknown,
  redactor: Redactor,
  isAdmitted: boolean,
): void {
  const isForCaller = thrown instanceof ToolfoldError && thrown.audience !== 'author';
  const fields = { ...about, outcome: isForCaller ? thrown.code : 'error', error: redactor.failure(thrown) };
  if (isForCaller) logger.warn(fields, isAdmitted ? 'tool call failed' : 'tool call rejected');
  else logger.error(fields, 'tool call failed');
}

function runIdIn(result: unknown): string | undefined {
  const { _meta } = Object(result) as { readonly _meta?: { readonly [RUN]?: { readonly id?: unknown } } };
  const id = _meta?.[RUN]?.id;
  return typeof id === 'string' ? id : undefined;
}
