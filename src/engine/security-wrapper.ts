import type { ActionSchema } from '../compile/input-schema/action-schema.js';
import { validationFailed } from '../schema/validate/describe-issues.js';
import type { Caller } from '../callers/caller.js';
import type { ValidationResult } from '../schema/validate/schema-validator.js';
import { ErrRateLimited } from '../errors.js';
import { callerKey } from '../callers/caller-key.js';
import type { Logger } from '../values/logger.js';
import { admitCall } from '../guards/rate-limit/rate-limiter.js';
import type { RateLimiter } from '../stores/rate-limiter.js';
import { RequestLog } from '../guards/log/request-log.js';

/** What came with a call. */
type Arguments = Readonly<Record<string, unknown>>;

/** Hears how a call ends. */
export interface CallWatcher {
  /** With an answer, which may be an error that the handler returned. */
  end(result: unknown): void;
  /** With what was thrown. */
  fail(thrown: unknown): void;
}

/** A call that asks to be let through. */
export interface SecuredCall {
  /** The address of what is to run: `platform/users.create`. */
  readonly address: string;
  /** Who is calling. */
  readonly caller: Caller;
  /** The credential that the handler will get. */
  readonly accessToken: string | undefined;
  /** The name that the client gives itself, or that the edge gave it: for fairness and logs, and no proof. */
  readonly clientId?: string | undefined;
  /** The arguments as they came. */
  readonly rawArguments: Arguments;
  /** How many calls it counts as. */
  readonly cost: number;
  /** Ends when the caller gives up, where that can be noticed. */
  readonly signal: AbortSignal | undefined;
  /** Whether `_meta` or a context of a session or an SDK came with it, which may hold credentials as well. */
  readonly hasMore: boolean;
  /** Everything that came with the call and may hold a credential. */
  readonly secrets: () => readonly unknown[];
  /** Has somebody told how the call ends, once its answer is made. */
  readonly watch: (watcher: CallWatcher) => void;
  /**
   * The arguments with defaults filled in and hints taken out. Filling them in may ask other servers: ask for them
   * once the call is admitted.
   */
  readonly arguments: () => Arguments | Promise<Arguments>;
}

/**
 * Guards one call: checks it, and gives `run` the validated input. Whatever it throws is the answer, and so is a
 * `ToolfoldError` that it returns without running the call.
 */
export type SecurityWrapper = (call: SecuredCall, run: (input: Arguments) => unknown) => unknown;

/** Makes the guard of a call of one operation. */
export type WithSecurityWrapper = (
  namespace: string,
  operation: string,
  inputSchema: ActionSchema,
) => SecurityWrapper;

export interface SecurityOptions {
  readonly rateLimiter?: RateLimiter | undefined;
  readonly logger?: Logger | undefined;
  /** Milliseconds, for how long calls take. */
  readonly clock: () => number;
}

/** The guard that is there by default: rate limit, request log, validation. */
export function createSecurityWrapper({ rateLimiter, logger, clock }: SecurityOptions): WithSecurityWrapper {
  const admit = (call: SecuredCall, schema: ActionSchema, run: (input: Arguments) => unknown): unknown => {
    if (!rateLimiter) return validate(call, schema, run);
    const caller = callerKey(call.caller);
    const admitted = admitCall(rateLimiter, caller, call.address, call.cost);
    if (!admitted) return validate(call, schema, run);
    if (admitted instanceof ErrRateLimited) return admitted;
    return admitted.then(() => validate(call, schema, run));
  };
  if (!logger) return (_namespace, _operation, schema) => (call, run) => admit(call, schema, run);
  const log = new RequestLog(logger, clock);
  return (namespace, operation, schema) => (call, run) => {
    const entry = log.begin(namespace, operation, call);
    call.watch(entry);
    return admit(call, schema, (input) => {
      entry.isAdmitted = true;
      return run(input);
    });
  };
}

/** Nothing here waits unless it has to: a promise more is a good part of what a call costs. */
function validate(call: SecuredCall, schema: ActionSchema, run: (input: Arguments) => unknown): unknown {
  const given = call.arguments();
  return given instanceof Promise
    ? given.then((input) => check(call, schema, input, run))
    : check(call, schema, given, run);
}

function check(
  { address }: SecuredCall,
  schema: ActionSchema,
  input: Arguments,
  run: (input: Arguments) => unknown,
): unknown {
  const proceed = (checked: ValidationResult): unknown => {
    if (checked.ok) return run(checked.value as Arguments);
    // Returned, since throwing costs more than validating.
    return validationFailed(checked.issues, { address, fieldNames: schema.fieldNames, input });
  };
  const checked = schema.validate(input);
  return checked instanceof Promise ? checked.then(proceed) : proceed(checked);
}
