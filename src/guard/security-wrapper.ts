import type { ActionSchema } from '../compile/action-schema.js';
import { validationFailed } from '../compile/describe-issues.js';
import { InputRequired } from '../compile/input-required.js';
import type { Caller } from '../compile/tool-definition.js';
import { ToolfoldError } from '../errors.js';
import type { ValidationResult } from '../schema/validation-result.js';
import { callerKey } from './caller-key.js';
import { collectCredentials } from './collect-credentials.js';
import type { Logger } from './logger.js';
import { admitCall } from './rate-limiter.js';
import type { RateLimiter } from './rate-limiter.js';
import { createRedactor } from './redaction.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A call that asks to be let through. */
export interface SecuredCall {
  /** The address of what is to run: `platform/users.create`. */
  readonly address: string;
  readonly caller: Caller;
  readonly accessToken: string | undefined;
  /** The arguments as they came. */
  readonly rawArguments: Arguments;
  /** How many calls it counts as. */
  readonly cost: number;
  readonly signal: AbortSignal | undefined;
  /** What the registry's `contextFactory` made, once it has. */
  readonly app: unknown;
  /**
   * The arguments with defaults filled in and hints taken out. Filling them in may ask other servers: ask for them
   * once the call is admitted.
   */
  readonly arguments: () => Arguments | Promise<Arguments>;
}

/** Guards one call: checks it, and gives `run` the validated input. Whatever it throws is the answer. */
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
  const admit = (
    call: SecuredCall,
    inputSchema: ActionSchema,
    run: (input: Arguments) => unknown,
  ): unknown => {
    if (!rateLimiter) return validate(call, inputSchema, run);
    const caller = callerKey(call.caller, call.accessToken);
    return admitCall(rateLimiter, { caller, address: call.address, cost: call.cost }).then(() =>
      validate(call, inputSchema, run),
    );
  };
  if (!logger) return (_namespace, _operation, inputSchema) => (call, run) => admit(call, inputSchema, run);
  return (namespace, operation, inputSchema) => (call, run) =>
    logged(tellOf(logger), clock, { namespace, operation, call }, async (onAdmitted) =>
      admit(call, inputSchema, (input) => {
        onAdmitted();
        return run(input);
      }),
    );
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
    throw validationFailed(checked.issues, { address, fieldNames: schema.fieldNames, input });
  };
  const checked = schema.validate(input);
  return checked instanceof Promise ? checked.then(proceed) : proceed(checked);
}

/** Knows what looks like a secret. One that knows a caller's own takes longer to make than a call. */
const plainRedactor = createRedactor();

/** Whether one of the texts stands somewhere in the arguments; where that is not soon told, yes. */
function mentions(value: unknown, texts: readonly unknown[], depth = 0): boolean {
  if (typeof value === 'string')
    return texts.some((text) => typeof text === 'string' && text !== '' && value.includes(text));
  if (typeof value !== 'object' || value === null) return false;
  if (depth > 8) return true;
  for (const key in value) {
    if (mentions((value as Record<string, unknown>)[key], texts, depth + 1)) return true;
  }
  return false;
}

type Tell = (level: 'info' | 'warn' | 'error', fields: object, message: string) => void;

/** A logger that fails must not make a call fail that has done its work. */
function tellOf(logger: Logger): Tell {
  return (level, fields, message) => {
    try {
      logger[level](fields, message);
    } catch {
      // There is nowhere to say so.
    }
  };
}

/** One line before and one after, which says how it ended: a result that is an error is a failure. */
async function logged(
  tell: Tell,
  clock: () => number,
  { namespace, operation, call }: { namespace: string; operation: string; call: SecuredCall },
  run: (onAdmitted: () => void) => Promise<unknown>,
): Promise<unknown> {
  const { address, caller, rawArguments, accessToken } = call;
  const credentials = { accessToken, token: caller.auth?.['token'] };
  const redactor = mentions(rawArguments, Object.values(credentials))
    ? createRedactor(collectCredentials(credentials, caller.auth, rawArguments))
    : plainRedactor;
  const about = {
    namespace,
    operation,
    address,
    client: redactor.value(caller.client?.name),
    sessionId: caller.sessionId === undefined ? undefined : `${caller.sessionId.slice(0, 8)}…`,
  };
  tell('info', { ...about, arguments: redactor.value(rawArguments) }, 'tool call');
  const start = clock();
  let isAdmitted = false;
  try {
    const result = await run(() => {
      isAdmitted = true;
    });
    const isError =
      typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
    const fields = { ...about, ms: clock() - start, outcome: isError ? 'error' : 'ok' };
    if (isError) tell('warn', fields, 'tool call failed');
    else tell('info', fields, 'tool call done');
    return result;
  } catch (thrown) {
    if (thrown instanceof InputRequired) {
      tell('info', { ...about, ms: clock() - start, outcome: 'input_required' }, 'tool call asks back');
      throw thrown;
    }
    const isForCaller = thrown instanceof ToolfoldError && thrown.audience !== 'author';
    const fields = {
      ...about,
      ms: clock() - start,
      outcome: isForCaller ? thrown.code : 'error',
      error: createRedactor(collectCredentials(credentials, caller.auth, call.app, rawArguments)).value(
        thrown,
      ),
    };
    const message = isForCaller && !isAdmitted ? 'tool call refused' : 'tool call failed';
    tell(isForCaller ? 'warn' : 'error', fields, message);
    throw thrown;
  }
}
