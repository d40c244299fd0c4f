import { describe, expect, it } from 'vitest';
import type { CodeLimits, SandboxRun } from '../../src/sandbox/sandbox.js';
import { finish, limitsWith, start, value } from '../drive-run.js';
import type { Driver } from '../drive-run.js';

/** Tests how runs end, their turns, and snapshots. */
export function testLifecycle(driver: Driver): void {
  describe('the end of a run', () => {
    it('answers closed after dispose', async () => {
      const started = await start(driver.sandbox, 'await tools.a()');
      await started.advance([]);
      started.dispose();
      started.dispose();
      expect((await started.advance([value(1, 1)])).outcome).toMatchObject({ failure: { kind: 'closed' } });
    });

    it('ends when the signal aborts', async () => {
      const controller = new AbortController();
      const started = await start(driver.sandbox, 'await tools.a()', { signal: controller.signal });
      await started.advance([]);
      controller.abort();
      expect((await started.advance([])).outcome).toMatchObject({ failure: { kind: 'closed' } });
      await expect(start(driver.sandbox, '1', { signal: controller.signal })).rejects.toMatchObject({
        code: 'ErrCancelled',
      });
    });

    it('admits waiting runs of all callers in turns', async () => {
      const held = await Promise.all(
        Array.from({ length: 7 }, () => start(driver.sandbox, 'await tools.a()', { owner: 'bob' })),
      );
      const order: string[] = [];
      const waiting = ['bob', 'bob'].map(async (owner) => {
        const late = await start(driver.sandbox, '1', { owner });
        order.push(owner);
        return finish(late);
      });
      // Another caller does not wait for the runs of this one.
      expect((await finish(await start(driver.sandbox, '1', { owner: 'carol' }))).last.outcome).toEqual({
        value: '1',
      });
      expect(order).toEqual([]);
      for (const each of held) each.dispose();
      await Promise.all(waiting);
      expect(order).toEqual(['bob', 'bob']);
    });
  });

  if (!driver.sandbox.restore) return;
  const restore = (snapshot: Uint8Array, limits: Partial<CodeLimits> = {}): Promise<SandboxRun> => {
    if (!driver.sandbox.restore) throw new Error('The sandbox cannot restore runs.');
    return driver.sandbox.restore(snapshot, {
      limits: limitsWith(limits),
      owner: 'alice',
      signal: new AbortController().signal,
    });
  };

  describe('snapshots', () => {
    it('continue a run, any number of times', async () => {
      const started = await start(
        driver.sandbox,
        `
        const seen = []; console.log('before');
        seen.push(await tools.a()); seen.push(await tools.b()); console.log('after'); return seen`,
      );
      await started.advance([]);
      const saved = await started.snapshot?.();
      started.dispose();
      if (!saved) throw new Error('There is no snapshot.');
      for (const answer of ['x', 'y']) {
        const restored = await restore(saved);
        const next = await restored.advance([value(1, answer)]);
        expect(next.calls).toEqual([{ id: 2, path: 'b' }]);
        const last = await restored.advance([value(2, 2)]);
        expect(last.logs).toEqual(['after']);
        expect(last.outcome).toEqual({ value: JSON.stringify([answer, 2]) });
      }
    });

    it('keep the position of errors, the limits and the time that the run has used', async () => {
      const started = await start(
        driver.sandbox,
        'console.log("€".repeat(30));\nawait tools.a();\n console.log("€".repeat(30));\n  const a = {}; a.b.c',
        { limits: { logBytes: 100 } },
      );
      await started.advance([]);
      const restored = await restore((await started.snapshot?.()) ?? new Uint8Array(), { logBytes: 100 });
      started.dispose();
      const last = await restored.advance([value(1, 1)]);
      // 90 of the 100 bytes were used before.
      expect(last.logs).toEqual(['€€€']);
      expect(last.hasLostLogs).toBe(true);
      expect(last.outcome).toMatchObject({ failure: { kind: 'thrown', name: 'TypeError', line: 4 } });
      expect(last.cpuMs).toBeGreaterThan(0);
    });

    it('of something else are rejected', async () => {
      await expect(restore(new Uint8Array())).rejects.toMatchObject({ code: 'ErrCodeFailed' });
      await expect(restore(new Uint8Array(1000).fill(7))).rejects.toMatchObject({ code: 'ErrCodeFailed' });
      await expect(restore(new Uint8Array(100 * 1024 * 1024))).rejects.toMatchObject({
        code: 'ErrCodeFailed',
      });
    });
  });
}
