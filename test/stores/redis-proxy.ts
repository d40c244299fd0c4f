import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** What stands between a node and Redis, and can lose what goes through it. */
export interface RedisProxy {
  readonly url: string;
  /** Where new connections lead. */
  target: string;
  /** What becomes of new connections: they work, they are taken and lead nowhere, or they are closed at once. */
  mode: 'pass' | 'swallow' | 'close';
  /** Answers of Redis that are lost, while this is so. */
  losesAnswers: boolean;
  /** From now on nothing goes through connections that have sent this, in either direction. They stay open. */
  freeze(having: string): void;
  /** Closes all connections. */
  cut(): void;
  close(): Promise<void>;
}

export async function startProxy(socket: string): Promise<RedisProxy> {
  const frozen = new Set<Socket>();
  const open = new Map<Socket, { said: string }>();
  const server = createServer((near) => {
    near.on('error', () => undefined);
    if (proxy.mode === 'close') {
      near.destroy();
      return;
    }
    const state = { said: '' };
    open.set(near, state);
    near.on('close', () => open.delete(near));
    if (proxy.mode === 'swallow') {
      near.resume();
      return;
    }
    const far = connect(proxy.target);
    far.on('error', () => near.destroy());
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
    near.on('data', (chunk: Buffer) => {
      state.said = (state.said + chunk.toString('latin1')).slice(-10_000);
      if (!frozen.has(near)) far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      if (!frozen.has(near) && !proxy.losesAnswers) near.write(chunk);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const proxy: RedisProxy = {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target: socket,
    mode: 'pass',
    losesAnswers: false,
    freeze: (having) => {
      for (const [near, { said }] of open) if (said.includes(having)) frozen.add(near);
    },
    cut: () => {
      for (const near of open.keys()) near.destroy();
    },
    close: async () => {
      proxy.cut();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return proxy;
}
