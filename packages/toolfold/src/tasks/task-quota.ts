import { isAnonymous, NOBODY } from '../callers/caller-key.js';
import { getOrMake } from '../values/get-or-make.js';

export interface TaskRoomOptions {
  /** Maximum number of tasks. Default: 10,000. */
  readonly places?: number;
  /** Total length of the JSON of all kept results at which new tasks are rejected. Default: 128 MiB. */
  readonly bytes?: number;
}

interface Taken {
  places: number;
  bytes: number;
}

/** Maximum shares of the task slots and of the result bytes for one caller. */
const PLACES_SHARE = 1 / 10;
const BYTES_SHARE = 1 / 4;

/**
 * Limits the number of tasks and the bytes of their results: in total, and for each caller, so that no caller can take
 * all slots. All anonymous callers together leave one share to the identified callers. Callers without an address have
 * no individual limit, because they all have the same key.
 *
 * The size of a result is known only when it is complete, and then it is kept even if it exceeds the limit. No new task
 * starts until there is room again.
 */
export class TaskRoom {
  readonly #max: Taken;
  readonly #share: Taken;
  readonly #all: Taken = { places: 0, bytes: 0 };
  readonly #anonymous: Taken = { places: 0, bytes: 0 };
  readonly #byOwner = new Map<string, Taken>();

  constructor({ places = 10_000, bytes = 128 * 1024 * 1024 }: TaskRoomOptions = {}) {
    this.#max = { places, bytes };
    this.#share = { places: Math.ceil(places * PLACES_SHARE), bytes: Math.ceil(bytes * BYTES_SHARE) };
  }

  get owners(): number {
    return this.#byOwner.size;
  }

  get hasRoom(): boolean {
    return isBelow(this.#all, this.#max);
  }

  hasRoomFor(owner: string): boolean {
    if (!this.hasRoom) return false;
    if (isAnonymous(owner) && !isBelow(this.#anonymous, this.#allButOneShare)) return false;
    const taken = this.#byOwner.get(owner);
    return !taken || owner === NOBODY || isBelow(taken, this.#share);
  }

  /** Adds to what an owner takes. Negative numbers make room. */
  add(owner: string, { places = 0, bytes = 0 }: Partial<Taken>): void {
    const own = getOrMake(this.#byOwner, owner, () => ({ places: 0, bytes: 0 }));
    for (const taken of isAnonymous(owner) ? [own, this.#all, this.#anonymous] : [own, this.#all]) {
      taken.places += places;
      taken.bytes += bytes;
    }
    if (own.places === 0) this.#byOwner.delete(owner);
  }

  get #allButOneShare(): Taken {
    return {
      places: this.#max.places - this.#share.places,
      bytes: this.#max.bytes - this.#share.bytes,
    };
  }
}

function isBelow(taken: Taken, max: Taken): boolean {
  return taken.places < max.places && taken.bytes < max.bytes;
}
