import { setTimeout as sleep } from 'node:timers/promises';
import { userOf } from './shop-services.mjs';
import { openConnection, readResult, toPost } from './requests.mjs';

const USERS = 50;
const PAUSE_MS = 50;

/**
 * The load of the published workload: 50 users, each with one connection, make one session after the other, one for each tool and one
 * for the list, and pause 50 ms after each four. Handshakes, calls and lists count as requests, notifications and ends of sessions do
 * not. Latencies are those of the calls.
 *
 * @param {number} port
 * @param {number} ms
 * @returns {Promise<import('./load.mjs').Sample>}
 */
export async function loadUsers(port, ms) {
  /** @type {number[]} */
  const latencies = [];
  let answers = 0;
  const start = performance.now();
  const isOver = () => performance.now() - start >= ms;
  await Promise.all(
    Array.from({ length: USERS }, async (_, index) => {
      const connection = openConnection(port);
      const works = worksOf(userOf(index + 1));
      while (!isOver()) {
        for (const { method, params, isRight } of works) {
          const call = await runSession(connection, port, { method, params });
          answers += 2;
          if (method === 'tools/call') latencies.push(call.took);
          if (!isRight(call.result))
            throw new Error(`A wrong answer to ${method}: ${JSON.stringify(call.result)}`);
        }
        await sleep(PAUSE_MS);
      }
      connection.close();
    }),
  );
  const took = performance.now() - start;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { answers, rate: (answers / took) * 1_000, p50: at(0.5), p99: at(0.99) };
}

/**
 * @param {import('./requests.mjs').Connection} connection
 * @param {number} port
 * @param {{ method: string, params: object }} request
 */
async function runSession(connection, port, request) {
  const clientInfo = { name: 'bench', version: '1.0' };
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo };
  const opened = await connection.ask(
    toPost(port, { jsonrpc: '2.0', id: 1, method: 'initialize', params }, {}),
  );
  if (readResult(opened) === undefined) throw new Error(`No session: ${opened.head}`);
  const session = /\r\nmcp-session-id: *(\S+)/i.exec(opened.head)?.[1];
  const headers = session === undefined ? {} : { 'mcp-session-id': session };
  await connection.ask(toPost(port, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers));
  const sent = performance.now();
  const answer = await connection.ask(toPost(port, { jsonrpc: '2.0', id: 2, ...request }, headers));
  const took = performance.now() - sent;
  if (session !== undefined)
    await connection.ask(
      Buffer.from(`DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nmcp-session-id: ${session}\r\n\r\n`),
    );
  return { took, result: readResult(answer) };
}

/** @param {string} user */
function worksOf(user) {
  const order = [
    { product_id: 42, quantity: 2 },
    { product_id: 1337, quantity: 1 },
  ];
  /** @type {(name: string, input: object, isRight: (data: any) => boolean) => Work} */
  const call = (name, input, isRight) => ({
    method: 'tools/call',
    params: { name, arguments: input },
    isRight: (result) => isRight(JSON.parse(result?.content?.[0]?.text ?? '{}')),
  });
  return [
    call(
      'search_products',
      { category: 'Electronics', min_price: 50, max_price: 500, limit: 10 },
      (data) =>
        data.total_found === 2_251 && data.products.length === 10 && data.top10_popular_ids.length === 10,
    ),
    call(
      'get_user_cart',
      { user_id: user },
      (data) => data.cart?.items.length >= 2 && data.recent_history.length === 5,
    ),
    call(
      'checkout',
      { user_id: user, items: order },
      (data) => data.status === 'confirmed' && data.total > 0 && data.items_count === 2,
    ),
    {
      method: 'tools/list',
      params: {},
      isRight: (/** @type {any} */ result) => result?.tools?.length === 3,
    },
  ];
}

/** @typedef {{ method: string, params: object, isRight: (result: any) => boolean }} Work */
