import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ErrCancelled, ErrRateLimited, ErrToolFailed } from '@toolfold/schema/errors';
import { isTransient, retry, retryAfterOf, statusOf } from './retry.js';
import type { RetryOptions } from './retry.js';

const busy = (more: object = {}) => Object.assign(new Error('busy'), { status: 503, ...more });

/** Records each pause instead of waiting. */
function noted(more: Partial<RetryOptions> = {}): { options: RetryOptions; pauses: number[] } {
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
  };
  return { pauses, options: { attempts: 5, delayMs: 100, maxDelayMs: 500, random: () => 1, sleep, ...more } };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('retry', () => {
  it('retries until the work succeeds', async () => {
    const { options, pauses } = noted();
    const seen: number[] = [];
    const value = await retry(async (attempt) => {
      seen.push(attempt);
      if (attempt < 3) throw busy();
      return 'done';
    }, options);
    expect([value, seen, pauses]).toEqual(['done', [1, 2, 3], [100, 200]]);
  });

  it('waits longer before each attempt, up to the maximum, and throws the last error', async () => {
    const { options, pauses } = noted();
    let last: Error | undefined;
    const failing = retry(async () => {
      last = busy();
      throw last;
    }, options);
    await expect(failing).rejects.toSatisfy((error) => error === last);
    expect(pauses).toEqual([100, 200, 400, 500]);
  });

  it('randomises delays over their full range', async () => {
    await fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (share) => {
        const { options, pauses } = noted({ random: () => share });
        await retry(async () => Promise.reject(busy()), options).catch(() => undefined);
        expect(pauses).toEqual([100, 200, 400, 500].map((most) => most * share));
      }),
    );
  });

  it('does not retry permanent errors', async () => {
    const { options } = noted();
    const work = vi.fn<() => Promise<unknown>>(async () =>
      Promise.reject(new TypeError('503 is not a function')),
    );
    await expect(retry(work, options)).rejects.toThrow(TypeError);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('waits for the time that the error states, unless it exceeds the maximum delay', async () => {
    const soon = noted({ random: () => 0.5, attempts: 2 });
    await retry(async () => Promise.reject(busy({ retryAfterMs: 300 })), soon.options).catch(() => undefined);
    expect(soon.pauses).toEqual([350]);
    const edge = noted({ attempts: 2 });
    await retry(async () => Promise.reject(busy({ retryAfterMs: 500 })), edge.options).catch(() => undefined);
    expect(edge.pauses).toEqual([500]);
    const late = noted();
    await expect(
      retry(async () => Promise.reject(busy({ retryAfterMs: 501 })), late.options),
    ).rejects.toThrow('busy');
    expect(late.pauses).toEqual([]);
  });

  it('stops waiting when the caller cancels', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const work = vi.fn<() => Promise<unknown>>(async () => Promise.reject(busy()));
    const options = {
      attempts: 3,
      delayMs: 1_000,
      maxDelayMs: 1_000,
      random: () => 1,
      signal: controller.signal,
    };
    const running = retry(work, options);
    const ended = expect(running).rejects.toThrow(ErrCancelled);
    await vi.advanceTimersByTimeAsync(500);
    controller.abort();
    await ended;
    expect(vi.getTimerCount()).toBe(0);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('waits with real timers, and leaves no listener behind', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    const running = retry(async (attempt) => (attempt < 3 ? Promise.reject(busy()) : attempt), {
      attempts: 3,
      delayMs: 1_000,
      maxDelayMs: 9_000,
      random: () => 1,
      signal,
    });
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await running).toBe(3);
    expect(remove).toHaveBeenCalledTimes(2);
  });

  it('does not start if the caller has already cancelled', async () => {
    const work = vi.fn<() => Promise<unknown>>(async () => 1);
    await expect(retry(work, { ...noted().options, signal: AbortSignal.abort() })).rejects.toThrow(
      ErrCancelled,
    );
    expect(work).not.toHaveBeenCalled();
  });
});

/** An object that throws on every operation. */
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('do not look');
    },
    has: () => {
      throw new Error('do not look');
    },
    ownKeys: () => {
      throw new Error('do not look');
    },
  },
);

