import { recordKey } from '../callers/caller-key.js';
import type { CompiledAction } from '../compile/compiled-tool.js';
import type { WrapHandler } from '../define/read-definition.js';
import type { IdempotentRequest } from '../guards/idempotency/key.js';
import { retry } from '../guards/retry/retry.js';
import { encode } from '../values/digest.js';
import { toJson } from '../values/value-text.js';
import type { Call } from './call.js';
import type { ExecuteRequest } from './request.js';
import { contextHashOf, isNever, neverSignal } from './request-context.js';
import type { Services } from './services.js';

/** The key in `_meta` of an idempotency key, for actions that have no argument for it. */
export const IDEMPOTENCY_KEY = 'toolfold/idempotencyKey';

const MAX_RETRY_DELAY_MS = 30_000;

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Wraps the handler of an action that is idempotent, cached or retried, or that invalidates cached values:
 *
 *   idempotency → invalidate → cache → retry → handler
 *
 * All of it runs inside the middleware, so that a caller whom the middleware rejects gets no stored result either.
 */
export function wrapHandler(services: Services, call: Call): WrapHandler {
  const { compiled, request } = call;
  const { cached, invalidates = [], retry: rule } = compiled.action;
  const namespace = namespaceOf(compiled, services);
  const sent = withoutDiscriminator(call);
  return async (handler, given) => {
    const key = idempotencyKeyOf(compiled, request, given.input);
    // Concurrent callers share a stored result, so the first caller's cancellation must not abort its handler.
    const isStored = key !== undefined || cached !== undefined;
    let current = isStored ? { ...given, context: { ...given.context, signal: neverSignal() } } : given;
    const { cache, signal } = current.context;

    const attempt = async (): Promise<unknown> => {
      const working = (async () => handler(current))();
      call.handlers.push(working);
      const value = await working;
      // A stored result is JSON: reject a value that JSON cannot represent before it is stored.
      if (isStored && value !== undefined) toJson(value);
      return value;
    };
    const persist = rule
      ? () =>
          retry(attempt, {
            attempts: rule.attempts,
            delayMs: rule.delayMs ?? 200,
            maxDelayMs: MAX_RETRY_DELAY_MS,
            signal: unlessNever(signal),
          })
      : attempt;
    const load = async (): Promise<unknown> => {
      const value = await persist();
      if (isErrorResult(value)) throw new Uncached(value);
      return value;
    };
    const read = cached
      ? () =>
          cache
            .wrap(
              ['action', namespace, compiled.address, call.minify, inputKey(current.input, sent)],
              load,
              cached,
            )
            .catch(unwrapUncached)
      : persist;
    const run = async (): Promise<unknown> => {
      try {
        return await read();
      } finally {
        // A failed handler may have changed something too.
        if (invalidates.length > 0) await cache.invalidate(...invalidates);
      }
    };
    if (key === undefined) return run();
    const idempotent: IdempotentRequest = {
      namespace,
      caller: services.payerOf(recordKey, request),
      context: contextHashOf(request),
      address: compiled.address,
      key,
      // The arguments as sent, because defaults and validated values may differ from one repetition to the next.
      input: sent,
      signal: unlessNever(given.context.signal),
    };
    return services.idempotency.run(idempotent, (fencingToken) => {
      current = { ...current, context: { ...current.context, fencingToken } };
      return run();
    });
  };
}

/** The namespace of stored results. It includes the toolset, because two toolsets may have tools of one name. */
function namespaceOf({ origin, namespace: label }: CompiledAction, { namespace }: Services): string {
  const own = label ?? namespace;
  return origin === undefined ? own : JSON.stringify([own, origin]);
}

function withoutDiscriminator({ sent, compiled: { discriminator } }: Call): Arguments {
  if (discriminator === undefined) return sent;
  const { [discriminator]: _, ...rest } = sent;
  return rest;
}

/** Validated arguments give equal calls one key. If they cannot be compared, the arguments as sent are used. */
function inputKey(input: unknown, sent: unknown): string {
  try {
    return encode(input);
  } catch {
    return encode(sent);
  }
}

function unlessNever(signal: AbortSignal): AbortSignal | undefined {
  return isNever(signal) ? undefined : signal;
}

/** Returns the idempotency key as sent. `Idempotency` rejects a key that is not text. */
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
  return key as string | undefined;
}

function isErrorResult(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'isError' in value && value.isError === true;
}

/** Carries an error result past the cache, which stores only values that a loader returns. */
class Uncached {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

function unwrapUncached(thrown: unknown): unknown {
  if (thrown instanceof Uncached) return thrown.value;
  throw thrown;
}
