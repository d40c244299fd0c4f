import type { WrapHandler } from '../define/read-definition.js';
import type { CompiledAction } from '../compile/compiled-tool.js';
import { recordKey } from '../callers/caller-key.js';
import { toJson } from '../values/value-text.js';
import { encode } from '../values/digest.js';
import type { IdempotentRequest } from '../guards/idempotency/idempotency.js';
import { retry } from '../guards/retry/retry.js';
import type { Services } from './services.js';
import type { ExecuteRequest } from './request.js';
import { contextHashOf, never } from './request-context.js';

/** Where a request that has no argument for it says which call it repeats. */
export const IDEMPOTENCY_KEY = 'toolfold/idempotencyKey';

const MAX_RETRY_DELAY = 30_000;

type Arguments = Readonly<Record<string, unknown>>;

/** A value that goes out and is not kept. */
class NotKept {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * How the handler of an action is run that is cached, idempotent, retried or that makes cached values out of date.
 * It is inside all middleware, which may refuse a call: who may not call does not get what was kept either.
 */
export function createAround(
  compiled: CompiledAction,
  request: ExecuteRequest,
  services: Services,
  {
    sent,
    minify,
    onWork,
  }: {
    readonly sent: Arguments;
    readonly minify: boolean | undefined;
    readonly onWork: (work: Promise<unknown>) => void;
  },
): WrapHandler {
  const { action, address } = compiled;
  const namespace = namespaceOf(compiled, services);
  const { cached, invalidates = [], retry: rule } = action;
  return async (handler, given) => {
    const key = idempotencyKeyOf(compiled, request, given.input);
    // Others may wait for what is kept, so that it does not end with whoever came first.
    const isKept = key !== undefined || cached !== undefined;
    let call = isKept ? { ...given, context: { ...given.context, signal: never } } : given;
    const { cache, signal } = call.context;

    const attempt = async (): Promise<unknown> => {
      const working = (async () => handler(call))();
      onWork(working);
      const value = await working;
      // What is kept is JSON, and must not lose anything by that.
      if (isKept && value !== undefined) toJson(value);
      return value;
    };
    const persist = rule
      ? () =>
          retry(attempt, {
            attempts: rule.attempts,
            delayMs: rule.delayMs ?? 200,
            maxDelayMs: MAX_RETRY_DELAY,
            signal: unlessNever(signal),
          })
      : attempt;
    const load = async (): Promise<unknown> => {
      const value = await persist();
      if (isErrorResult(value)) throw new NotKept(value);
      return value;
    };
    const read = cached
      ? () =>
          cache
            .wrap(['action', namespace, address, minify, inputKey(call.input, sent)], load, cached)
            .catch(unwrapNotKept)
      : persist;
    const run = invalidates.length > 0 ? () => finallyDo(read, () => cache.invalidate(...invalidates)) : read;
    if (key === undefined) return run();
    return services.idempotency.run(
      {
        ...toIdempotent(compiled, request, services, sent, key),
        signal: unlessNever(given.context.signal),
      },
      (fencingToken) => {
        call = { ...call, context: { ...call.context, fencingToken } };
        return run();
      },
    );
  };
}

/** Two toolsets may have tools of one name. */
function namespaceOf({ origin, namespace: label }: CompiledAction, { namespace }: Services): string {
  const own = label ?? namespace;
  return origin === undefined ? own : JSON.stringify([own, origin]);
}

/** What a call with a key is known by. */
function toIdempotent(
  compiled: CompiledAction,
  request: ExecuteRequest,
  services: Services,
  sent: Arguments,
  key: string,
): IdempotentRequest {
  return {
    namespace: namespaceOf(compiled, services),
    caller: services.payerOf(recordKey, request),
    context: contextHashOf(request),
    address: compiled.address,
    key,
    // As they were sent: defaults, and what validation makes of them, may differ from time to time.
    input: sent,
  };
}

/** Validation gives equal arguments one form. What it makes cannot always be compared; what was sent can. */
function inputKey(input: unknown, sent: unknown): string {
  try {
    return encode(input);
  } catch {
    return encode(sent);
  }
}

/** One signal for all calls would gather the listeners of all. */
function unlessNever(signal: AbortSignal): AbortSignal | undefined {
  return signal === never ? undefined : signal;
}

/** Even a call that failed may have changed something. */
async function finallyDo(work: () => Promise<unknown>, last: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } finally {
    await last();
  }
}

function idempotencyKeyOf(
  { action: { idempotency } }: CompiledAction,
  request: ExecuteRequest,
  input: Arguments,
): string | undefined {
  if (!idempotency) return undefined;
  const key =
    idempotency.field === undefined
      ? (request.idempotencyKey ?? request.meta?.[IDEMPOTENCY_KEY])
      : input[idempotency.field];
  // What is no text is refused where keys are checked.
  return key as string | undefined;
}

function isErrorResult(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

function unwrapNotKept(thrown: unknown): unknown {
  if (thrown instanceof NotKept) return thrown.value;
  throw thrown;
}
