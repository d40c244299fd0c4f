import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStream } from './event-stream.js';
import { runs } from '../../../../../test/runs.js';
import { connect, sendAll } from '../../../test/serve/event-stream-setup.js';
import type { Connection } from '../../../test/serve/event-stream-setup.js';

describe('an event stream', () => {
  it('loses and repeats no event, however often connections are lost, slow or replaced', () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant('send'), count: fc.integer({ min: 1, max: 5 }) }),
      fc.record({ do: fc.constantFrom('drop', 'release', 'keepAlive') }),
      fc.record({ do: fc.constant('connect'), room: fc.option(fc.nat(4), { nil: undefined }) }),
    );
    fc.assert(
      fc.property(fc.array(step as fc.Arbitrary<Step>, { maxLength: 40, size: 'max' }), (steps) => {
        const stream = new EventStream('s');
        stream.prime();
        const heard: number[] = [];
        let connection: Connection | undefined;
        let last = 0;
        let sent = 0;
        /** Imitates a client that remembers the last id and reconnects with it. */
        const leave = (): void => {
          if (!connection) return;
          heard.push(...connection.numbers);
          last = Number(/_(\d+)$/.exec(connection.lastId ?? '')?.[1] ?? last);
          connection = undefined;
        };
        for (const each of steps) {
          if (each.do === 'send') sendAll(stream, sent + 1, (sent += each.count));
          else if (each.do === 'release') stream.release();
          else if (each.do === 'keepAlive') stream.keepAlive();
          else if (each.do === 'drop') {
            connection?.drop();
            leave();
          } else {
            leave();
            connection = connect(stream, last, (each as { room?: number }).room);
          }
          if (connection?.isEnded) leave();
        }
        leave();
        stream.end();
        expect(stream.has(last)).toBe(true);
        connection = connect(stream, last);
        leave();
        expect(heard).toEqual(Array.from({ length: sent }, (_, index) => index + 1));
      }),
      { numRuns: runs(300) },
    );
  });
});

type Step =
  | { readonly do: 'send'; readonly count: number }
  | { readonly do: 'drop' | 'release' | 'keepAlive' }
  | { readonly do: 'connect'; readonly room: number | undefined };
