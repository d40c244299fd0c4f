import { createServer } from 'node:http';
import { connect, Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { devtools } from './devtools.js';
import type { DevtoolsOptions } from './devtools.js';

const createRegistry = () =>
  new ToolRegistry({ name: 'team', version: '1.0.0' }).register({
    name: 'ping',
    description: 'Answers',
    inputSchema: {},
    handler: () => 'pong',
  });

async function open(options: DevtoolsOptions = {}) {
  const page = await devtools(createRegistry(), options);
  onTestFinished(() => page.close());
  return page;
}

afterEach(() => vi.unstubAllEnvs());

describe('devtools', () => {
  it('serves the page on the loopback address, with a token of 256 bits in the fragment', async () => {
    const [one, other] = [await open({ port: 0 }), await open({ port: 0 })];
    const url = new URL(one.url ?? '');
    expect(url.hostname).toBe('127.0.0.1');
    expect(url.search).toBe('');
    expect(url.hash).toMatch(/^#token=[\w-]{43}$/);
    expect(new URL(other.url ?? '').hash).not.toBe(url.hash);
    expect((await fetch(`${url.origin}/api/server`)).status).toBe(401);
    const headers = { 'x-toolfold-token': url.hash.slice('#token='.length) };
    const server = (await (await fetch(`${url.origin}/api/server`, { headers })).json()) as { name: string };
    expect(server.name).toBe('team');
  });

  it('is reached at no other address of this machine', async () => {
    const { port } = new URL((await open({ port: 0 })).url ?? '');
    const addresses = Object.values(networkInterfaces()).flatMap((all = []) =>
      all.map(({ address }) => address),
    );
    // Linux has all addresses that begin with 127.
    for (const host of [...addresses.filter((each) => each !== '127.0.0.1'), '127.0.0.2'])
      expect(await canConnect(host, Number(port)), host).toBe(false);
    expect(await canConnect('127.0.0.1', Number(port))).toBe(true);
  });

  it('is off in production, and opens no port', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    const listen = vi.spyOn(Server.prototype, 'listen');
    onTestFinished(() => listen.mockRestore());
    const page = await open({ port: 0 });
    expect(page.url).toBeUndefined();
    expect(listen).not.toHaveBeenCalled();
    await page.close();
  });

  it('is on in production if the operator says so, and off elsewhere if not', async () => {
    vi.stubEnv('NODE_ENV', 'production');
    expect((await open({ port: 0, enabled: true })).url).toBeDefined();
    vi.stubEnv('NODE_ENV', 'development');
    expect((await open({ port: 0, enabled: false })).url).toBeUndefined();
  });

  it('takes any free port if the default one is taken, but not in place of a port that was chosen', async () => {
    const [one, other] = [await open(), await open()];
    expect(new URL(one.url ?? '').port).not.toBe(new URL(other.url ?? '').port);
    const port = await occupy();
    await expect(devtools(createRegistry(), { port })).rejects.toMatchObject({
      message: `Port ${port} is already in use. Choose another one with the option port.`,
      code: 'EADDRINUSE',
      port,
    });
  });

  it.each([
    [{}, 'npx toolfold lock registry.ts'],
    [{ lockfile: '/my files/lock.json' }, "npx toolfold lock --output '/my files/lock.json' registry.ts"],
  ])('shows a command that a shell can run for the lockfile: %j', async (options, command) => {
    const { origin, hash } = new URL((await open({ port: 0, ...options })).url ?? '');
    const headers = { 'x-toolfold-token': hash.slice('#token='.length) };
    const diff = await fetch(`${origin}/api/diff`, { headers });
    expect(await diff.json()).toMatchObject({ command });
  });

  it('leaves the port free for the next page when it is closed', async () => {
    const first = await devtools(createRegistry(), { port: 0 });
    const port = Number(new URL(first.url ?? '').port);
    await first.close();
    const second = await open({ port });
    expect(Number(new URL(second.url ?? '').port)).toBe(port);
  });

  it.each([
    [{ prot: 1 }, 'Did you mean "port"'],
    [{ port: '4400' }, 'port must be a whole number from 0 to 65535'],
    [{ port: 70_000 }, 'port must be a whole number'],
    [{ enabled: 'yes' }, 'enabled must be true or false'],
    [{ scopes: 'none' }, 'scopes must be'],
    [{ lockfile: 1 }, 'lockfile must be text'],
    [{ view: { from: 'flat' } }, 'has no option "from"'],
    [{ toolsets: [] }, 'must be a ToolsetConfig'],
    [{ toolsets: { catalog: {}, startup: { mode: 'STATIC' }, exposure: {} } }, 'has no option "exposure"'],
    [
      { toolsets: { catalog: { 'a b': { name: 'A', description: 'A' } }, startup: { mode: 'DYNAMIC' } } },
      '"a b"',
    ],
    [{ toolsets: { catalog: {}, startup: { mode: 'STATIC', toolsets: ['a'] } } }, 'Unknown toolset "a"'],
    [
      {
        toolsets: {
          catalog: {},
          startup: { mode: 'STATIC', toolsets: 'ALL' },
          exposurePolicy: { denylist: ['b'] },
        },
      },
      'Unknown toolset "b"',
    ],
  ])('refuses the options %j also while it is off', async (options, message) => {
    for (const enabled of [true, false])
      await expect(
        devtools(createRegistry(), { enabled, port: 0, ...options } as unknown as DevtoolsOptions),
      ).rejects.toThrow(message);
  });

  it('refuses what is not a registry', async () => {
    await expect(devtools({} as unknown as ToolRegistry)).rejects.toThrow('devtools needs a ToolRegistry');
  });
});

/** Whether something accepts connections at an address. */
function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5_000 });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
}

/** A port that another server listens on. */
async function occupy(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
