import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestProject } from 'vitest/node';
import { packTemporarily } from '../scripts/pack.js';

/** Packs the packages for the workers of the slow suite, once and only if a test asks for it. */
export async function setup(project: TestProject): Promise<() => void> {
  let packages: ReturnType<typeof packTemporarily> | undefined;
  project.onTestsRerun(() => {
    packages = undefined;
  });
  const server = createServer((_request, response) => {
    packages ??= packTemporarily();
    packages.then(
      (packed) => response.end(JSON.stringify([...packed])),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  process.env['PACK_SERVER'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return () => void server.close().closeAllConnections();
}
