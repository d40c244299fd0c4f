import { ErrCancelled, ErrOverloaded } from '../../errors.js';
import { sharesPendingWork } from '../../runtime/runtime.js';

export interface QueueLimits {
  /** Runs at once. */
  readonly runs: number;
  /** Runs at once of one owner. */
  readonly runsPerOwner: number;
  /** Runs that wait. One owner may use a quarter of it. */
  readonly waiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly admit: () => void;
  readonly reject: (error: Error) => void;
}

/** Admits runs in turns of their owners, so that one owner with many runs does not delay the others. */
export class RunQueue {
  readonly #limits: QueueLimits;
  readonly #running = new Map<string, number>();
  /** Owners in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Resolves when a run of the owner may start. The result must be called when the run ends. */
  async enter(owner: string, signal: AbortSignal): Promise<() => void> {
    if (signal.aborted) throw new ErrCancelled('The run was cancelled before it started.');
    if (!this.#mayRun(owner)) await this.#wait(owner, signal);
    else this.#count(owner, 1);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#count(owner, -1);
      this.#admitNext();
    };
  }

  /** Rejects all that wait. */
  close(): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const { reject } of all) reject(new ErrCancelled('The sandbox was closed.'));
  }

  #mayRun(owner: string): boolean {
    return (
      this.#runningCount < this.#limits.runs && (this.#running.get(owner) ?? 0) < this.#limits.runsPerOwner
    );
  }

  #count(owner: string, change: 1 | -1): void {
    this.#runningCount += change;
    const running = (this.#running.get(owner) ?? 0) + change;
    if (running === 0) this.#running.delete(owner);
    else this.#running.set(owner, running);
  }

  #wait(owner: string, signal: AbortSignal): Promise<void> {
    const queue = this.#waiting.get(owner) ?? [];
    const share = Math.ceil(this.#limits.waiting / 4);
    // On Cloudflare Workers, a request cannot wait for the end of another one.
    if (this.#waitingCount >= this.#limits.waiting || queue.length >= share || !sharesPendingWork())
      throw new ErrOverloaded('Too much code is running and waiting.', {
        hint: 'Try again in a few seconds.',
      });
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        owner,
        admit: () => {
          signal.removeEventListener('abort', onAbort);
          resolve();
        },
        reject,
      };
      const onAbort = (): void => {
        this.#remove(entry);
        reject(new ErrCancelled('The run was cancelled before it started.'));
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(owner, [...queue, entry]);
      this.#waitingCount += 1;
    });
  }

  #remove(entry: Waiting): void {
    const queue = this.#waiting.get(entry.owner);
    if (!queue?.includes(entry)) return;
    this.#waitingCount -= 1;
    const others = queue.filter((other) => other !== entry);
    if (others.length === 0) this.#waiting.delete(entry.owner);
    else this.#waiting.set(entry.owner, others);
  }

  #admitNext(): void {
    for (const [owner, [entry]] of this.#waiting) {
      if (!entry || !this.#mayRun(owner)) continue;
      this.#remove(entry);
      // The owner goes to the end of the turns.
      const others = this.#waiting.get(owner);
      if (others) {
        this.#waiting.delete(owner);
        this.#waiting.set(owner, others);
      }
      this.#count(owner, 1);
      entry.admit();
      return;
    }
  }
}
