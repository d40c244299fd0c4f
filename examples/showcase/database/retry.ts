import { setTimeout as sleep } from 'node:timers/promises';

/** serialization_failure and deadlock_detected: the transaction was rolled back and can be retried. */
const conflicts = new Set(['40001', '40P01']);
const ATTEMPTS = 10;

/** Retries a transaction that conflicted with another one. */
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
