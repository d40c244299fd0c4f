import type { RequestId } from '@modelcontextprotocol/server';

/** Collects the answers of a batch, because a batch comes as one line and is answered with one line. */
export class Batch {
  readonly #answers: string[];
  #missing: number;

  constructor(requests: number, answers: readonly string[]) {
    this.#missing = requests;
    this.#answers = [...answers];
  }

  /** Adds an answer, or none for a cancelled request. Returns the whole batch once it is complete. */
  add(answer: string | undefined): string | undefined {
    this.#missing--;
    if (answer !== undefined) this.#answers.push(answer);
    return this.#missing === 0 && this.#answers.length > 0 ? `[${this.#answers.join(',')}]` : undefined;
  }
}

/** A request, a batch or a rejection that waits until there is room for its answer. */
interface Waiting {
  /** The id of a single request, by which the client can cancel it. */
  readonly id?: RequestId;
  readonly bytes: number;
  readonly run: () => void;
}

/** Waiting requests are read ahead only to find the answers and cancellations behind them. */
const MAX_WAITING = 1_000;
const MAX_WAITING_BYTES = 10 * 1024 * 1024;

/** The requests that were read and are not answered yet: running ones, and ones that wait for room. */
export class StdioRequests {
  /** Running requests by id. A client must not use an id twice at once; if it does, each request still gets its answer. */
  readonly #running = new Map<RequestId, (Batch | undefined)[]>();
  readonly #waiting: Waiting[] = [];
  readonly #hasRoom: (count: number) => boolean;
  #waitingBytes = 0;
  /** The number of running requests, and of those whose answers are not written yet. */
  #count = 0;

  /** `hasRoom` decides whether another request may run besides the given number. */
  constructor(hasRoom: (count: number) => boolean) {
    this.#hasRoom = hasRoom;
  }

  get isEmpty(): boolean {
    return this.#count === 0 && this.#waiting.length === 0;
  }

  /** Whether too many requests wait to read more input. */
  get isFull(): boolean {
    return this.#waiting.length >= MAX_WAITING || this.#waitingBytes >= MAX_WAITING_BYTES;
  }

  /** Runs `waiting` once everything before it has started and there is room. */
  enqueue(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#waitingBytes += waiting.bytes;
    this.startWaiting();
  }

  startWaiting(hasRoom = this.#hasRoom): void {
    while (this.#waiting.length > 0 && hasRoom(this.#count)) {
      const next = this.#waiting.shift() as Waiting;
      this.#waitingBytes -= next.bytes;
      next.run();
    }
  }

  begin(id: RequestId, batch: Batch | undefined): void {
    const same = this.#running.get(id);
    if (same) same.push(batch);
    else this.#running.set(id, [batch]);
    this.#count++;
  }

  /** Finds the request that an answer belongs to. The caller frees its place once the answer is written. */
  takeAnswered(id: RequestId): { readonly batch: Batch | undefined } | undefined {
    const same = this.#running.get(id);
    if (!same) return undefined;
    const batch = same.shift();
    if (same.length === 0) this.#running.delete(id);
    return { batch };
  }

  freePlace(): void {
    this.#count--;
  }

  /** Forgets a request, because cancelled requests get no answer. Returns the batch that it was part of. */
  cancel(id: RequestId): Batch | undefined {
    const index = this.#waiting.findIndex((waiting) => waiting.id === id);
    if (index !== -1) {
      const [waiting] = this.#waiting.splice(index, 1);
      this.#waitingBytes -= waiting?.bytes ?? 0;
      return undefined;
    }
    const same = this.#running.get(id);
    if (!same) return undefined;
    // The SDK cancels the latest request with an id.
    const batch = same.pop();
    if (same.length === 0) this.#running.delete(id);
    this.freePlace();
    return batch;
  }

  /** Ids of the running requests. An id that is used twice occurs twice. */
  get ids(): RequestId[] {
    return [...this.#running].flatMap(([id, same]) => same.map(() => id));
  }
}
