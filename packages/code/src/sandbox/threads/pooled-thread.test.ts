import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Thread, ThreadEvents } from './messages.js';
import { PooledThread } from './pooled-thread.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A thread that answers nothing, and reports its end before `terminate` returns, as on Deno. */
function startSilent() {
  let cpuMs = NaN;
  let report: ThreadEvents | undefined;
  const thread: Thread = {
    send: () => undefined,
    cpuMs: () => cpuMs,
    hold: () => undefined,
    terminate: async () => report?.onEnd(new Error('exit code 1')),
  };
  const pooled = new PooledThread(
    (events) => {
      report = events;
      return thread;
    },
    () => undefined,
  );
  return {
    pooled,
    crash: () => report?.onEnd(new Error('exit code 7')),
    setCpuMs: (used: number) => {
      cpuMs = used;
    },
  };
}

describe('a thread that does not answer', () => {
  it('is stopped after the time, and says so however early the runtime reports its end', async () => {
    const { pooled } = startSilent();
    const answer = expect(pooled.request({ kind: 'prepare' }, 50)).rejects.toMatchObject({
      reason: 'late',
      message: 'The thread did not answer within 50 ms.',
    });
    await vi.advanceTimersByTimeAsync(60);
    await answer;
    await pooled.stop();
  });

  it('is not stopped while it waits for a core', async () => {
    const { pooled, setCpuMs } = startSilent();
    setCpuMs(1_000);
    const answer = expect(pooled.request({ kind: 'prepare' }, 50)).rejects.toMatchObject({ reason: 'late' });
    await vi.advanceTimersByTimeAsync(60_000);
    setCpuMs(1_049);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(pooled.hasEnded).toBe(false);
    setCpuMs(1_050);
    await vi.advanceTimersByTimeAsync(60);
    await answer;
  });

  it('reports the exit code with which it ended', async () => {
    const { pooled, crash } = startSilent();
    const answer = pooled.request({ kind: 'prepare' }, 50);
    crash();
    await expect(answer).rejects.toMatchObject({
      reason: 'crashed',
      message: 'The thread ended: exit code 7',
    });
  });
});
