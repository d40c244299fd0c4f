import { memo } from 'preact/compat';
import type { LiveCall } from '../../../../src/page-events.js';
import { Badge } from '../../ui/badge.js';
import type { BadgeKind } from '../../ui/badge.js';
import { formatCount } from '../../ui/figures.js';
import { visibleText } from '../../ui/text.js';
import { formatDuration, writeClock } from './figures.js';
import { kindOf, nameOf } from './filters.js';

const MAX_CELL = 200;

const kinds: Readonly<Record<ReturnType<typeof kindOf>, BadgeKind>> = {
  ok: 'ok',
  error: 'error',
  questions: 'info',
};

/** Returns the page's word for an outcome. Error codes are shown unchanged. */
function outcomeText({ outcome }: Pick<LiveCall, 'outcome'>): string {
  return outcome === 'input_required' ? 'question' : outcome;
}

/** Returns the colour of an outcome. A cancelled call neither failed nor returned a result. */
export function badgeOf(call: LiveCall): BadgeKind {
  return call.outcome === 'cancelled' ? 'plain' : kinds[kindOf(call)];
}

export function Outcome({ call }: { readonly call: LiveCall }) {
  return <Badge kind={badgeOf(call)}>{outcomeText(call).slice(0, MAX_CELL)}</Badge>;
}

/** Renders the cells of a call. On a phone they fill two lines; see `live.css`. */
export const CallRow = memo(({ call }: { readonly call: LiveCall }) => (
  <>
    <span class="live-cell live-time number">{writeClock(call.at)}</span>
    <span class="live-cell live-address">
      <Cell value={nameOf(call)} />
    </span>
    <span class="live-cell live-caller">
      <Cell value={call.caller} />
    </span>
    <span class="live-cell live-client">
      <Cell value={call.client ?? ''} />
    </span>
    <span class="live-cell live-ms number">{formatDuration(call.ms)}</span>
    <span class="live-cell live-outcome">
      <Outcome call={call} />
    </span>
    <span class="live-cell live-tokens number">
      <span class="live-unit">≈ </span>
      {formatCount(call.tokens)}
      <span class="live-unit"> tokens</span>
    </span>
  </>
));

function Cell({ value }: { readonly value: string }) {
  return <bdi>{visibleText(value.length > MAX_CELL ? `${value.slice(0, MAX_CELL)}…` : value)}</bdi>;
}
