import { describe, expect, it, vi } from 'vitest';
import { readLearner } from '../../src/search/learn/learner.js';
import { describeWithRedis, SECRET } from '../stores/with-redis.js';
import { runHere } from './cli-program.js';

const learned = (...argv: string[]) => runHere(['search', 'learned', ...argv]);

describe('toolfold search learned', () => {
  it.each([
    [[], 'No Redis given. Write --redis redis://localhost'],
    [['--redis', 'redis://localhost', 'server.ts'], 'Unexpected argument "server.ts".'],
    [['--redis', 'redis://localhost', '--erase'], '--erase needs --tenant or --tool, or --all'],
    [['--redis', 'redis://localhost', '--erase', '--all', '--tool', 'a'], 'Leave out --tenant and --tool'],
    [['--redis', 'redis://localhost', '--all'], '--all is only for --erase.'],
    [['--redis', 'redis://localhost'], 'Set TOOLFOLD_REDIS_SECRET to the secret'],
  ])('rejects %j', async (argv, message) => {
    vi.stubEnv('TOOLFOLD_REDIS_SECRET', '');
    const { code, err } = await learned(...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('explains a secret that is too short, and a Redis that cannot be reached', async () => {
    vi.stubEnv('TOOLFOLD_REDIS_SECRET', 'short');
    expect((await learned('--redis', 'redis://127.0.0.1:1')).err).toContain('at least 32 bytes');
    vi.stubEnv('TOOLFOLD_REDIS_SECRET', SECRET);
    const { code, err } = await learned('--redis', 'redis://127.0.0.1:1');
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be reached')]);
  });
});

await describeWithRedis('toolfold search learned with Redis', ({ createNode, createPrefix, server }) => {
  it('lists tools and tenants, and erases a tool, a tenant and everything', async () => {
    vi.stubEnv('TOOLFOLD_REDIS_SECRET', SECRET);
    const prefix = createPrefix();
    const learning = createNode({ prefix }).createSearchLearning();
    const teach = async (tenant: string, address: string): Promise<void> => {
      const learner = readLearner({}, tenant);
      await learning.noteSearch(learner, [{ words: ['secretword', 'other'], shown: [address] }]);
      await learning.noteCall(learner, address);
    };
    const show = (...argv: string[]) => learned('--redis', server.url, '--prefix', prefix, ...argv);
    expect(await show()).toMatchObject({ code: 0, out: 'Nothing is learned.\n' });
    await teach('acme', 'refund');
    await teach('acme', 'track');
    await teach('globex', 'refund');
    const { code, out } = await show();
    expect(code).toBe(0);
    expect(out).toMatch(
      /^6 links between words and tools\n\ntool +links +strength\nrefund +4 +0\.00\ntrack +2 +0\.00\n/,
    );
    expect(out).toMatch(/\ntenant +links +words\n/);
    expect(out).not.toMatch(/secretword|acme|globex/);
    const json = JSON.parse((await show('--tenant', 'acme', '--json')).out) as { links: number };
    expect(json.links).toBe(4);
    expect((await show('--tool', 'track', '--erase')).out).toBe('Erased 2 links.\n');
    expect(JSON.parse((await show('--tenant', 'acme', '--erase', '--json')).out)).toEqual({ erased: 2 });
    expect((await show('--erase', '--all')).out).toBe('Erased 2 links.\n');
    expect((await show()).out).toBe('Nothing is learned.\n');
  });
});
