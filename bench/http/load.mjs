import { connect } from 'node:net';
import { AnswerReader } from './answer-reader.mjs';

/** @typedef {{ answers: number, rate: number, p50: number, p99: number }} Sample `rate` per second, latencies in ms */

/**
 * Loads a server over one connection per request. Each connection repeats its request as soon as it has the whole
 * answer.
 *
 * @param {number} port
 * @param {readonly Buffer[]} requests
 * @param {number} ms
 * @param {{ status?: number, reconnects?: boolean }} [options] the status of a correct answer, and whether each request
 *   opens a new connection
 * @returns {Promise<Sample>}
 */
export async function load(port, requests, ms, { status = 200, reconnects = false } = {}) {
  const repeat = reconnects ? reconnectUntil : repeatUntil;
  /** @type {number[]} */
  const latencies = [];
  const start = performance.now();
  const end = start + ms;
  await Promise.all(requests.map((request) => repeat(end, port, request, latencies, status)));
  const took = performance.now() - start;
  const sorted = Float64Array.from(latencies).toSorted();
  const at = (/** @type {number} */ share) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
  return { answers: sorted.length, rate: (sorted.length / took) * 1_000, p50: at(0.5), p99: at(0.99) };
}

/**
 * @param {number} end
 * @param {number} port
 * @param {Buffer} request
 * @param {number[]} latencies
 * @param {number} wanted the expected status
 */
function repeatUntil(end, port, request, latencies, wanted) {
  return new Promise((resolve, reject) => {
    let sent = 0;
    const send = () => {
      sent = performance.now();
      socket.write(request);
    };
    const socket = connect(port, '127.0.0.1', send);
    socket.setNoDelay(true);
    const reader = new AnswerReader(({ status, head }) => {
      const now = performance.now();
      latencies.push(now - sent);
      if (status !== wanted) reject(new Error(`Not an answer: ${head}`));
      else if (now < end) send();
      else {
        socket.destroy();
        resolve(undefined);
      }
    });
    socket.on('data', (bytes) => reader.read(bytes));
    socket.on('error', reject);
    socket.on('end', () => reject(new Error('The server closed the connection.')));
  });
}

/**
 * @param {number} end
 * @param {number} port
 * @param {Buffer} request
 * @param {number[]} latencies
 * @param {number} wanted
 */
async function reconnectUntil(end, port, request, latencies, wanted) {
  while (performance.now() < end) await repeatUntil(0, port, request, latencies, wanted);
}
