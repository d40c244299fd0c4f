import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SECRET } from '../../../test/stores/with-redis.js';
import type { Shared } from 'toolfold';
import { redis } from './redis.js';
import type { RedisOptions } from './redis.js';

const hasRedis =
  process.env['REDIS_URL'] === undefined && spawnSync('redis-server', ['--version']).status === 0;
const hasOpenSsl = spawnSync('openssl', ['version']).status === 0;
const isSkipped = !(hasRedis && hasOpenSsl) && process.env['CI'] !== 'true';
if (isSkipped)
  process.stderr.write(
    '\n!!! SKIPPED: Redis with TLS, users and sentinels, for want of redis-server or openssl. !!!\n\n',
  );

/** Finds a free port. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

const reasonOf = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'nothing',
    (error: unknown) => String(((error as Error).cause as Error | undefined)?.message ?? error),
  );

describe.skipIf(isSkipped)('a secured Redis', () => {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-secured-'));
  const children: ChildProcess[] = [];
  const nodes: Shared[] = [];
  const start = (...args: readonly string[]): ChildProcess => {
    const child = spawn('redis-server', [...args, '--dir', folder], { stdio: 'ignore' });
    children.push(child);
    return child;
  };
  const createNode = (options: Partial<RedisOptions>): Shared => {
    const node = redis({ secret: SECRET, prefix: 'secured', timeoutMs: 500, ...options } as RedisOptions);
    nodes.push(node);
    return node;
  };
  /** Checks that the node works and receives messages of other nodes. */
  const works = async (options: Partial<RedisOptions>): Promise<void> => {
    const [here, there] = [createNode(options), createNode(options)];
    await vi.waitFor(() => here.records.set('a', '1', 60_000), { timeout: 5_000 });
    expect(await here.records.get('a')).toBe('1');
    const heard: unknown[] = [];
    there.bus.subscribe('a', (message) => heard.push(message));
    await vi.waitFor(
      () => {
        here.bus.publish('a', 'hello');
        expect(heard).toContain('hello');
      },
      { timeout: 5_000, interval: 50 },
    );
  };
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  describe('with TLS and users', () => {
    let port: number;
    const certificate = join(folder, 'cert.pem');
    beforeAll(async () => {
      port = await freePort();
      const key = join(folder, 'key.pem');
      const made = spawnSync('openssl', [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        key,
        '-out',
        certificate,
        '-subj',
        '/CN=localhost',
        '-addext',
        'subjectAltName=DNS:localhost,IP:127.0.0.1',
      ]);
      if (made.status !== 0) throw new Error('openssl made no certificate.');
      const file = join(folder, 'secured.conf');
      writeFileSync(
        file,
        [
          'port 0',
          `tls-port ${port}`,
          'tls-auth-clients no',
          `tls-cert-file ${certificate}`,
          `tls-key-file ${key}`,
          `tls-ca-cert-file ${certificate}`,
          'requirepass "default#password"',
          'user ada on >ada/password ~secured:* &secured:* +@all',
          'save ""',
          '',
        ].join('\n'),
      );
      start(file);
    });
    const client = (more: object): Redis =>
      new Redis({
        host: 'localhost',
        port,
        lazyConnect: true,
        tls: { ca: readFileSync(certificate) },
        ...more,
      });

    it('accepts the certificate and the password of a client', () =>
      works({ client: client({ password: 'default#password' }) }));

    it('accepts a user with access only to the keys of Toolfold', () =>
      works({ client: client({ username: 'ada', password: 'ada/password' }) }));

    it('accepts a URL', async () => {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      try {
        await works({ url: `rediss://ada:ada%2Fpassword@localhost:${port}` });
      } finally {
        delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
      }
    });

    it.each([
      ['a wrong password', { username: 'ada', password: 'guessed-password' }, /WRONGPASS/],
      ['no password', {}, /NOAUTH/],
      ['an untrusted certificate', { password: 'default#password', tls: {} }, /self-signed/],
      ['no TLS', { password: 'default#password', tls: undefined }, /./],
    ])('rejects %s without delay, and reports the reason', async (_, more, reason) => {
      const node = createNode({ client: client(more), timeoutMs: 1_000 });
      const began = performance.now();
      const said = await reasonOf(node.records.get('a'));
      expect(performance.now() - began).toBeLessThan(3_000);
      expect(said).toMatch(reason);
      expect(said).not.toMatch(/guessed-password|#password/);
      expect(node.isUp).toBe(false);
      await Promise.all(Array.from({ length: 5 }, () => reasonOf(node.records.get('a'))));
      const again = performance.now();
      await reasonOf(node.records.get('a'));
      expect(performance.now() - again).toBeLessThan(500);
    });
  });

  it('is followed to another primary by sentinels, without a restart', async () => {
    const [primary, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
    const quiet = ['--save', '', '--repl-diskless-sync-delay', '0', '--bind', '127.0.0.1'];
    const first = start('--port', String(primary), ...quiet);
    await sleep(300);
    start('--port', String(replica), '--replicaof', `127.0.0.1 ${primary}`, ...quiet);
    const file = join(folder, 'sentinel.conf');
    writeFileSync(
      file,
      [
        `port ${sentinel}`,
        'bind 127.0.0.1',
        `sentinel monitor main 127.0.0.1 ${primary} 1`,
        'sentinel down-after-milliseconds main 1000',
        'sentinel failover-timeout main 5000',
        '',
      ].join('\n'),
    );
    start(file, '--sentinel');
    const watch = new Redis({ port: sentinel, host: '127.0.0.1' });
    watch.on('error', () => undefined);
    await vi.waitFor(
      async () => {
        const replicas = (await watch.call('SENTINEL', 'REPLICAS', 'main')) as unknown[];
        expect(JSON.stringify(replicas)).toContain('"master-link-status","ok"');
      },
      { timeout: 20_000, interval: 200 },
    );
    const client = new Redis({
      sentinels: [{ host: '127.0.0.1', port: sentinel }],
      name: 'main',
      lazyConnect: true,
    });
    const node = createNode({ client });
    await vi.waitFor(() => node.records.set('a', 'kept', 60_000), { timeout: 5_000 });
    // Records that the replica lacks at this point would be lost.
    const copy = new Redis({ port: replica, host: '127.0.0.1' });
    await vi.waitFor(async () => expect(await copy.keys('secured:records:*')).toHaveLength(1), {
      timeout: 5_000,
    });
    copy.disconnect();
    first.kill('SIGKILL');
    await reasonOf(node.records.set('b', '1', 60_000));
    const began = performance.now();
    await vi.waitFor(() => node.records.set('b', '2', 60_000), { timeout: 25_000, interval: 100 });
    process.stdout.write(`sentinels: a new primary after ${Math.round(performance.now() - began)} ms\n`);
    expect(await node.records.get('a')).toBe('kept');
    watch.disconnect();
  }, 60_000);
});
