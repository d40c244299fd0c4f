import { setTimeout as sleep } from 'node:timers/promises';
import { start } from './child.mjs';
import { hostileGuests } from './hostile-guests.mjs';
import { keys } from './keys.mjs';
import { callTool } from './request.mjs';

const [own = '', ...others] = keys;

/** @typedef {{ title: string, block: number, median: number, longest: number, calls: number, ms: number }} Stall */

/**
 * Lets one to four callers run the same hostile code, each `runs` times at once, and measures the calls of another caller meanwhile. The
 * first result is that of a server without other callers.
 *
 * @param {{ callers: number, runs: number }} attackers
 * @param {(stall: Stall) => void} onResult
 */
export async function measureStalls({ callers, runs }, onResult) {
  const hostile = others.slice(0, callers);
  const { child, hear } = start('stall-process.mjs');
  try {
    const { url } = await hear();
    const readBlock = async () => {
      const heard = hear();
      child.send('read');
      return /** @type {number} */ ((await heard).longest);
    };
    for (let warm = 0; warm < 200; warm++) await callTool(url, 'echo', { n: 1 }, own);
    // The first run loads the sandbox, which happens once for a server.
    await Promise.all(hostile.map((key) => callTool(url, 'run_code', { code: '1' }, key)));
    const nobody = { title: 'no other caller', code: '', answer: / / };
    for (const { title, code, answer } of [nobody, ...hostileGuests]) {
      await sleep(200);
      await readBlock();
      const begin = performance.now();
      let isOver = false;
      const attack =
        code === ''
          ? sleep(1_000)
          : Promise.all(
              hostile.flatMap((key) =>
                Array.from({ length: runs }, async () => {
                  const text = await callTool(url, 'run_code', { code }, key);
                  if (!answer.test(text)) throw new Error(`${title}: ${text.slice(0, 500)}`);
                }),
              ),
            );
      const ended = attack.finally(() => (isOver = true));
      ended.catch(() => undefined);
      /** @type {number[]} */
      const samples = [];
      while (!isOver) {
        const sent = performance.now();
        await callTool(url, 'echo', { n: 1 }, own);
        samples.push(performance.now() - sent);
        await sleep(2);
      }
      await ended;
      const ms = performance.now() - begin;
      const sorted = samples.toSorted((a, b) => a - b);
      onResult({
        title,
        block: await readBlock(),
        median: sorted[Math.floor(sorted.length / 2)] ?? 0,
        longest: sorted.at(-1) ?? 0,
        calls: samples.length,
        ms,
      });
    }
  } finally {
    child.kill('SIGKILL');
  }
}
