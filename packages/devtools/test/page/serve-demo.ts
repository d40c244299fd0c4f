import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { devtools } from '@toolfold/devtools';
import type { DevtoolsOptions } from '@toolfold/devtools';
import { createDemo, createHugeDemo } from './demo-registry.js';
import type { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';

interface Source {
  readonly registry: ToolRegistry;
  readonly toolsets?: ToolsetConfig;
}

export interface ServedDemo extends Source {
  /** The address of the page, with its token. */
  readonly url: string;
  /** The address of a section. */
  at(route: string): string;
  close(): Promise<void>;
}

/** Serves the page of the demo server, or of another one, until the test ends. */
export async function serveDemo(
  options: DevtoolsOptions = {},
  demo: Source = createDemo(),
): Promise<ServedDemo> {
  const { url, close } = await devtools(demo.registry, {
    port: 0,
    enabled: true,
    ...(demo.toolsets ? { toolsets: demo.toolsets } : {}),
    lockfile: '/nonexistent/toolfold.lock.json',
    ...options,
  });
  if (url === undefined) throw new Error('The page is off.');
  // Runs after the hooks, so that the browser's context is closed before the server.
  onTestFinished(close);
  return { ...demo, url, close, at: (route) => `${url.slice(0, url.indexOf('#'))}#/${route}` };
}

/** Serves the page of a server with this many tools. */
export function serveHuge(count: number): Promise<ServedDemo> {
  const { registry } = createHugeDemo(count);
  return serveDemo({}, { registry });
}

/** A connection to the page that the test can cut. */
export interface Cable {
  readonly url: string;
  cut(): Promise<void>;
  mend(): Promise<void>;
}

/** Puts a cable between the browser and the page's server. */
export async function throughCable(url: string): Promise<Cable> {
  const target = new URL(url);
  const realPort = Number(target.port);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = connect(realPort, '127.0.0.1');
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => each.destroy());
      each.on('close', () => sockets.delete(each));
    }
    socket.pipe(upstream).pipe(socket);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', () => resolve()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const cut = async () => {
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  onTestFinished(async () => {
    if (server.listening) await cut();
  });
  target.port = String(port);
  return { url: target.href, cut, mend: () => listen(port) };
}
