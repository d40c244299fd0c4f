import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy between a node and Redis that can lose data. */
export interface RedisProxy {
  readonly url: string;
  /** The socket that new connections are forwarded to. */
  target: string;
  /** Whether new connections are forwarded, accepted without an answer, or closed at once. */
  mode: 'pass' | 'swallow' | 'close';
  /** Whether answers of Redis are dropped. */
  losesAnswers: boolean;
  /** Stops forwarding on connections that have sent this text, in both directions. They stay open. */
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
