import { ErrInvalidOptions } from '../errors.js';
import type { RedisSeal } from './seal.js';

const PREFIX = /^[\w.-]{1,64}$/;

/**
 * Names of what is kept in Redis. What tells one from another may be the id of a session or name a caller, so that it is
 * there as a digest that nobody can make who does not have the secret.
 */
export class RedisKeys {
  readonly #prefix: string;
  readonly #seal: RedisSeal;

  constructor(prefix: string, seal: RedisSeal) {
    if (typeof prefix !== 'string' || !PREFIX.test(prefix)) {
      throw new ErrInvalidOptions('redis: prefix must be 1 to 64 letters, digits, _, - and dots.', {
        hint: 'Give each server one of its own.',
      });
    }
    this.#prefix = prefix;
    this.#seal = seal;
  }

  /** What there is one of, or the beginning of what there are many of. */
  of(kind: string): string {
    return `${this.#prefix}:${kind}`;
  }

  for(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${this.#seal.name(name)}`;
  }
}
