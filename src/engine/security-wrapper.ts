import type { ActionSchema } from '../compile/input-schema/action-schema.js';
import { validationFailed } from '../schema/validate/describe-issues.js';
import type { ValidationResult } from '../schema/validate/schema-validator.js';
import type { Caller } from '../callers/caller.js';
import { ErrRateLimited } from '../errors.js';
import { callerKey } from '../callers/caller-key.js';
import type { Logger } from '../values/logger.js';
import { admitCall } from '../guards/rate-limit/rate-limiter.js';
import type { RateLimiter } from '../stores/contracts.js';
import { RequestLog } from '../guards/log/request-log.js';

/** The arguments of a call, by name. */
type Arguments = Readonly<Record<string, unknown>>;

/** Receives the outcome of a call. */
export interface CallWatcher {
  /** Called with the result, which may be an error that the handler returned. */
  end(result: unknown): void;
  /** Called with the error that ended the call. */
  fail(thrown: unknown): void;
}

/** A call before it is admitted, as a security wrapper sees it. */
export interface SecuredCall {
  /** The address of the action, such as `platform/users.create`. */
  readonly address: string;
  /** The sender of the request. */
  readonly caller: Caller;
  /** The access token that the handler gets. */
  readonly accessToken: string | undefined;
  /** The id of the client, set by the client or the edge. It is for fairness and logs, and proves nothing. */
  readonly clientId?: string | undefined;
  /** The id of the run of code that makes the call; `undefined` for a call of a client. */
  readonly run?: string | undefined;
  /** The arguments as the client sent them. */
  readonly rawArguments: Arguments;
  /** How many calls it counts as in rate limits. */
  readonly cost: number;
  /** Aborts when the caller cancels the call; `undefined` if the transport cannot tell. */
  readonly signal: AbortSignal | undefined;
  /** Whether the request has `_meta`, a session context or an SDK context, which may hold credentials as well. */
  readonly hasMore: boolean;
  /** Returns the parts of the request that may hold credentials. */
  readonly secrets: () => readonly unknown[];
  /** Registers a watcher that receives the outcome of the call. */
  readonly watch: (watcher: CallWatcher) => void;
  /**
   * Returns the arguments with defaults filled in and without hints. Call it once the call is admitted, because defaults may
   * come from other servers.
   */
  readonly arguments: () => Arguments | Promise<Arguments>;
}

/**
 * Guards one call: checks it, and calls `run` with the validated input. An error that it throws becomes the result, and so does
 * a `ToolfoldError` that it returns without running the call.
 */
export type SecurityWrapper = (call: SecuredCall, run: (input: Arguments) => unknown) => unknown;

/** Makes the security wrapper of one operation. */
export type WithSecurityWrapper = (
  namespace: string,
  operation: string,
  inputSchema: ActionSchema,
) => SecurityWrapper;

export interface SecurityOptions {
  readonly rateLimiter: RateLimiter | undefined;
  readonly logger: Logger | undefined;
  /** Milliseconds, for the durations in the log. */
  readonly clock: () => number;
}

/** The default security wrapper: request log, rate limit, validation. An injected wrapper replaces all three. */
export function createSecurityWrapper({ rateLimiter, logger, clock }: SecurityOptions): WithSecurityWrapper {
  const log = logger && new RequestLog(logger, clock);
  return (namespace, operation, schema) => (call, run) => {
    const { address } = call;
    const entry = log?.begin(namespace, operation, call);
    if (entry) call.watch(entry);
    // 2 admit
    const admitted = rateLimiter && admitCall(rateLimiter, callerKey(call.caller), address, call.cost);
    if (admitted instanceof ErrRateLimited) return admitted;
    // 3 prepare
    const prepared = admitted ? admitted.then(() => call.arguments()) : call.arguments();
    const runIfValid = (input: Arguments, checked: ValidationResult): unknown => {
      // Returned, not thrown, because throwing costs more than validating.
      if (!checked.ok)
        return validationFailed(checked.issues, { address, fieldNames: schema.fieldNames, input });
      if (entry) entry.isAdmitted = true;
      return run(checked.value as Arguments);
    };
    // 4 validate. Values that are ready are not awaited: an async wrapper would cost a plain call 0.1 of its 0.9 µs.
    if (prepared instanceof Promise)
      return prepared.then(async (input) => runIfValid(input, await schema.validate(input)));
    const checked = schema.validate(prepared);
    return checked instanceof Promise
      ? checked.then((settled) => runIfValid(prepared, settled))
      : runIfValid(prepared, checked);
  };
}
