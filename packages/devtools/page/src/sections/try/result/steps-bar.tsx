import type { StepDuration } from '../../../../../src/page-events.js';
import { Meter } from '../../../ui/feedback.js';
import { formatDuration } from '../../live/figures.js';
import { stepParts } from './step-parts.js';

interface StepsBarProps {
  readonly steps: readonly StepDuration[];
  /** Duration of the call in milliseconds. */
  readonly ms: number;
  /** Milliseconds at the full width, so that the bars of several rounds can be compared. */
  readonly max: number;
  readonly title?: string | undefined;
}

/** Shows the duration of each step of the pipeline, as a bar and as text. */
export function StepsBar({ steps, ms, max, title }: StepsBarProps) {
  if (steps.length === 0) return null;
  const parts = stepParts(steps, ms);
  return (
    <div class="try-steps">
      {title !== undefined && <span class="soft small">{title}</span>}
      <Meter
        label={`Duration of the steps in microseconds${title === undefined ? '' : `, ${title}`}`}
        // The full width of a meter is at least 1, and a call may take less than a millisecond.
        parts={parts.map((part) => ({ ...part, value: Math.round(part.ms * 1_000) }))}
        max={max * 1_000}
      />
      <dl class="try-legend">
        {parts.map((part, index) => (
          <div key={part.label + String(index)}>
            <dt>
              <span class="try-swatch" style={{ background: `var(${part.colour})` }} />
              {part.label}
            </dt>
            <dd>{formatDuration(part.ms)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
