/** Creates the plan of a connection from the seed and the number of the connection. */
import type { Plan, Step } from './plan.js';
import { Random } from '../live/random.js';
import { rightStep, sessionSteps, streamStep } from './right-requests.js';
import { brokenStep, largeStep, mutatedBodyStep, mutatedStep, wrongStep } from './wrong-requests.js';

type Maker = (random: Random) => Omit<Plan, 'index' | 'kind'>;

const several = (random: Random, make: (random: Random) => Step, most = 6): Step[] =>
  Array.from({ length: random.between(1, most) }, () => make(random));

/** A valid or invalid request in valid HTTP, whose answer does not depend on the requests around it. */
const answered = (random: Random): Step =>
  random.weigh([
    [5, rightStep],
    [4, wrongStep],
    [2, mutatedBodyStep],
  ])(random);

const pieces = (random: Random, pauseMs: number): NonNullable<Plan['pieces']> => ({
  lengths: Array.from({ length: random.between(1, 5) }, () => random.between(1, 200)),
  pauseMs,
});

const makers: readonly (readonly [weight: number, kind: string, make: Maker])[] = [
  [30, 'one by one', (random) => ({ steps: several(random, answered, 10) })],
  [20, 'pipelined', (random) => ({ steps: several(random, answered, 10), isPipelined: true })],
  [10, 'in pieces', (random) => ({ steps: several(random, answered, 3), pieces: pieces(random, 0) })],
  [
    2,
    'slow',
    (random) => {
      const step = answered(random);
      // Slow, but not slow enough for the server to time out.
      const length = Math.ceil(step.bytes('').length / random.between(2, 20));
      return { steps: [step], pieces: { lengths: [length], pauseMs: random.between(1, 15) } };
    },
  ],
  [10, 'changed', (random) => ({ steps: [...several(random, rightStep, 2), mutatedStep(random)] })],
  [
    8,
    'broken',
    (random) => ({ steps: [...(random.isOneIn(2) ? [rightStep(random)] : []), brokenStep(random)] }),
  ],
  [5, 'session', (random) => ({ steps: sessionSteps(random) })],
  [
    6,
    'left in the middle',
    (random) => ({
      steps: several(random, answered, 3),
      isPipelined: true,
      leave: { after: random.next(), how: random.pick(['reset', 'end'] as const) },
    }),
  ],
  [
    4,
    'left before the answer',
    (random) => ({ steps: [rightStep(random)], leave: { after: 1, how: 'reset' } }),
  ],
  [4, 'stream', () => ({ steps: [streamStep()] })],
  [0.05, 'large', (random) => ({ steps: [largeStep(random)] })],
];

export function makePlan(seed: number, index: number): Plan {
  const random = new Random(seed, index);
  const [kind, make] = random.weigh(makers.map(([weight, name, maker]) => [weight, [name, maker]] as const));
  return { index, kind, ...make(random) };
}
