import { sharesPendingWork } from '@toolfold/schema/internal';

export interface FairQueueOptions {
  readonly running: number;
  /**
   * Maximum number of running calls of one owner. It is ignored while fewer than half of `running` calls run, but a client that runs all
   * calls of its owner leaves the last of these places to the owner's other clients. Default: no limit.
   */
  readonly runningPerOwner?: number;
  readonly waiting: number;
  /** Maximum number of waiting calls of one owner. Default: none, but a full queue drops the last call of the owner with the most. */
  readonly waitingPerOwner?: number;
  readonly onFull: () => Error;
  /** Creates the error of a call that was cancelled before it ran. */
  readonly onCancel: () => Error;
}

interface Waiting {
  /** Names the client among the clients of all owners. */
  readonly client: string;
  /** The number of older calls of the same client. Calls with a lower rank run first, so that the clients of an owner take turns. */
  readonly rank: number;
  readonly admit: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Admits calls so that one owner with many of them does not delay or displace the others: a free place goes to the owner with the
 * fewest running calls, and if no more calls may wait, the owner with the most calls loses its last one to an owner with fewer. Within the
 * share of an owner, its clients take turns: anonymous callers of one address are one owner, because a client could choose any other name.
 */
export class FairQueue {
  readonly #options: FairQueueOptions;
  readonly #running = new Map<string, number>();
  readonly #runningOfClient = new Map<string, number>();
  /** Number of running and waiting calls of each client. */
  readonly #ofClient = new Map<string, number>();
  /** The waiting calls of each owner, in the order of its clients' turns. The owners are in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>();
  #runningCount = 0;
  #waitingCount = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** Resolves when a call of the owner may start. The result must be called when the call ends. */
  async enter(owner: string, signal?: AbortSignal, client = ''): Promise<() => void> {
    if (signal?.aborted) throw this.#options.onCancel();
    const key = `${owner.length} ${owner}${client}`;
    const rank = this.#ofClient.get(key) ?? 0;
    change(this.#ofClient, key, 1);
    try {
      if (!this.#mayRun(owner, key)) await this.#wait(owner, key, rank, signal);
      else this.#count(owner, key, 1);
    } catch (error) {
      change(this.#ofClient, key, -1);
      throw error;
    }
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      change(this.#ofClient, key, -1);
      this.#count(owner, key, -1);
      this.#admitNext();
    };
  }

  /** Rejects the waiting calls. Running calls continue. */
  close(error: Error): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    this.#waitingCount = 0;
    for (const { reject } of all) reject(error);
  }

  #mayRun(owner: string, client: string): boolean {
    const { running, runningPerOwner = Infinity } = this.#options;
    const ofOwner = this.#runningOf(owner);
    const reserved = ofOwner > 0 && this.#runningOfClient.get(client) === ofOwner ? 1 : 0;
    const mayHaveMore = ofOwner < runningPerOwner || this.#runningCount + reserved < running / 2;
    return mayHaveMore && this.#runningCount < running;
  }

  #runningOf(owner: string): number {
    return this.#running.get(owner) ?? 0;
  }

  #count(owner: string, client: string, by: 1 | -1): void {
    this.#runningCount += by;
    change(this.#running, owner, by);
    change(this.#runningOfClient, client, by);
  }

  #wait(owner: string, client: string, rank: number, signal: AbortSignal | undefined): Promise<void> {
    const { waitingPerOwner = Infinity, onFull, onCancel } = this.#options;
    // On Cloudflare Workers, a request cannot wait for the end of another one.
    const mayWait = (this.#waiting.get(owner)?.length ?? 0) < waitingPerOwner && sharesPendingWork();
    if (!mayWait || !this.#makeRoom(owner, rank)) throw onFull();
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#remove(owner, entry);
        reject(onCancel());
      };
      const entry: Waiting = {
        client,
        rank,
        admit: () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        reject: (error) => {
          signal?.removeEventListener('abort', onAbort);
          reject(error);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      const queue = [...(this.#waiting.get(owner) ?? []), entry];
      this.#waiting.set(
        owner,
        queue.toSorted((one, other) => one.rank - other.rank),
      );
      this.#waitingCount += 1;
    });
  }

  /** Whether one more call may wait. If there is no room, a call of an owner or client with more calls is rejected. */
  #makeRoom(owner: string, rank: number): boolean {
    const { waiting, waitingPerOwner, onFull } = this.#options;
    if (this.#waitingCount < waiting) return true;
    if (waitingPerOwner !== undefined) return false;
    const callsOf = (each: string): number => this.#runningOf(each) + (this.#waiting.get(each)?.length ?? 0);
    let loser = owner;
    let most = callsOf(owner) + 1;
    for (const other of this.#waiting.keys())
      if (callsOf(other) > most) [loser, most] = [other, callsOf(other)];
    const last = this.#waiting.get(loser)?.at(-1);
    if (!last || (loser === owner && last.rank <= rank)) return false;
    this.#remove(loser, last);
    last.reject(onFull());
    return true;
  }

  #remove(owner: string, entry: Waiting): void {
    const queue = this.#waiting.get(owner);
    if (!queue?.includes(entry)) return;
    this.#waitingCount -= 1;
    const others = queue.filter((other) => other !== entry);
    if (others.length === 0) this.#waiting.delete(owner);
    else this.#waiting.set(owner, others);
  }

  #admitNext(): void {
    let next: { readonly owner: string; readonly entry: Waiting } | undefined;
    let fewest = Infinity;
    for (const [owner, queue] of this.#waiting) {
      const entry = queue.find(({ client }) => this.#mayRun(owner, client));
      if (entry && this.#runningOf(owner) < fewest)
        [next, fewest] = [{ owner, entry }, this.#runningOf(owner)];
    }
    if (!next) return;
    const { owner, entry } = next;
    this.#remove(owner, entry);
    // Owners with equally many running calls take turns: move this one to the end.
    const others = this.#waiting.get(owner);
    if (others) {
      this.#waiting.delete(owner);
      this.#waiting.set(owner, others);
    }
    this.#count(owner, entry.client, 1);
    entry.admit();
  }
}

function change(counts: Map<string, number>, key: string, by: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
