import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { putFiles } from './database/test-databases.js';
import { ask, cleanUp, connect, end, scratch, serve, sleep, start } from './test-program.js';

const books = join(scratch, 'books');
beforeAll(() => putFiles(books), 60_000);
afterAll(cleanUp);

describe('the page of the showcase', () => {
  it('shows the tools, and the calls of other clients', async () => {
    const running = await serve(['--data', books]);
    const url = new URL(running.page ?? '');
    const headers = { 'x-toolfold-token': url.hash.slice('#token='.length) };
    const get = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, url), { headers })).json();
    expect(await get('/api/server')).toMatchObject({ name: 'finance', form: 'grouped' });
    await ask(await connect(running.url), 'finance', 'overview');
    expect(await get('/api/live')).toMatchObject({ calls: 1, errors: 0 });
    await end(running);
    await expect(fetch(url)).rejects.toThrow();
  });

  it('has its address in the output for people', async () => {
    const started = start(['--port', '0', '--data', books]);
    while (!started.out().includes('Ctrl+C') && started.child.exitCode === null) await sleep(50);
    expect(started.out()).toMatch(/\nPage: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\nServing http/);
    await end(started);
  });

  it.each([
    ['with --no-page', ['--no-page'], {}],
    ['in production', [], { NODE_ENV: 'production' }],
  ])('is off %s', async (_, args, env) => {
    const running = await serve(['--data', books, ...args], env);
    expect(running.page).toBeUndefined();
    await end(running);
  });
});
