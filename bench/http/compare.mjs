import { load } from './load.mjs';
import { assertRight, modernRequest, openConnection, openSession, sessionRequest } from './requests.mjs';
import { startServer } from './start-server.mjs';
import { loadCatalog } from './work.mjs';

/**
 * A server to measure. `headers` are sent with every request. If they select tools, `listed` is the expected number.
 *
 * @typedef {{
 *   kind: string,
 *   revision: import('./requests.mjs').Revision,
 *   execPath?: string | undefined,
 *   headers?: Record<string, string>,
 *   listed?: number,
 * }} Contender
 */
/** @typedef {{ method: import('./requests.mjs').Method, catalog: string }} Work */
/** @typedef {{ spawns: number, rounds: number, sampleMs: number, warmMs: number }} Effort */

/**
 * The measurements of every round: requests per second, p50 and p99 latency in milliseconds, the server's processor
 * time and its garbage collection per request in microseconds, its resident memory in megabytes, and the load of the client's core.
 *
 * @typedef {{ rate: number[], p50: number[], p99: number[], cpu: number[], gc: number[], rss: number[], asker: number[] }} Measured
 */

const CONNECTIONS = 16;

/**
 * Loads all contenders with the same work. Each is restarted several times, because JIT decisions last for the life of
 * a process. All are warmed up, then measured in every round in rotating order.
 *
 * @template {string} Name
 * @param {Record<Name, Contender>} contenders
 * @param {Work} work
 * @param {Effort} effort
 * @returns {Promise<Record<Name, Measured>>}
 */
export async function compare(contenders, work, { spawns, rounds, sampleMs, warmMs }) {
  const names = /** @type {Name[]} */ (Object.keys(contenders));
  const measured = unmeasured(names);
  for (let spawn = 0; spawn < spawns; spawn++) {
    /** @type {Awaited<ReturnType<typeof prepare>>[]} */
    const running = [];
    try {
      for (const name of names) running.push(await prepare(contenders[name], work));
      for (const { server, requests } of running) await load(server.port, requests, warmMs);
      for (let round = 0; round < rounds; round++) {
        for (let index = 0; index < names.length; index++) {
          const at = (index + round) % names.length;
          const name = names[at];
          const contender = running[at];
          if (name === undefined || contender === undefined) continue;
          const { server, requests } = contender;
          await sample(server, () => load(server.port, requests, sampleMs), measured[name]);
        }
      }
    } finally {
      for (const { server } of running) await server.stop();
    }
  }
  return measured;
}

/**
 * @param {Contender} contender
 * @param {Work} work
 */
async function prepare({ kind, revision, execPath, headers, listed }, { method, catalog }) {
  const server = await startServer(kind, catalog, { execPath });
  const expected = await loadCatalog(catalog);
  const { port } = server;
  const requests = await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = openConnection(port);
      const request =
        revision === '2026-07-28'
          ? modernRequest(port, method, expected.sample, headers)
          : sessionRequest(port, method, await openSession(connection, port), expected.sample);
      assertRight(await connection.ask(request), method, expected, listed);
      connection.close();
      return request;
    }),
  );
  return { server, requests };
}

/**
 * @template {string} Name
 * @param {readonly Name[]} names
 */
export function unmeasured(names) {
  const measured = /** @type {Record<Name, Measured>} */ ({});
  for (const name of names)
    measured[name] = { rate: [], p50: [], p99: [], cpu: [], gc: [], rss: [], asker: [] };
  return measured;
}

/**
 * Loads a server, and adds what was measured.
 *
 * @param {import('./start-server.mjs').RunningServer} server
 * @param {() => Promise<import('./load.mjs').Sample>} runLoad
 * @param {Measured} measured
 */
export async function sample(server, runLoad, measured) {
  const cpuBefore = await server.read('cpu');
  const gcBefore = await server.read('gc');
  const own = process.cpuUsage();
  const start = performance.now();
  const { answers, rate, p50, p99 } = await runLoad();
  const { user, system } = process.cpuUsage(own);
  const asker = (user + system) / 1_000 / (performance.now() - start);
  measured.rate.push(rate);
  measured.p50.push(p50);
  measured.p99.push(p99);
  measured.cpu.push(((await server.read('cpu')) - cpuBefore) / answers);
  measured.gc.push(((await server.read('gc')) - gcBefore) / answers);
  measured.rss.push((await server.read('rss')) / 1_048_576);
  measured.asker.push(asker);
}
