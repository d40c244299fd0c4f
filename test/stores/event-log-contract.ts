import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { EventStream } from '../../packages/toolfold/src/serve/http/event-stream.js';
import { StreamLog } from '../../packages/toolfold/src/serve/sessions/stream-log.js';
import type { EventLog } from 'toolfold/internal';

const LEASE = 600;

/** A client that reads everything while `takes` is true. */
function createSink() {
  const texts: string[] = [];
  const state = { isEnded: false, takes: true, close: () => undefined as void };
  return {
    texts,
    state,
    sink: {
      write: (text: string) => {
        if (!text.startsWith(':')) texts.push(text);
        return state.takes;
      },
      end: () => {
        state.isEnded = true;
      },
      onClose: (listener: () => void) => {
        state.close = listener;
      },
    },
  };
}

const say = (number: number): string => JSON.stringify({ number, text: 'ä€😀' });

const numbersOf = async (log: EventLog, after: number): Promise<number[] | undefined> =>
  (await log.read('s', after))?.events.map(({ number }) => number);

const start = async (create: () => Promise<readonly [EventLog, EventLog]>) => {
  const [one, two] = await create();
  const [here, there] = [new StreamLog(one, LEASE), new StreamLog(two, LEASE)];
  const stream = new EventStream('s', here.record('session', 's', 7));
  stream.prime();
  const close = (): void => {
    stream.end();
    here.close();
    there.close();
  };
  return { one, here, there, stream, close };
};

/** The contract of an event log. `create` returns the logs of two processes. */
export function describeEventLog(name: string, create: () => Promise<readonly [EventLog, EventLog]>): void {
  describe(`the log of streams over ${name}`, () => {
    it('returns the events after a number, in order and unchanged, to any process', async () => {
      const [here, there] = await create();
      expect(await there.read('s', 0)).toBeUndefined();
      here.begin('s', '7', 60_000);
      for (let number = 1; number <= 5; number++) here.append('s', number, number === 1 ? '' : say(number));
      expect(await here.read('s', 0)).toEqual({
        events: [1, 2, 3, 4, 5].map((number) => ({ number, json: number === 1 ? '' : say(number) })),
        about: '7',
        isOver: false,
        isAlive: true,
      });
      await vi.waitFor(async () => expect(await numbersOf(there, 3)).toEqual([4, 5]));
      expect(await numbersOf(there, 5)).toEqual([]);
      expect(await numbersOf(there, 6)).toBeUndefined();
      expect(await there.read('t', 0)).toBeUndefined();
      here.end('s');
      await vi.waitFor(async () => expect(await there.read('s', 5)).toMatchObject({ isOver: true }));
    });

    it('keeps at most 1,000 events, and returns undefined if some are missing', async () => {
      const [here] = await create();
      here.begin('s', 'null', 60_000);
      for (let number = 1; number <= 1_200; number++) here.append('s', number, say(number));
      expect(await numbersOf(here, 0)).toBeUndefined();
      expect(await numbersOf(here, 199)).toBeUndefined();
      expect(await numbersOf(here, 200)).toHaveLength(1_000);
      here.append('s', 1_300, say(1_300));
      expect(await numbersOf(here, 1_200)).toBeUndefined();
      expect(await numbersOf(here, 1_299)).toEqual([1_300]);
    });

    it('reports when the writer has not renewed its lease', async () => {
      const [here, there] = await create();
      here.begin('s', 'null', 50);
      here.append('s', 1, '');
      await sleep(100);
      expect(await there.read('s', 0)).toMatchObject({ isAlive: false, isOver: false });
      here.begin('s', 'null', 60_000);
      await vi.waitFor(async () => expect(await there.read('s', 0)).toMatchObject({ isAlive: true }));
    });
  });

  describe(`a stream over ${name}`, () => {
    it('can be followed in another process, from any event to its end', async () => {
      const { there, stream, close } = await start(create);
      const own = createSink();
      stream.connect()(own.sink);
      stream.send(say(2));
      for (const after of [0, 1, 2]) {
        const { sink, texts, state } = createSink();
        const follow = await vi.waitFor(async () => {
          const events = await there.follow('session', 's', after);
          expect(events).toBeDefined();
          return events;
        });
        follow?.(sink);
        stream.send(say(3 + after));
        await vi.waitFor(() => expect(texts).toEqual(own.texts.slice(after)));
        if (after < 2) state.close();
        else {
          stream.end();
          await vi.waitFor(() => expect(state.isEnded).toBe(true));
        }
      }
      expect(await there.follow('another session', 's', 0)).toBeUndefined();
      close();
    });

    it('ends with an error event if its process has died', async () => {
      const { here, there, close } = await start(create);
      await vi.waitFor(async () => expect(await there.follow('session', 's', 1)).toBeDefined());
      const { sink, texts, state } = createSink();
      (await there.follow('session', 's', 1))?.(sink);
      // The lease is no longer renewed.
      here.close();
      await vi.waitFor(() => expect(state.isEnded).toBe(true), { timeout: 10 * LEASE });
      expect(texts).toEqual([
        expect.stringMatching(/^id: s_2\nevent: message\ndata: .*"id":7,"error":.*has ended/),
      ]);
      close();
    });

    it('is no longer followed when the client disconnects, or is too slow', async () => {
      const { there, stream, close } = await start(create);
      const [gone, slow] = [createSink(), createSink()];
      await vi.waitFor(async () => expect(await there.follow('session', 's', 1)).toBeDefined());
      for (const { sink } of [gone, slow]) (await there.follow('session', 's', 1))?.(sink);
      gone.state.close();
      slow.state.takes = false;
      stream.send(say(2));
      await vi.waitFor(() => expect(slow.state.isEnded).toBe(true));
      expect([gone.texts, gone.state.isEnded]).toEqual([[], false]);
      close();
    });
  });
}
