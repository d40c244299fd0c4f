import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { eachInSteps } from '../../../analysis/src/steps.js';
import { runAtOnce } from '../../../search/src/index/slices.js';
import { runSteps } from './steps.js';
import { Terminal } from './terminal.js';

/** A terminal, or a log, and the lines that were written to its standard error. */
function create(isTTY: boolean) {
  const lines: string[] = [];
  const stderr = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(String(chunk).trim());
      done();
    },
  });
  const streams = {
    stdin: Readable.from([]),
    stdout: new Writable(),
    stderr: Object.assign(stderr, { isTTY }),
  };
  return { lines, terminal: new Terminal(Object.assign(new EventEmitter(), streams)) };
}

describe('work in steps', () => {
  it.each([
    ['a terminal every two seconds', true, ['20 %', '40 %', '60 %', '80 %']],
    ['a log every ten seconds', false, []],
  ])('reports its progress to %s', async (_, isTTY, reported) => {
    const { lines, terminal } = create(isTTY);
    let time = 0;
    const steps = eachInSteps([1, 2, 3, 4, 5], (item) => {
      time += 2_000;
      return item * 2;
    });
    const options = { terminal, text: 'doubling', signal: new AbortController().signal, now: () => time };
    expect(await runSteps(steps, options)).toEqual([2, 4, 6, 8, 10]);
    expect(lines).toEqual(reported.map((share) => `toolfold: doubling: ${share}`));
  });

  it('reports to a log once it takes ten seconds', async () => {
    const { lines, terminal } = create(false);
    let time = 0;
    const steps = eachInSteps([1, 2, 3, 4], () => (time += 6_000));
    await runSteps(steps, {
      terminal,
      text: 'working',
      signal: new AbortController().signal,
      now: () => time,
    });
    expect(lines).toEqual(['toolfold: working: 50 %']);
  });

  it('ends with the reason of a signal that arrives between two steps', async () => {
    const { terminal } = create(true);
    const controller = new AbortController();
    const done: number[] = [];
    let time = 0;
    const steps = eachInSteps([1, 2, 3], (item) => {
      done.push(item);
      time += 100;
      setImmediate(() => controller.abort(new Error('stopped')));
    });
    const options = { terminal, text: 'working', signal: controller.signal, now: () => time };
    await expect(runSteps(steps, options)).rejects.toThrow('stopped');
    expect(done).not.toContain(3);
  });

  it('ends with a signal that arrives in the last step', async () => {
    const { terminal } = create(true);
    const controller = new AbortController();
    const steps = eachInSteps([1], () => void setImmediate(() => controller.abort(new Error('stopped'))));
    await expect(runSteps(steps, { terminal, text: 'working', signal: controller.signal })).rejects.toThrow(
      'stopped',
    );
  });

  it('can be done at once', () => {
    expect(runAtOnce(eachInSteps([1, 2], String))).toEqual(['1', '2']);
  });
});
