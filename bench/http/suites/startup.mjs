import { measuredFigure } from '../lines.mjs';
import { assertRight, modernRequest, openConnection, openSession, sessionRequest } from '../requests.mjs';
import { startServer } from '../start-server.mjs';

const modern = /** @type {const} */ ('2026-07-28');
const session = /** @type {const} */ ('2025-11-25');

const contenders = {
  floor: { kind: 'floor', revision: modern },
  tmcp: { kind: 'tmcp', revision: modern },
  SDK: { kind: 'sdk', revision: modern },
  Toolfold: { kind: 'toolfold', revision: modern },
  'fastmcp, which needs a session': { kind: 'fastmcp', revision: session },
};

/** @param {{ quick: boolean }} options */
export async function run({ quick }) {
  const entries = Object.entries(contenders);
  /** @type {Record<string, number[]>} */
  const samples = Object.fromEntries(entries.map(([name]) => [name, []]));
  // The first start reads from disk; later ones use the file cache.
  for (let spawn = -1; spawn < (quick ? 5 : 15); spawn++) {
    for (const [name, contender] of entries) {
      const ms = await timeFirstAnswer(contender);
      if (spawn >= 0) samples[name]?.push(ms);
    }
  }
  return Object.entries(samples).map(([name, values]) => measuredFigure(name, values, 'ms'));
}

/**
 * The time from starting the process to the answer of a call.
 *
 * @param {{ kind: string, revision: import('../requests.mjs').Revision }} contender
 */
async function timeFirstAnswer({ kind, revision }) {
  const start = performance.now();
  const server = await startServer(kind, 1);
  const { port } = server;
  const connection = openConnection(port);
  const request =
    revision === modern
      ? modernRequest(port, 'tools/call')
      : sessionRequest(port, 'tools/call', await openSession(connection, port));
  const answer = await connection.ask(request);
  const took = performance.now() - start;
  assertRight(answer, 'tools/call', 1);
  connection.close();
  await server.stop();
  return took;
}
