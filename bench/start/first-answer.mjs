import {
  assertRight,
  modernRequest,
  openConnection,
  openSession,
  sessionRequest,
} from '../http/requests.mjs';
import { startServer } from '../http/start-server.mjs';
import { loadCatalog } from '../http/work.mjs';

/** @typedef {import('../http/requests.mjs').Revision} Revision */
/** @typedef {import('../http/compare.mjs').Work} Work */
/** @typedef {{ kind: string, revision: Revision }} Contender */

/**
 * Measurements of every start: milliseconds until the server listens and until the client has the whole first answer,
 * processor time of the server until then in milliseconds, and its resident memory in megabytes.
 *
 * @typedef {{ listening: number[], answered: number[], cpu: number[], rss: number[] }} Starts
 */

/**
 * Starts all contenders in every round, in rotating order and each in a new process, and sends one request to each.
 *
 * @template {string} Name
 * @param {Record<Name, Contender>} contenders
 * @param {Work} work
 * @param {number} rounds
 * @returns {Promise<Record<Name, Starts>>}
 */
export async function measureStarts(contenders, work, rounds) {
  const names = /** @type {Name[]} */ (Object.keys(contenders));
  const starts = /** @type {Record<Name, Starts>} */ ({});
  for (const name of names) starts[name] = { listening: [], answered: [], cpu: [], rss: [] };
  // The first start reads from disk, and later ones use the file cache.
  for (const name of names) await startOnce(contenders[name], work);
  for (let round = 0; round < rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + round) % names.length];
      if (name === undefined) continue;
      const { listening, answered, cpu, rss } = await startOnce(contenders[name], work);
      starts[name].listening.push(listening);
      starts[name].answered.push(answered);
      starts[name].cpu.push(cpu);
      starts[name].rss.push(rss);
    }
  }
  return starts;
}

/**
 * @param {Contender} contender
 * @param {Work} work
 */
async function startOnce({ kind, revision }, { method, catalog }) {
  const expected = await loadCatalog(catalog);
  const start = performance.now();
  const server = await startServer(kind, catalog);
  const { port } = server;
  const listening = performance.now() - start;
  const connection = openConnection(port);
  const request =
    revision === '2026-07-28'
      ? modernRequest(port, method, expected.sample)
      : sessionRequest(port, method, await openSession(connection, port), expected.sample);
  const answer = await connection.ask(request);
  const answered = performance.now() - start;
  assertRight(answer, method, expected);
  const cpu = (await server.read('cpu')) / 1_000;
  const rss = (await server.read('rss')) / 1_048_576;
  connection.close();
  await server.stop();
  return { listening, answered, cpu, rss };
}
