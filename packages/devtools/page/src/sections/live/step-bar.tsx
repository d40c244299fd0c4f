import type { StepDuration } from '../../../../src/page-events.js';
import { formatDuration } from './figures.js';
import { stepColours } from '../../ui/step-colours.js';
import { Meter } from '../../ui/feedback.js';
import { formatShare } from '../../ui/figures.js';

const names: Readonly<Record<StepDuration['step'], string>> = {
  find: 'Find',
  admit: 'Admit',
  prepare: 'Prepare',
  validate: 'Validate',
  run: 'Run',
  shape: 'Shape',
  error: 'Error',
};

/** Shows the duration of each step as a bar. The legend is also its text for screen readers. */
export function StepBar({
  steps,
  total,
}: {
  readonly steps: readonly StepDuration[];
  readonly total: number;
}) {
  if (steps.length === 0) return <p class="soft">The server did not measure the steps of this call.</p>;
  const sum = steps.reduce((all, { ms }) => all + ms, 0);
  const parts = steps.map(({ step, ms }) => ({
    label: names[step] ?? step,
    // Shares of the sum and not milliseconds, because a meter whose parts sum to less than 1 is not filled.
    value: (ms / Math.max(sum, 1e-9)) * 1_000,
    colour: stepColours[step] ?? '--chart-5',
  }));
  return (
    <>
      <div aria-hidden="true">
        <Meter label="Steps" parts={parts} />
      </div>
      <ul class="live-legend">
        {steps.map(({ step, ms }, at) => (
          <li key={`${step} ${at}`}>
            <span class="live-dot" style={{ background: `var(${stepColours[step] ?? '--chart-5'})` }} />
            <span class="grow">{names[step] ?? step}</span>
            <span class="number">{formatDuration(ms)}</span>
            <span class="number faint">{formatShare(ms, Math.max(total, sum))}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