describe('isTransient', () => {
  it.each([408, 425, 429, 502, 503, 504])('is true for status %i in any field', (status) => {
    for (const error of [
      { status },
      { statusCode: status },
      { response: { status } },
      { response: { statusCode: status } },
    ]) {
      expect(isTransient(error)).toBe(true);
    }
    expect(isTransient({ $metadata: { httpStatusCode: status } })).toBe(true);
  });

  it.each([200, 400, 401, 403, 404, 409, 422, 500, 501])('is false for status %i', (status) => {
    expect(isTransient({ status })).toBe(false);
    expect(isTransient({ status, code: 'ECONNRESET' })).toBe(false);
    expect(isTransient({ status, cause: { code: 'ECONNRESET' } })).toBe(false);
  });

  it.each([
    'ECONNRESET',
    'ECONNREFUSED',
    'ETIMEDOUT',
    'EPIPE',
    'EAI_AGAIN',
    'UND_ERR_SOCKET',
    'UND_ERR_CONNECT_TIMEOUT',
  ])('is true for %s, also as a cause', (code) => {
    const reset = Object.assign(new Error('x'), { code });
    expect(isTransient(reset)).toBe(true);
    expect(isTransient(new TypeError('fetch failed', { cause: reset }))).toBe(true);
    expect(
      isTransient(new ErrToolFailed('x', { cause: new TypeError('fetch failed', { cause: reset }) })),
    ).toBe(true);
  });

  it('is true for a timeout of a signal, and false for a cancellation', async () => {
    expect(isTransient(new DOMException('late', 'TimeoutError'))).toBe(true);
    expect(isTransient(new DOMException('gone', 'AbortError'))).toBe(false);
  });

  it('ignores error messages', () => {
    for (const thrown of [
      new Error('503 Service Unavailable'),
      new Error('ECONNRESET'),
      '503',
      503,
      null,
      undefined,
    ]) {
      expect(isTransient(thrown)).toBe(false);
    }
    expect(isTransient({ status: '503', code: 'ENOTFOUND', statusCode: 5030 })).toBe(false);
  });

  it('follows a limited number of causes', () => {
    const ring: { cause?: unknown } = {};
    ring.cause = ring;
    expect(isTransient(ring)).toBe(false);
    let deep: object = { status: 503 };
    for (let depth = 0; depth < 100_000; depth++) deep = { cause: deep };
    expect(isTransient(deep)).toBe(false);
  });
});

describe('error inspection', () => {
  it('throws for no value', () => {
    const things = [
      hostile,
      { cause: hostile },
      { response: hostile },
      { headers: hostile },
      { details: hostile },
    ];
    for (const thing of [...things, { headers: { get: () => hostile } }]) {
      expect([isTransient(thing), statusOf(thing), retryAfterOf(thing)]).toEqual([
        false,
        undefined,
        undefined,
      ]);
    }
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (thing) => {
        for (const error of [
          thing,
          { headers: thing },
          { response: thing, cause: thing },
          { status: thing },
        ]) {
          isTransient(error);
          statusOf(error);
          retryAfterOf(error);
        }
      }),
    );
  });
});

describe('statusOf', () => {
  it('finds the nearest status', () => {
    expect(statusOf({ status: 404, cause: { status: 500 } })).toBe(404);
    expect(statusOf(new Error('x', { cause: { response: { status: 500 } } }))).toBe(500);
    expect(statusOf({ status: 'error', response: { status: 418 } })).toBe(418);
    expect(statusOf({ status: 0 })).toBeUndefined();
    expect(statusOf(new Error('404'))).toBeUndefined();
  });
});

describe('retryAfterOf', () => {
  const now = Date.UTC(2026, 0, 1);

  it.each<[unknown, number | undefined]>([
    [{ retryAfterMs: 250 }, 250],
    [{ retryAfterMs: -1 }, undefined],
    [{ retryAfterMs: Infinity }, undefined],
    [new ErrRateLimited('x', { details: { retryAfterMs: 12 } }), 12],
    [{ headers: { 'retry-after': '2' } }, 2_000],
    [{ headers: { 'Retry-After': 2 } }, 2_000],
    [{ headers: { 'retry-after': ['3', '4'] } }, 3_000],
    [{ headers: new Headers({ 'Retry-After': ' 1.5 ' }) }, 1_500],
    [{ headers: new Map([['retry-after', '7']]) }, 7_000],
    [{ response: { headers: new Headers({ 'retry-after': '4' }) } }, 4_000],
    [{ headers: {}, response: { headers: { 'retry-after': '4' } } }, 4_000],
    [new Error('x', { cause: { headers: { 'retry-after': '5' } } }), 5_000],
    [{ headers: { 'retry-after': 'Thu, 01 Jan 2026 00:00:09 GMT' } }, 9_000],
    [{ headers: { 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' } }, 0],
    [{ headers: { 'retry-after': 'soon' } }, undefined],
    [{ headers: { 'retry-after': '-5' } }, undefined],
    [{ headers: { 'retry-after': '9'.repeat(400) } }, undefined],
    [{ headers: { 'retry-after': 'Xxx, 99 Foo 2026 GMT' } }, undefined],
    [new Error('Retry-After: 5'), undefined],
    [undefined, undefined],
  ])('parses %o as %s', (error, ms) => {
    expect(retryAfterOf(error, now)).toBe(ms);
  });
});
