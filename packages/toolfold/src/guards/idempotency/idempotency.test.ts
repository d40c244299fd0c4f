import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  ErrCancelled,
  ErrIdempotencyConflict,
  ErrInvalidModel,
  ErrOverloaded,
  ErrTimeout,
  ErrValidationFailed,
} from '@toolfold/schema/errors';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import type { Store } from '../../stores/contracts.js';
import { Idempotency } from './idempotency.js';
import { pay, turn, untilSettled } from '../../../test/guards/idempotency-setup.js';

/** Work that the test settles, with a count of its runs. */
function createWork() {
  let resolve: (value: unknown) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<unknown>((...settle) => {
    [resolve, reject] = settle;
  });
  const work = vi.fn<() => Promise<unknown>>(async () => promise);
  return { work, resolve, reject, started: async () => vi.waitFor(() => expect(work).toHaveBeenCalled()) };
}

const caught = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => expect.unreachable(`resolved to ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );

/** A store that fails while `isDown` is set. */
function createFlakyStore() {
  const inner = new MemoryStore();
  const state = { isDown: false };
  const guard =
    <A extends unknown[], R>(method: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      if (state.isDown) throw new Error('connect ECONNREFUSED 10.0.0.1:6379');
      return method(...args);
    };
  const store: Store = {
    get: guard(async (key) => inner.get(key)),
    set: guard(async (key, value, ttlMs) => inner.set(key, value, ttlMs)),
    setIfAbsent: guard(async (key, value, ttlMs) => inner.setIfAbsent(key, value, ttlMs)),
    delete: guard(async (key) => inner.delete(key)),
  };
  return { store, state };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('idempotency in one process', () => {
  it('runs a thousand equal calls once, and gives each its own copy', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { work, resolve, started } = createWork();
    const calls = Array.from({ length: 1_000 }, async () => idempotency.run(pay(), work));
    await started();
    resolve({ paid: [5] });
    const results = await Promise.all(calls);
    expect(work).toHaveBeenCalledTimes(1);
    expect(results.every((result) => JSON.stringify(result) === '{"paid":[5]}')).toBe(true);
    expect(new Set(results).size).toBe(1_000);
    expect(new Set(results.map((result) => (result as { paid: unknown }).paid)).size).toBe(1_000);
  });

  it('returns the first result to repeated calls, in any order of arguments', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    let runs = 0;
    const work = async () => ({ run: ++runs });
    expect(await idempotency.run(pay({ input: { a: 1, b: { c: 2, d: 3 } } }), work)).toEqual({ run: 1 });
    expect(await idempotency.run(pay({ input: { b: { d: 3, c: 2 }, a: 1 } }), work)).toEqual({ run: 1 });
  });

  it('stores an undefined result', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const work = vi.fn<() => Promise<unknown>>(async () => undefined);
    expect(await idempotency.run(pay(), work)).toBeUndefined();
    expect(await idempotency.run(pay(), work)).toBeUndefined();
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('separates callers, actions and keys', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const requests = [pay(), pay({ caller: 'bob' }), pay({ address: 'shop/refund' }), pay({ key: 'k2' })];
    requests.push(
      pay({ caller: 'ada","shop/pay' }),
      pay({ caller: 'ada', address: 'shop', key: 'pay","k1' }),
    );
    const results = await Promise.all(
      requests.map(async (request, index) => idempotency.run(request, async () => index)),
    );
    expect(results).toEqual(requests.map((_, index) => index));
  });

  it('rejects other arguments with the same key, during and after the first call', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { work, resolve, started } = createWork();
    const first = idempotency.run(pay(), work);
    await started();
    const other = pay({ input: { amount: 6 } });
    const during = await caught(idempotency.run(other, work));
    resolve('paid');
    expect(await first).toBe('paid');
    const after = await caught(idempotency.run(other, work));
    for (const error of [during, after]) {
      expect(error).toBeInstanceOf(ErrIdempotencyConflict);
      expect((error as Error).message).toBe(
        'The idempotency key "k1" was used with other arguments. Use a new key for a new call.',
      );
      expect(error).toMatchObject({ details: { address: 'shop/pay', key: 'k1' } });
    }
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('distinguishes all arguments that a validator may produce', async () => {
    const inputs = [
      null, undefined, 0, '0', 0n, '', 'null', Number.NaN, Infinity, -Infinity, true, 'true', [], {}, [null], [undefined],
      [[]], { a: null }, { a: [] }, new Date(0), new Date(1), new Date(Number.NaN), new Date(0).toISOString(),
      new Map([['a', 1]]), new Set(['a', 1]), new Map([['a', 2]]), new Uint8Array([1, 2]), new Uint8Array([12]), [1, 2],
      new URL('https://a.example/'), 'https://a.example/', { __proto__: null, constructor: 1 }, '\ud800', '\ufffd',
      JSON.parse('{"__proto__":1}'),
    ]; // prettier-ignore
    const store = new MemoryStore();
    const idempotency = new Idempotency({ store });
    for (const [first, input] of inputs.entries()) {
      for (const [second, other] of inputs.entries()) {
        const key = `${first} ${Math.max(second, 0)}`;
        await idempotency.run(pay({ key, input }), async () => 'first');
        const again = idempotency.run(pay({ key, input: other }), async () => 'second');
        if (first === second) expect(await again).toBe('first');
        else expect(await caught(again), key).toBeInstanceOf(ErrIdempotencyConflict);
      }
    }
  });

  it('treats undefined members and negative zero as JSON does', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    await idempotency.run(pay({ input: { a: 0, b: undefined } }), async () => 'first');
    expect(await idempotency.run(pay({ input: { a: -0 } }), async () => 'second')).toBe('first');
  });

  it('does not run with arguments that cannot be compared', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const work = vi.fn<() => Promise<unknown>>(async () => 1);
    class Secret {
      readonly #value = 1;
      read = (): number => this.#value;
    }
    for (const input of [
      { a: new Secret() },
      { a: () => 1 },
      Symbol('a'),
      Object.create(Object.create(null)),
    ]) {
      expect(await caught(idempotency.run(pay({ input }), work))).toBeInstanceOf(ErrInvalidModel);
    }
    expect(work).not.toHaveBeenCalled();
  });

  it.each(['', ' '.repeat(256), 'a\nb', 'a\u0000', '\ud800', 'a\u2028b', 7 as unknown as string])(
    'rejects the key %j',
    async (key) => {
      const idempotency = new Idempotency({ store: new MemoryStore() });
      expect(await caught(idempotency.run(pay({ key }), async () => 1))).toBeInstanceOf(ErrValidationFailed);
    },
  );

  it.each(['a', 'x'.repeat(255), 'Zahlung für Ada 💶', '"]'])('accepts the key %j', async (key) => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    expect(await idempotency.run(pay({ key }), async () => 1)).toBe(1);
  });

  it('runs again when the ttl of the key is over', async () => {
    let now = 1;
    const clock = () => now;
    const idempotency = new Idempotency({ store: new MemoryStore({ clock }), clock });
    expect(await idempotency.run(pay(), async () => 'first')).toBe('first');
    now += 24 * 60 * 60_000 - 1;
    expect(await idempotency.run(pay(), async () => 'second')).toBe('first');
    now += 1;
    expect(await idempotency.run(pay({ input: {} }), async () => 'third')).toBe('third');
  });

  it('stores large results apart from the record, and never runs a call twice when one is evicted', async () => {
    const store = new MemoryStore();
    const set = vi.spyOn(store, 'set');
    const claim = vi.spyOn(store, 'setIfAbsent');
    const idempotency = new Idempotency({ store });
    const large = 'x'.repeat(2 * 1024 * 1024);
    const work = vi.fn<() => Promise<unknown>>(async () => large);
    const both = [idempotency.run(pay({ input: large }), work), idempotency.run(pay({ input: large }), work)];
    expect(await Promise.all(both)).toEqual([large, large]);
    expect(await idempotency.run(pay({ input: large }), work)).toBe(large);
    for (const [key, value] of [...set.mock.calls, ...claim.mock.calls])
      if (!key.endsWith(':result')) expect(value.length).toBeLessThan(500);
    for (const [key] of set.mock.calls) if (key.endsWith(':result')) await store.delete(key);
    expect(await caught(idempotency.run(pay({ input: large }), work))).toMatchObject({
      code: 'ErrIdempotencyConflict',
      message: expect.stringContaining('was done, but its result is no longer kept') as string,
    });
    expect(work).toHaveBeenCalledTimes(1);
  });
});

describe('the number of keys', () => {
  it('is limited for each caller, so that other callers find room', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore({ maxEntries: 50_000 }) });
    const work = async () => 1;
    for (let key = 0; key < 10_000; key++) await idempotency.run(pay({ key: `k${key}` }), work);
    expect(await caught(idempotency.run(pay({ key: 'one more' }), work))).toMatchObject({
      code: 'ErrRateLimited',
    });
    expect(await idempotency.run(pay({ key: 'k1' }), work), 'a repeat is no new key').toBe(1);
    expect(await idempotency.run(pay({ caller: 'bob', key: 'one more' }), work)).toBe(1);
  });
});

describe('work that throws', () => {
  it('fails for its caller with the original error, and is not run again for repeated calls', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { work, reject, started } = createWork();
    const [first, second] = [idempotency.run(pay(), work), idempotency.run(pay(), work)];
    const errors = Promise.all([caught(first), caught(second)]);
    await started();
    const failure = new ErrTimeout('The call took too long.');
    reject(failure);
    const [own, joined] = await errors;
    expect(own).toBe(failure);
    const later = await caught(idempotency.run(pay(), work));
    for (const error of [joined, later]) {
      expect(error).toBeInstanceOf(ErrIdempotencyConflict);
      expect(error).toMatchObject({
        message:
          'The first call with the idempotency key "k1" failed and was not run again. ' +
          'Check whether it took effect before you call again with a new key.',
        details: { first: { code: 'ErrTimeout' } },
      });
    }
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('may throw any value, synchronously or later, or return a value that is not JSON', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const ring: { ring?: unknown } = {};
    ring.ring = ring;
    const unreadable = {
      get message(): string {
        throw new Error('do not look');
      },
    };
    const works: (() => Promise<unknown>)[] = [
      async () => Promise.reject('text' as unknown as Error),
      async () => Promise.reject(undefined as unknown as Error),
      async () => Promise.reject(unreadable as unknown as Error),
      () => {
        throw new Error('at once');
      },
      async () => ring,
      async () => 1n,
    ];
    for (const [index, given] of works.entries()) {
      const work = vi.fn<() => Promise<unknown>>(given);
      await idempotency.run(pay({ key: `k${index}` }), work).then(
        () => expect.unreachable(),
        () => undefined,
      );
      expect(await caught(idempotency.run(pay({ key: `k${index}` }), work))).toBeInstanceOf(
        ErrIdempotencyConflict,
      );
      expect(work).toHaveBeenCalledTimes(1);
    }
  });

  it('is stored with a short error message', async () => {
    const store = new MemoryStore();
    const set = vi.spyOn(store, 'set');
    const idempotency = new Idempotency({ store });
    const failure = new Error('x'.repeat(1_000_000));
    const fail = async (): Promise<never> => Promise.reject(failure);
    expect(await caught(idempotency.run(pay(), fail))).toBe(failure);
    expect(((await caught(idempotency.run(pay(), fail))) as Error).message.length).toBeLessThan(3_000);
    expect(set.mock.calls[0]?.[1].length).toBeLessThan(3_000);
  });

  it('frees the key if changedNothing() returns true', async () => {
    class Question extends Error {}
    const changedNothing = (thrown: unknown) => thrown instanceof Question;
    const idempotency = new Idempotency({ store: new MemoryStore(), changedNothing });
    const { work, reject, started } = createWork();
    const errors = Promise.all([caught(idempotency.run(pay(), work)), caught(idempotency.run(pay(), work))]);
    await started();
    const question = new Question();
    reject(question);
    expect(await errors).toEqual([question, question]);
    expect(await idempotency.run(pay({ input: { answer: 'yes' } }), async () => 'paid')).toBe('paid');
  });
});

describe('callers that cancel', () => {
  it('affect neither other callers nor the work', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { work, resolve, started } = createWork();
    const controllers = Array.from({ length: 3 }, () => new AbortController());
    const calls = controllers.map(async ({ signal }) => idempotency.run(pay({ signal }), work));
    await started();
    controllers[0]!.abort();
    controllers[2]!.abort();
    expect(await caught(calls[0]!)).toBeInstanceOf(ErrCancelled);
    expect(await caught(calls[2]!)).toBeInstanceOf(ErrCancelled);
    resolve('paid');
    expect(await calls[1]).toBe('paid');
    controllers[1]!.abort();
    expect(await idempotency.run(pay(), work)).toBe('paid');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('get the result when they call again, even if no caller waited for it', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { work, resolve, started } = createWork();
    const controller = new AbortController();
    const call = idempotency.run(pay({ signal: controller.signal }), work);
    await started();
    controller.abort();
    expect(await caught(call)).toBeInstanceOf(ErrCancelled);
    const back = idempotency.run(pay(), work);
    resolve('paid');
    expect(await back).toBe('paid');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('before the work starts run nothing, and leave the key free', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const work = vi.fn<() => Promise<unknown>>(async () => 'paid');
    expect(await caught(idempotency.run(pay({ signal: AbortSignal.abort() }), work))).toBeInstanceOf(
      ErrCancelled,
    );
    const controller = new AbortController();
    const call = idempotency.run(pay({ signal: controller.signal }), work);
    controller.abort();
    expect(await caught(call)).toBeInstanceOf(ErrCancelled);
    await vi.waitFor(async () => {
      expect(await idempotency.run(pay({ input: 'other' }), async () => 'other')).toBe('other');
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('leave no listener behind', async () => {
    const idempotency = new Idempotency({ store: new MemoryStore() });
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    await idempotency.run(pay({ signal }), async () => 1);
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

describe('two processes with one store', () => {
  it('run a call once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const store = new MemoryStore();
    const [one, two] = [new Idempotency({ store }), new Idempotency({ store })];
    let finish: () => void = () => undefined;
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    let runs = 0;
    const work = async () => {
      runs++;
      await done;
      return { runs };
    };
    const calls = Promise.all([one.run(pay(), work), two.run(pay(), work), two.run(pay(), work)]);
    for (let count = 0; count < 100; count++) {
      await turn();
      vi.advanceTimersByTime(50);
    }
    finish();
    expect(await untilSettled(calls)).toEqual([{ runs: 1 }, { runs: 1 }, { runs: 1 }]);
    expect(await two.run(pay(), work)).toEqual({ runs: 1 });
    expect(await caught(two.run(pay({ input: 'other' }), work))).toBeInstanceOf(ErrIdempotencyConflict);
  });

  it('wait for a call as long as its process renews the lease', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
    let now = 0;
    const clock = () => now;
    const store = new MemoryStore({ clock });
    const [one, two] = [new Idempotency({ store, clock }), new Idempotency({ store, clock })];
    const { work, resolve } = createWork();
    const first = one.run(pay(), work);
    while (work.mock.calls.length === 0) await turn();
    for (let step = 0; step < 20; step++) {
      now += 20_000;
      vi.advanceTimersByTime(20_000);
      await turn();
    }
    const second = two.run(pay(), work);
    for (let count = 0; count < 20; count++) await turn();
    resolve('paid');
    expect(await untilSettled(Promise.all([first, second]))).toEqual(['paid', 'paid']);
    expect(vi.getTimerCount()).toBe(0);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('do not run a call again that a lost process left unfinished', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
    let now = 1_000;
    const clock = () => now;
    const store = new MemoryStore({ clock });
    const [one, two] = [new Idempotency({ store, clock }), new Idempotency({ store, clock })];
    const lost = createWork();
    one.run(pay(), lost.work).catch(() => undefined);
    while (lost.work.mock.calls.length === 0) await turn();
    // The process has died, so it renews no leases.
    vi.clearAllTimers();
    now += 60_001;
    const work = vi.fn<() => Promise<unknown>>(async () => 'second');
    expect(await caught(untilSettled(two.run(pay(), work)))).toMatchObject({
      code: 'ErrOutcomeUnknown',
      message:
        'The first call with the idempotency key "k1" broke off, and its outcome is not known. ' +
        'Check whether it took effect before you call again with a new key.',
      details: { since: 1_000 },
    });
    expect(work).not.toHaveBeenCalled();
  });

  it('hand a freed key to a waiting caller', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const store = new MemoryStore();
    const one = new Idempotency({ store, changedNothing: () => true });
    const two = new Idempotency({ store });
    const { work, reject } = createWork();
    const first = caught(one.run(pay(), work));
    while (work.mock.calls.length === 0) await turn();
    const second = two.run(pay(), async () => 'paid');
    reject(new Error('asked first'));
    expect(await untilSettled(Promise.all([first, second]))).toEqual([new Error('asked first'), 'paid']);
  });

  it('stop polling when no caller waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const store = new MemoryStore();
    const [one, two] = [new Idempotency({ store }), new Idempotency({ store })];
    const { work, resolve } = createWork();
    const first = one.run(pay(), work);
    while (work.mock.calls.length === 0) await turn();
    const controller = new AbortController();
    const claim = vi.spyOn(store, 'setIfAbsent');
    const second = caught(two.run(pay({ signal: controller.signal }), work));
    while (claim.mock.calls.length < 3) {
      await turn();
      vi.advanceTimersByTime(50);
    }
    controller.abort();
    expect(await second).toBeInstanceOf(ErrCancelled);
    while (vi.getTimerCount() > 0) {
      vi.advanceTimersByTime(50);
      await turn();
    }
    const asked = claim.mock.calls.length;
    vi.advanceTimersByTime(60_000);
    await turn();
    expect(claim).toHaveBeenCalledTimes(asked);
    resolve('paid');
    expect(await first).toBe('paid');
  });
});

describe('a store that fails', () => {
  it('prevents calls from running', async () => {
    const { store, state } = createFlakyStore();
    const idempotency = new Idempotency({ store });
    const work = vi.fn<() => Promise<unknown>>(async () => 'paid');
    state.isDown = true;
    const error = await caught(idempotency.run(pay(), work));
    expect(error).toBeInstanceOf(ErrOverloaded);
    expect((error as Error).message).not.toContain('10.0.0.1');
    expect(work).not.toHaveBeenCalled();
    state.isDown = false;
    expect(await idempotency.run(pay(), work)).toBe('paid');
  });

  it('loses no result, because the process remembers it', async () => {
    const { store, state } = createFlakyStore();
    const idempotency = new Idempotency({ store });
    const work = vi.fn<() => Promise<unknown>>(async () => {
      state.isDown = true;
      return 'paid';
    });
    expect(await idempotency.run(pay(), work)).toBe('paid');
    expect(await idempotency.run(pay(), work)).toBe('paid');
    expect(await caught(idempotency.run(pay({ input: 'other' }), work))).toBeInstanceOf(
      ErrIdempotencyConflict,
    );
    state.isDown = false;
    expect(await idempotency.run(pay(), work)).toBe('paid');
    // The store has received the pending write by now.
    expect(await new Idempotency({ store }).run(pay(), work)).toBe('paid');
    expect(work).toHaveBeenCalledTimes(1);
  });

  it('may miss a renewal', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { store, state } = createFlakyStore();
    const idempotency = new Idempotency({ store });
    const { work, resolve } = createWork();
    const call = idempotency.run(pay(), work);
    while (work.mock.calls.length === 0) await turn();
    state.isDown = true;
    vi.advanceTimersByTime(20_000);
    await turn();
    state.isDown = false;
    vi.advanceTimersByTime(20_000);
    resolve('paid');
    expect(await call).toBe('paid');
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each(['', 'null', '[]', '7', '{"state":"done"}', '{"state":"odd","fingerprint":"x"}'])(
    'treats the invalid record %j as a used key',
    async (text) => {
      const store = new MemoryStore();
      await store.set(JSON.stringify(['idempotency', '', 'ada', 'shop/pay', 'k1']), text, 60_000);
      const work = vi.fn<() => Promise<unknown>>(async () => 1);
      const error = await caught(new Idempotency({ store }).run(pay(), work));
      expect(error).toBeInstanceOf(ErrIdempotencyConflict);
      expect(work).not.toHaveBeenCalled();
    },
  );
});
