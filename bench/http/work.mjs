import { createServer } from 'node:http';
import { z } from 'zod';

/** The tools of every server: `count` tools of equal shape. */
export const description = 'Repeats a text';
export const schema = () => z.object({ text: z.string(), times: z.number().int() });
/** @param {{ text: string, times: number }} input */
export const repeatText = ({ text, times }) => text.repeat(times);
/** @param {number} count */
export const namesOf = (count) => Array.from({ length: count }, (_, index) => `tool_${index}`);

/**
 * @param {import('node:http').Server} server
 * @param {number} [port]
 * @returns {Promise<number>} the port
 */
export function listen(server, port = 0) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () =>
      resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port),
    );
  });
}

/** Finds a free port for servers that do not report theirs. */
export async function findFreePort() {
  const probe = createServer();
  const port = await listen(probe);
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
