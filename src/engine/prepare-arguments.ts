import type { CompiledAction } from '../compile/compiled-tool.js';
import { ErrValidationFailed, ToolfoldError } from '../errors.js';
import { messageOf } from './error-handler.js';
import { isJsonObject } from '../values/json-value.js';
import type { Call } from './call.js';
import { repairJson } from '../compile/json-repair.js';
import type { ExecuteRequest } from './request.js';
import { never, nobody, sessionOf } from './request-context.js';

type Arguments = Readonly<Record<string, unknown>>;

/** Repairs JSON text in place of objects and arrays, and fills in the defaults. Repairs nothing the second time. */
export function prepareArguments(call: Call): Arguments | Promise<Arguments> {
  const { compiled, deadline, request } = call;
  if (compiled.repairable) {
    const { input, repairs } = repairJson(call.sent, compiled.repairable);
    call.sent = input;
    if (repairs.length > 0) call.repairs = repairs;
  }
  if (!compiled.action.resolveDefaults) return call.sent;
  return resolveDefaults(call.sent, compiled, request, deadline?.signal ?? request.lazySignal?.());
}

/** Fills in missing arguments. Arguments of the caller take precedence, unless they are `undefined`. */
async function resolveDefaults(
  args: Arguments,
  { action: { resolveDefaults: resolve }, address }: CompiledAction,
  request: ExecuteRequest,
  signal: AbortSignal = never,
): Promise<Arguments> {
  if (!resolve) return args;
  const { arguments: rawArguments = {}, accessToken, caller = nobody } = request;
  let defaults: unknown;
  try {
    defaults = await resolve({ rawArguments, accessToken, caller, session: sessionOf(request), signal });
  } catch (cause) {
    throw toValidationError(cause);
  }
  if (defaults === undefined || defaults === null) return args;
  if (!isJsonObject(defaults)) {
    throw new ErrValidationFailed(`Validation failed: the defaults of "${address}" are not an object.`);
  }
  const given = Object.entries(args).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** The error for defaults that could not be resolved. */
function toValidationError(cause: unknown): ToolfoldError {
  if (cause instanceof ToolfoldError && cause.audience !== 'author') return cause;
  return new ErrValidationFailed(`Validation failed: ${messageOf(cause)}`, { cause });
}
