import { setTimeout as sleep } from 'node:timers/promises';

/** serialization_failure and deadlock_detected: nothing was done, and the same may work now. */
const conflicts = new Set(['40001', '40P01']);
const ATTEMPTS = 10;

/** Runs a transaction again where another one got in its way. */
export async function retryOnConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const { code } = error as { code?: unknown };
      if (typeof code !== 'string' || !conflicts.has(code) || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * 5 * 2 ** attempt);
    }
  }
}
