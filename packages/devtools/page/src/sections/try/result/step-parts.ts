import type { StepDuration } from '../../../../../src/page-events.js';
import { stepColours } from '../../../ui/step-colours.js';

interface StepPart {
  readonly label: string;
  readonly ms: number;
  readonly colour: `--${string}`;
}

/** Minimum share of a call for which the unmeasured time is shown. */
const MIN_REST = 0.01;

/** Returns the steps of a call and the time between them, which add up to its whole duration. */
export function stepParts(steps: readonly StepDuration[], ms: number): readonly StepPart[] {
  const parts = steps.map((each): StepPart => ({
    label: each.step,
    ms: Math.max(each.ms, 0),
    colour: stepColours[each.step],
  }));
  const rest = ms - parts.reduce((sum, part) => sum + part.ms, 0);
  return rest > ms * MIN_REST
    ? [...parts, { label: 'between steps', ms: rest, colour: '--line-strong' }]
    : parts;
}
