import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { LiveCall, LiveStatistics, PageEvent } from '../page-events.js';
import { EventStream } from './event-stream.js';

/** A response that the page does not read until the test does. */
function createResponse() {
  const response = Object.assign(new PassThrough(), {
    writeHead: () => response,
    flushHeaders: () => {},
  });
  return response as unknown as PassThrough & ServerResponse;
}

const call = (id: number): LiveCall => ({
  id,
  at: 0,
  address: 'users/get',
  caller: 'anonymous',
  ms: 1,
  outcome: 'ok',
  isError: false,
  tokens: 1,
  steps: [],
  arguments: 'x'.repeat(2_000),
});

const statistics = (calls: number): LiveStatistics => ({
  since: 0,
  calls,
  errors: 0,
  perSecond: [],
  p50: [],
  p95: [],
  tools: [],
  failures: [],
  questions: [],
});

const readEvents = (text: string): PageEvent[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('event: '))
    .map((block) => {
      const [name, data = ''] = block.split('\ndata: ');
      const event = JSON.parse(data) as PageEvent;
      expect(name).toBe(`event: ${event.event}`);
      return event;
    });

describe('the events for a page', () => {
  it('take no more memory while the page does not read, and then count everything that it has missed', async () => {
    const response = createResponse();
    const stream = new EventStream(response, () => {});
    for (let batch = 0; batch < 1_000; batch++) {
      stream.sendCalls(
        30,
        Array.from({ length: 25 }, (_, index) => call(batch * 30 + index)),
      );
      stream.sendStatistics(statistics(batch * 30));
      stream.sendChange(batch);
    }
    expect(response.readableLength + response.writableLength).toBeLessThan(200_000);
    let text = '';
    response.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    while (readEvents(text).length < 4) await new Promise((resolve) => setImmediate(resolve));
    const events = readEvents(text);
    const seen = events.flatMap((event) => (event.event === 'calls' ? [event.seen] : []));
    expect(seen.reduce((sum, each) => sum + each, 0)).toBe(30_000);
    expect(events.findLast(({ event }) => event === 'change')).toEqual({ event: 'change', revision: 999 });
    expect(events.findLast(({ event }) => event === 'statistics')).toMatchObject({
      statistics: { calls: 29_970 },
    });
    stream.close();
  });

  it('end when the page disconnects', async () => {
    const response = createResponse();
    let isClosed = false;
    const stream = new EventStream(response, () => {
      isClosed = true;
    });
    response.destroy();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isClosed).toBe(true);
    stream.sendCalls(1, [call(1)]);
    expect(response.writableLength).toBe(0);
  });
});
