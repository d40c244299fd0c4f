import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../../../cli/test/cli-program.js';
import { speedUpTime } from '../../../../test/fast-clock.js';
import { config, connect, folder, healthOf, scripted, serve, tool, write } from './gateways.js';

const program = fileURLToPath(
  new URL('../../../../test/wire/programs/flooding-upstream.mjs', import.meta.url),
);

/** The median of the times of calls in milliseconds. */
async function medianOf(call: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let at = 0; at < 201; at++) {
    const began = performance.now();
    await call();
    times.push(performance.now() - began);
  }
  return times.toSorted((one, other) => one - other)[100] ?? Infinity;
}

const floods = ['list_changed', 'updated', 'progress', 'log', 'answers', 'text', 'blank', 'stderr'];

/** The configuration of a gateway with a server that floods, beside a quiet one. */
function bothServers(flood: string) {
  const place = folder();
  const quiet = write(join(place, 'quiet.json'), { tools: [tool('read')] });
  const loud = { command: process.execPath, args: [program, flood] };
  return { file: config(place, { quiet: scripted(quiet), loud }) };
}

/** The gateway in a process of its own, whose time the test does not share. */
async function serveBoth(flood: string) {
  const { file } = bothServers(flood);
  const started = startProgram(['proxy', '--http', '0', '--json', '--form', 'flat', '--config', file]);
  const { child, written } = started;
  onTestFinished(() => void child.kill('SIGTERM'));
  await expect.poll(() => written.out, { timeout: 30_000 }).toContain('url');
  const { url } = JSON.parse(written.out) as { url: string };
  return { url, written, ...(await connect(url)) };
}

it.each(floods)('a server that floods with %s does not delay the calls of others', async (flood) => {
  const { client, text, written } = await serveBoth(flood);
  await expect.poll(async () => (await client.listTools()).tools.length, { timeout: 20_000 }).toBe(2);
  // Without a limit the median is above 200 ms, or no call is answered at all.
  expect(await medianOf(() => text('quiet_read'))).toBeLessThan(50);
  // Some seconds of 64 KiB, with the JSON around each line.
  expect(written.err.length).toBeLessThan(1_500_000);
});

it('a server that does not stop flooding is cut off with a message, and the others go on', async () => {
  const { file } = bothServers('progress');
  const { url, written } = await serve(['--form', 'flat', '--config', file]);
  const { text } = await connect(url);
  speedUpTime();
  await expect.poll(() => written.err).toContain('Its messages are delayed');
  await expect.poll(() => written.err).toContain('It is cut off');
  await expect.poll(async () => (await healthOf(url))['loud']?.state).toBe('down');
  expect(await text('quiet_read')).toContain('"tool":"read"');
});
