import { Cache, MemoryStore } from 'toolfold';
import type { Store } from 'toolfold';

export type Method = keyof Store;

/** A memory store that counts requests and rejects the chosen methods. */
class TestStore implements Store {
  readonly inner: MemoryStore;
  readonly asked: [Method, string][] = [];
  broken: readonly Method[] = [];
  /** Awaited before each operation takes effect. */
  delay: () => Promise<void> | void = () => {};

  constructor(clock: () => number) {
    this.inner = new MemoryStore({ clock });
  }

  get = async (key: string) => this.#do('get', key, () => this.inner.get(key));
  set = async (key: string, value: string, ttlMs: number) =>
    this.#do('set', key, () => this.inner.set(key, value, ttlMs));
  setIfAbsent = async (key: string, value: string, ttlMs: number) =>
    this.#do('setIfAbsent', key, () => this.inner.setIfAbsent(key, value, ttlMs));
  delete = async (key: string) => this.#do('delete', key, () => this.inner.delete(key));

  async #do<T>(method: Method, key: string, work: () => Promise<T>): Promise<T> {
    this.asked.push([method, key]);
    await this.delay();
    if (this.broken.includes(method)) throw new Error(`${method} is broken`);
    return work();
  }
}

export function setUp() {
  const time = { now: 0 };
  const clock = (): number => time.now;
  const store = new TestStore(clock);
  const errors: unknown[] = [];
  const create = (): Cache => new Cache({ store, clock, onError: (error) => errors.push(error) });
  const cache = create();
  return { time, store, errors, cache, helpers: cache.for('ann'), /** Another process. */ create };
}
