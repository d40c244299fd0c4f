import { target } from '../../report.mjs';
import { assertRight, openConnection, openSession, sessionRequest } from '../requests.mjs';
import { startServer } from '../start-server.mjs';
import { loadCatalog } from '../work.mjs';

const CONNECTIONS = 16;
const CATALOG = 'plain-1';
const catalog = await loadCatalog(CATALOG);
const { sample } = catalog;
/** Warm-up sessions, because the first ones also pay for compiled code and caches. */
const WARM = 200;
const SESSIONS = 10_000;
const SESSIONS_OF_SDK = 1_000;

/** @returns {Promise<import('../lines.mjs').Line[]>} */
export async function run() {
  const ours = await weigh('toolfold', SESSIONS);
  const theirs = await weigh('sdk-session', SESSIONS_OF_SDK);
  const kilobytes = 'KB';
  return [
    target('KB of an idle session that has made a call', ours.used, '<=', 10),
    target('sessions that answer, of 10,000 that were opened', ours.answered, '>=', SESSIONS),
    { kind: 'figure', title: 'an idle session that was only opened', value: ours.opened, unit: kilobytes },
    { kind: 'figure', title: 'SDK: one that was only opened', value: theirs.opened, unit: kilobytes },
    { kind: 'figure', title: 'SDK: one that has made a call', value: theirs.used, unit: kilobytes },
  ];
}

/**
 * Kilobytes per session: after opening, and after one call in each.
 *
 * @param {string} kind
 * @param {number} count
 */
async function weigh(kind, count) {
  const server = await startServer(kind, CATALOG, { execArgv: ['--expose-gc'] });
  const { port } = server;
  try {
    /** @type {string[]} */
    const sessions = [];
    const open = async (/** @type {number} */ upTo) => {
      let begun = sessions.length;
      await overConnections(port, async (connection) => {
        if (begun++ >= upTo) return false;
        sessions.push(await openSession(connection, port));
        return true;
      });
    };
    await open(WARM);
    await callEach(port, sessions);
    const before = await server.read('memory');
    await open(count);
    const open_ = await server.read('memory');
    const answered = await callEach(port, sessions);
    const used = await server.read('memory');
    const per = (/** @type {number} */ bytes) => (bytes - before) / (count - WARM) / 1_024;
    return { opened: per(open_), used: per(used), answered };
  } finally {
    await server.stop();
  }
}

/**
 * @param {number} port
 * @param {readonly string[]} sessions
 * @returns {Promise<number>} number of sessions that answered correctly
 */
async function callEach(port, sessions) {
  let next = 0;
  let answered = 0;
  await overConnections(port, async (connection) => {
    const session = sessions[next++];
    if (session === undefined) return false;
    const answer = await connection.ask(sessionRequest(port, 'tools/call', session, sample));
    if (answer.status === 200) {
      assertRight(answer, 'tools/call', catalog);
      answered++;
    }
    return true;
  });
  return answered;
}

/**
 * Repeats a step over several concurrent connections, until it resolves to `false`.
 *
 * @param {number} port
 * @param {(connection: import('../requests.mjs').Connection) => Promise<boolean>} step
 */
async function overConnections(port, step) {
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const connection = openConnection(port);
      while (await step(connection));
      connection.close();
    }),
  );
}
