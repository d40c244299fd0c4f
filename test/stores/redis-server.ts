import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';

/** A separate Redis on a socket in a temporary folder. */
export interface RedisServer {
  readonly url: string;
  /** The process, if this Redis can be stopped and restarted; `undefined` for an external Redis. */
  readonly process: ChildProcess | undefined;
  /** Kills the server, like a crash. */
  kill(): Promise<void>;
  /** Starts the server again on the same socket, with further settings. */
  restart(more?: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a Redis, or returns the one at `REDIS_URL`. Resolves to `undefined` if neither is available. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer | undefined> {
  const given = process.env['REDIS_URL'];
  if (given)
    return { url: given, process: undefined, kill: unable, restart: unable, stop: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-redis-'));
  const socket = join(folder, 'redis.sock');
  const quiet = ['--port', '0', '--save', '', '--appendonly', 'no', '--loglevel', 'warning'];
  const start = async (more: readonly string[] = []): Promise<ChildProcess | undefined> => {
    const own = ['--unixsocket', socket, '--dir', folder];
    const child = spawn('redis-server', [...own, ...quiet, ...settings, ...more], { stdio: 'ignore' });
    const failed = new Promise<'failed'>((resolve) => {
      child.once('error', () => resolve('failed'));
      child.once('exit', () => resolve('failed'));
    });
    const state = await Promise.race([failed, answers(socket)]);
    return state === 'ready' ? child : undefined;
  };
  let child = await start();
  if (!child) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  // Kill the server if a test fails midway.
  const killLast = (): void => void child?.kill('SIGKILL');
  process.once('exit', killLast);
  const kill = async (): Promise<void> => {
    if (child?.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  };
  return {
    url: socket,
    get process() {
      return child;
    },
    kill,
    restart: async (more) => {
      await kill();
      child = await start(more);
    },
    stop: async () => {
      await kill();
      process.off('exit', killLast);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(path: string): Promise<'ready'> {
  for (;;) {
    const client = new Redis({ path, lazyConnect: true, retryStrategy: () => null });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.ping();
      return 'ready';
    } catch {
      await sleep(20);
    } finally {
      client.disconnect();
    }
  }
}

async function unable(): Promise<void> {
  throw new Error('This Redis is not ours to stop.');
}
