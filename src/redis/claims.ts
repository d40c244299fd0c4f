import { ErrOverloaded } from '../errors.js';
import { MAX_PER_OWNER, NotClaimed } from '../stores/claims.js';
import type { Claim, ClaimRequest, Claims } from '../stores/claims.js';
import { assertTtl } from '../values/options.js';
import type { RedisConnection } from './connection.js';
import { RedisScript } from './client.js';
import { NEXT, readNumber, toWhole } from './store.js';

/** Takes a key and a number in one step, unless the key is taken or its owner has too many keys. */
const CLAIM = new RedisScript(`
  local found = redis.call('GET', KEYS[1])
  if found then return {'found', found} end
  local used = redis.call('INCR', KEYS[3])
  if redis.call('PTTL', KEYS[3]) < 0 then redis.call('PEXPIRE', KEYS[3], ARGV[3]) end
  if used > tonumber(ARGV[4]) then
    redis.call('DECR', KEYS[3])
    return {'full'}
  end
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
  ${NEXT('KEYS[2]')}
  return {'ours', next, isOurs and 1 or 0}`);
/** Releases a key if its value is one of the arguments. */
const FREE = new RedisScript(`
  local found, isOurs = redis.call('GET', KEYS[1]), false
  for at = 2, #ARGV do isOurs = isOurs or found == ARGV[at] end
  if not isOurs then return end
  redis.call('DEL', KEYS[1])
  if tonumber(redis.call('GET', KEYS[2]) or '0') > 0 then redis.call('DECR', KEYS[2]) end`);

/** The claims of all processes, with a common limit for each owner. */
export class RedisClaims implements Claims {
  readonly #connection: RedisConnection;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
  }

  async claim({ key, text, ttlMs, owner }: ClaimRequest): Promise<Claim> {
    assertTtl(ttlMs);
    const { keys, seal } = this.#connection;
    const record = keys.for('records', key);
    const names = [record, keys.of('sequence'), keys.for('keys', owner)];
    const args = [seal.seal(record, text), toWhole(ttlMs), MAX_PER_OWNER];
    // A claim that was never sent took no effect, so the caller may go on without it.
    let isSent = false;
    const asked = this.#connection.run('records', (client, deadline) => {
      isSent = true;
      return CLAIM.run(client, deadline, names, args);
    });
    const answer = await asked.catch((cause: unknown): never => {
      throw isSent ? cause : new NotClaimed('Shared state cannot be reached.', { cause });
    });
    const [kind, value, isOurs] = Array.isArray(answer) ? (answer as unknown[]) : [];
    if (kind === 'ours') return { kind, token: readNumber(this.#connection, value, isOurs) };
    // A value that was not sealed by this server counts as present, but empty.
    if (kind === 'found')
      return { kind, text: this.#connection.open('records', record, String(value)) ?? '' };
    if (kind === 'full') return { kind };
    throw new ErrOverloaded('Shared state gave an unexpected answer.');
  }

  async free(key: string, owner: string, texts: readonly string[]): Promise<void> {
    const { keys, seal } = this.#connection;
    const record = keys.for('records', key);
    const sealed = texts.map((text) => seal.seal(record, text));
    await this.#connection.runScript('records', FREE, [record, keys.for('keys', owner)], sealed);
  }
}
