import { describe, expect, it } from 'vitest';
import type { AnyRegistry, RequestOptions } from 'toolfold';
import { INTERNALS } from 'toolfold/internal';
import { MemoryStore } from 'toolfold';
import type { PausedRun } from './paused-run.js';
import { SavedRuns } from './saved-runs.js';

const callOf = (sub: string): RequestOptions => ({ caller: { auth: { sub } } });
const ada = callOf('ada');

/** A run whose packed state has a little more than 1,000 bytes. */
const pause = (): PausedRun => ({
  runId: 'r',
  snapshot: crypto.getRandomValues(new Uint8Array(1_000)),
  waiting: [],
  notes: [],
  keys: {},
  logs: [],
  hasLostLogs: false,
  cpuMs: 0,
  wallMs: 0,
  rounds: 1,
});

/** Two processes with one shared store. */
function createNodes(maxSaved?: { bytes: number; allBytes: number }) {
  const store = new MemoryStore({ maxEntries: 10_000, maxBytes: 1e9 });
  const registry = {
    shared: { now: () => 1, records: store },
    [INTERNALS]: { tenantOf: () => '' },
  } as unknown as AnyRegistry;
  const create = (): SavedRuns => new SavedRuns(registry, store, maxSaved);
  return { node: create(), other: create() };
}

const claim = (node: SavedRuns, memo: unknown) => node.claim(memo, ada, () => new Set<number>());

describe('the saved runs of a caller', () => {
  it('are eight, also if a run ends after a newer one has taken its place', async () => {
    const { node } = createNodes();
    const first = await claim(node, await node.save(pause(), ada));
    const memos: unknown[] = [];
    for (let count = 0; count < 8; count++) memos.push(await node.save(pause(), ada));
    await first.end([]);
    memos.push(await node.save(pause(), ada));
    const kept = await Promise.allSettled(memos.map((memo) => claim(node, memo)));
    expect(kept.filter(({ status }) => status === 'fulfilled')).toHaveLength(8);
  });

  it('do not use up the room of others when they have ended or were replaced', async () => {
    const { node } = createNodes({ bytes: 20_000, allBytes: 20_000 });
    for (let count = 0; count < 30; count++) await (await claim(node, await node.save(pause(), ada))).end([]);
    for (let count = 0; count < 30; count++) await node.save(pause(), ada);
    expect(await node.save(pause(), callOf('bo'))).toBeDefined();
  });

  it('do not use up the room of others when another process continues them', async () => {
    const { node, other } = createNodes({ bytes: 5_000, allBytes: 20_000 });
    const attempt = async (): Promise<void> => (await claim(other, await node.save(pause(), ada))).end([]);
    for (let count = 0; count < 4; count++) await attempt();
    await expect(attempt()).rejects.toThrow('too many runs of this caller');
    expect(await node.save(pause(), callOf('bo'))).toBeDefined();
  });
});
