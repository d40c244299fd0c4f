import { useEffect, useRef, useState } from 'preact/hooks';
import { theme } from '../../theme.js';
import { formatCount, formatShort } from '../../ui/figures.js';
import { Table } from '../../ui/table.js';
import type { Chart, ChartLine, Values } from './draw-chart.js';
import { live } from './store/feed.js';
import { formatDuration, describeDurations, describeRate, shiftSeconds, tabulate } from './figures.js';

interface MinuteChartProps {
  readonly title: string;
  /** Describes the chart in words, for screen readers. */
  readonly description: string;
  readonly lines: readonly (ChartLine & { readonly name: string; readonly values: Values })[];
  readonly format: (value: number) => string;
  /** Minimum end of the axis, so that a quiet minute has readable labels. */
  readonly least: number;
}

/**
 * Draws a line chart of the last minute on a canvas. The chart library is loaded lazily; the description needs no
 * canvas.
 */
function MinuteChart({ title, description, lines, format, least }: MinuteChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<Chart>(undefined);
  const values = lines.map((line) => line.values);
  const latest = useRef(values);
  latest.current = values;
  const shown = theme.value;
  useEffect(() => {
    const target = element.current;
    let isGone = false;
    const observer = new ResizeObserver(() => chart.current?.resize(target?.clientWidth ?? 0));
    void import('./draw-chart.js').then(({ drawChart }) => {
      if (isGone || !target) return;
      chart.current = drawChart(target, lines, format, least);
      chart.current.draw(latest.current);
      observer.observe(target);
    });
    return () => {
      isGone = true;
      observer.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [shown]);
  useEffect(() => chart.current?.draw(values));
  return (
    <figure class="panel live-chart">
      <figcaption class="row">
        <span class="strong small grow">{title}</span>
        {lines.length > 1 &&
          lines.map(({ name, colour }) => (
            <span key={name} class="live-key small soft">
              <span class="live-dot" style={{ background: `var(${colour})` }} />
              {name}
            </span>
          ))}
      </figcaption>
      <div ref={element} class="live-canvas" role="img" aria-label={`${title}. ${description}`} />
    </figure>
  );
}

/** Shows calls per second and durations of the last minute as charts. */
export function LiveCharts() {
  const [now, setNow] = useState(Date.now);
  const statistics = live.statistics.value;
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setNow(Date.now());
    }, 1_000);
    return () => clearInterval(timer);
  }, []);
  const shift = <T,>(sent: readonly T[] | undefined, quiet: T) =>
    shiftSeconds(sent ?? [], quiet, live.statisticsAt, now);
  const perSecond = shift(statistics?.perSecond, 0);
  const p50 = shift(statistics?.p50, null);
  const p95 = shift(statistics?.p95, null);
  return (
    <section aria-label="The last minute" class="stack stack-tight">
      <div class="live-charts">
        <MinuteChart
          title="Calls per second"
          description={describeRate(perSecond)}
          // Omit the current second, because its count is incomplete and would look like a drop.
          lines={[
            { name: 'Calls', colour: '--chart-1', isFilled: true, values: [...perSecond.slice(0, -1), null] },
          ]}
          format={formatShort}
          least={4}
        />
        <MinuteChart
          title="Duration"
          description={describeDurations(p50, p95)}
          // Later lines cover earlier ones. With few calls p50 and p95 are equal, and p50 has the smaller points, so
          // draw it last.
          lines={[
            { name: 'p95', colour: '--chart-3', values: p95 },
            { name: 'p50', colour: '--chart-2', values: p50 },
          ]}
          format={(value) => (value === 0 ? '0' : formatDuration(value))}
          least={0.1}
        />
      </div>
      <details class="live-figures">
        <summary class="small soft">The last minute as a table</summary>
        <Table
          caption="Calls and durations of the last minute"
          rows={tabulate(perSecond, p50, p95)}
          keyOf={({ ago }) => ago}
          columns={[
            { key: 'ago', title: 'When', isHead: true, render: ({ ago }) => ago },
            { key: 'calls', title: 'Calls', isNumber: true, render: ({ calls }) => formatCount(calls) },
            {
              key: 'p50',
              title: 'p50',
              isNumber: true,
              render: (row) => (row.p50 === null ? '' : formatDuration(row.p50)),
            },
            {
              key: 'p95',
              title: 'p95',
              isNumber: true,
              render: (row) => (row.p95 === null ? '' : formatDuration(row.p95)),
            },
          ]}
        />
      </details>
    </section>
  );
}
