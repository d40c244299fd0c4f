import type { CostParts } from '../../../../src/page-api.js';
import { Meter } from '../../ui/feedback.js';
import type { MeterPart } from '../../ui/feedback.js';
import { formatCount, formatShare } from '../../ui/figures.js';

const parts = [
  { key: 'description', label: 'descriptions of tools', colour: '--chart-1' },
  { key: 'fields', label: 'descriptions of fields', colour: '--chart-2' },
  { key: 'schema', label: 'rest of the schemas', colour: '--chart-3' },
  { key: 'name', label: 'names', colour: '--chart-5' },
] as const;

export function partsOf(value: CostParts): MeterPart[] {
  return parts.map(({ key, label, colour }) => ({ label, value: value[key], colour }));
}

/** Returns the part with the most tokens. */
export function largestPart(value: CostParts): (typeof parts)[number] {
  return parts.reduce((most, part) => (value[part.key] > value[most.key] ? part : most));
}

/** Shows how many tokens each part of a tool costs, such as its description. */
export function Parts({ value }: { readonly value: CostParts }) {
  const shown = partsOf(value);
  const sum = shown.reduce((total, part) => total + part.value, 0);
  return (
    <div class="stack stack-tight">
      <Meter label="Tokens by part" parts={shown} />
      <ul class="cost-legend">
        {shown.map((part) => (
          <li key={part.label}>
            <span class="cost-swatch" style={{ background: `var(${part.colour})` }} />
            {part.label}{' '}
            <span class="faint">
              {formatCount(part.value)} ({formatShare(part.value, sum)})
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
