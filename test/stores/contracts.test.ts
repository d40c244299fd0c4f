import { speedUpTime } from '../fast-clock.js';
import { MemoryStore, createSequence } from '../../packages/toolfold/src/stores/memory/memory-store.js';
import type { Store } from 'toolfold';
import { describeBus } from './bus-contract.js';
import { describeCache } from './cache-contract.js';
import { describeIdempotency } from './idempotency-contract.js';
import { describeEventLog } from './event-log-contract.js';
import { createMemoryEventLogs } from './memory-event-log.js';
import { createMemoryBuses } from './memory-bus.js';
import { createMemoryTaskStores } from './memory-task-store.js';
import { describeTasks } from './tasks-contract.js';
import { describeWithRedis } from './with-redis.js';

// The contracts apply to simulated processes with shared memory, and to nodes that share a Redis.

/** A store that can be made unreachable. */
function mortal(store: Store): { store: Store; die: () => void } {
  let isDead = false;
  const alive = async <T>(ask: () => Promise<T>): Promise<T> => {
    if (isDead) throw new Error('unreachable');
    return ask();
  };
  return {
    store: {
      get: (key) => alive(() => store.get(key)),
      set: (...args) => alive(() => store.set(...args)),
      setIfAbsent: (...args) => alive(() => store.setIfAbsent(...args)),
      delete: (key) => alive(() => store.delete(key)),
    },
    die: () => {
      isDead = true;
    },
  };
}

describeIdempotency('memory', () => {
  speedUpTime();
  const shared = new MemoryStore();
  const sequence = createSequence();
  return () => {
    const { store, die } = mortal(shared);
    return { records: store, results: store, sequence, now: Date.now, die };
  };
});

describeCache('memory', () => {
  const store = new MemoryStore();
  return () => ({ store, now: Date.now });
});

describeBus('memory', async () => {
  const create = createMemoryBuses();
  return [create(), create(), create()];
});

describeEventLog('memory', async () => {
  speedUpTime();
  const [createBus, createLog] = [createMemoryBuses(), createMemoryEventLogs()];
  return [createLog(createBus()), createLog(createBus())];
});

describeTasks('memory', async () => {
  speedUpTime();
  const [createBus, createStore] = [createMemoryBuses(), createMemoryTaskStores()];
  const create = () => {
    let isDead = false;
    const tasks = createStore(createBus());
    const alive = new Proxy(tasks, {
      get: (target, method: keyof typeof tasks) => {
        if (isDead && method !== 'onMessage') return async () => Promise.reject(new Error('unreachable'));
        return target[method];
      },
    });
    const die = (): void => {
      isDead = true;
    };
    return { tasks: alive, now: Date.now, die };
  };
  return [create(), create()];
});

await describeWithRedis('several processes with one Redis', ({ createPrefix, createNode, listening }) => {
  describeIdempotency('Redis', () => {
    const prefix = createPrefix();
    return () => {
      const node = createNode({ prefix });
      const { records, cache: results, sequence, claims } = node;
      return { records, results, sequence, claims, now: () => node.now(), die: () => node.close() };
    };
  });

  describeEventLog('Redis', async () => {
    const prefix = createPrefix();
    const nodes = [createNode({ prefix }), createNode({ prefix })] as const;
    for (const { bus } of nodes) bus.subscribe('nothing', () => undefined);
    await listening(prefix, 2);
    return [nodes[0].events, nodes[1].events];
  });

  describeTasks('Redis', async () => {
    const prefix = createPrefix();
    const create = () => {
      const node = createNode({ prefix });
      node.bus.subscribe('nothing', () => undefined);
      return { tasks: node.tasks, now: () => node.now(), die: () => node.close() };
    };
    const nodes = [create(), create()] as const;
    await listening(prefix, 2);
    return nodes;
  });

  describeCache('Redis', () => {
    const prefix = createPrefix();
    return () => {
      const node = createNode({ prefix });
      return { store: node.cache, now: () => node.now() };
    };
  });

  describeBus('Redis', async () => {
    const prefix = createPrefix();
    const [one, two, three] = [createNode({ prefix }), createNode({ prefix }), createNode({ prefix })];
    for (const { bus } of [one, two, three]) bus.subscribe('nothing', () => undefined);
    await listening(prefix, 3);
    return [one.bus, two.bus, three.bus];
  });
});
