import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrCancelled, ErrOverloaded } from '@toolfold/schema/errors';
import { FairQueue } from './fair-queue.js';

const { signal } = new AbortController();

/** A queue of 16 runs, four of an owner, that notes in which order runs are admitted. */
function createQueue() {
  const queue = new FairQueue({
    running: 16,
    runningPerOwner: 4,
    waiting: 64,
    waitingPerOwner: 16,
    onFull: () => new ErrOverloaded('full'),
    onCancel: () => new ErrCancelled(),
  });
  const admitted: string[] = [];
  const leave: (() => void)[] = [];
  const enter = async (owner: string, client?: string): Promise<void> => {
    const end = await queue.enter(owner, signal, client);
    admitted.push(client ?? owner);
    leave.push(end);
  };
  /** Ends the oldest run, and lets the next one enter. */
  const endOne = async (): Promise<void> => {
    leave.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const enterMany = async (count: number, owner: string, client?: string): Promise<void> => {
    for (let index = 0; index < count; index++) void enter(owner, client).catch(() => undefined);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, admitted, enterMany, endOne };
}

describe('the queue of runs', () => {
  it('lets a lone caller use half of all places, and keeps the others for other callers', async () => {
    const { admitted, enterMany } = createQueue();
    await enterMany(20, 'ada', 'laptop');
    await enterMany(1, 'ada', 'phone');
    expect(admitted).toHaveLength(8);
    await enterMany(5, 'bob');
    expect(admitted.slice(8)).toEqual(['bob', 'bob', 'bob', 'bob']);
    await enterMany(5, 'carol');
    expect(admitted.slice(12)).toEqual(['carol', 'carol', 'carol', 'carol']);
  });

  it('gives the places above the share of a caller to others when its runs end', async () => {
    const { admitted, enterMany, endOne } = createQueue();
    await enterMany(19, 'ada');
    await enterMany(1, 'ada', 'ada');
    await enterMany(4, 'bob');
    await enterMany(4, 'carol');
    await enterMany(4, 'dan');
    for (let ends = 0; ends < 4; ends++) await endOne();
    expect(admitted.slice(16)).toEqual(['dan', 'dan', 'dan', 'dan']);
    // With four runs each, the callers that wait take turns.
    await enterMany(1, 'erin');
    for (let ends = 0; ends < 2; ends++) await endOne();
    expect(admitted.slice(20).toSorted()).toEqual(['ada', 'erin']);
  });

  it('keeps a place for a second client of an address, and lets the clients take turns', async () => {
    const { admitted, enterMany, endOne } = createQueue();
    await enterMany(20, 'address', 'first');
    expect(admitted).toHaveLength(7);
    await enterMany(3, 'address', 'second');
    expect(admitted.slice(7)).toEqual(['second']);
    await endOne();
    await endOne();
    expect(admitted.slice(8)).toEqual(['second', 'second']);
    await endOne();
    expect(admitted.slice(10)).toEqual(['first']);
  });

  it('keeps the place again when the second client has left', async () => {
    const { queue, admitted, enterMany, endOne } = createQueue();
    const leave = await queue.enter('address', signal, 'second');
    await enterMany(20, 'address', 'first');
    expect(admitted).toHaveLength(7);
    leave();
    await endOne();
    expect(admitted).toHaveLength(8);
    await enterMany(1, 'address', 'second');
    expect(admitted.slice(8)).toEqual(['second']);
  });

  it('gives a caller no more places for more clients', async () => {
    const { admitted, enterMany } = createQueue();
    for (let client = 0; client < 20; client++) await enterMany(1, 'address', `client ${client}`);
    expect(admitted).toHaveLength(8);
    await enterMany(4, 'ada');
    expect(admitted.slice(8)).toEqual(['ada', 'ada', 'ada', 'ada']);
  });

  it('rejects a run if the caller has a quarter of all that may wait', async () => {
    const { queue, enterMany } = createQueue();
    await enterMany(24, 'ada');
    await expect(queue.enter('ada', signal)).rejects.toMatchObject({ code: 'ErrOverloaded' });
    await expect(queue.enter('bob', signal)).resolves.toBeDefined();
  });
});

describe('a queue that owners share without caps', () => {
  const step = fc.record({
    kind: fc.constantFrom('enter', 'enter', 'leave', 'abort'),
    owner: fc.constantFrom('a', 'b', 'c', 'd'),
    client: fc.constantFrom('x', 'y'),
    at: fc.nat(20),
  });

  it('keeps its limits, loses no place, and refuses nobody who has fewer calls than another that waits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80 }),
        fc.integer({ min: 1, max: 4 }),
        fc.nat(6),
        async (steps, running, waiting) => {
          const queue = new FairQueue({
            running,
            waiting,
            onFull: () => new ErrOverloaded('full'),
            onCancel: () => new ErrCancelled(),
          });
          const inside: { owner: string; leave: () => void }[] = [];
          const outside: { owner: string; controller: AbortController }[] = [];
          const callsOf = (owner: string): number =>
            [...inside, ...outside].filter((each) => each.owner === owner).length;
          const enter = async (owner: string, client: string): Promise<void> => {
            const call = { owner, controller: new AbortController() };
            outside.push(call);
            const drop = (): void => void outside.splice(outside.indexOf(call), 1);
            try {
              const leave = await queue.enter(owner, call.controller.signal, client);
              drop();
              inside.push({ owner, leave });
            } catch (error) {
              drop();
              if (error instanceof ErrOverloaded)
                for (const other of outside)
                  expect(callsOf(other.owner)).toBeLessThanOrEqual(callsOf(owner) + 1);
            }
          };
          const failures: unknown[] = [];
          for (const { kind, owner, client, at } of steps) {
            if (kind === 'enter') enter(owner, client).catch((error: unknown) => failures.push(error));
            if (kind === 'leave') inside.splice(at % Math.max(1, inside.length), 1)[0]?.leave();
            if (kind === 'abort') outside[at % Math.max(1, outside.length)]?.controller.abort();
            await new Promise((resolve) => setImmediate(resolve));
            expect(inside.length).toBeLessThanOrEqual(running);
            expect(outside.length).toBeLessThanOrEqual(waiting);
            expect(outside.length === 0 || inside.length === running).toBe(true);
          }
          expect(failures).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });
});
