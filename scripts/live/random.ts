/** Pseudo-random numbers that are the same for the same seed. */
export class Random {
  #state: number;

  constructor(seed: number, index = 0) {
    this.#state = (Math.imul(seed | 0, 0x9e_37_79_b1) ^ Math.imul((index + 1) | 0, 0x85_eb_ca_6b)) | 0;
    // Neighbouring seeds must start with different numbers.
    for (let round = 0; round < 4; round++) this.next();
  }

  /** A number from 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer, `max` included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  isOneIn(count: number): boolean {
    return this.next() * count < 1;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.between(0, items.length - 1)] as T;
  }

  /** A weighted choice. */
  weigh<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let left = this.next() * items.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of items) if ((left -= weight) < 0) return item;
    return (items.at(-1) as readonly [number, T])[1];
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; at++) bytes[at] = this.between(0, 255);
    return bytes;
  }

  text(length: number): string {
    return Array.from({ length }, () => this.pick(letters)).join('');
  }
}

const letters = [...'abcdefghijklmnopqrstuvwxyz0123456789 _-/.:{}[]"\\\'<>é世🎉\u0000\u2028'];
