import uPlot from 'uplot';
// oxlint-disable-next-line import/no-unassigned-import -- The styles of the chart belong to its chunk.
import 'uplot/dist/uPlot.min.css';
import { readColour } from '../../theme.js';
import { topOf } from './figures.js';

export type Values = readonly (number | null)[];

export interface ChartLine {
  readonly colour: `--${string}`;
  readonly isFilled?: boolean | undefined;
}

export interface Chart {
  /** Shows the values of each line: the last 60 seconds, the oldest first. */
  draw(lines: readonly Values[]): void;
  resize(width: number): void;
  destroy(): void;
}

const SECONDS = 60;
const seconds = Array.from({ length: SECONDS }, (_, at) => at - SECONDS + 1);

/** Draws lines over the last minute on a canvas, in the colours of the current theme. The axis reaches to `least` or higher. */
export function drawChart(
  element: HTMLElement,
  lines: readonly ChartLine[],
  formatValue: (value: number) => string,
  least: number,
): Chart {
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = { stroke: readColour('--text-faint'), font, ticks: { show: false } };
  const plot = new uPlot(
    {
      width: Math.max(element.clientWidth, 50),
      height: element.clientHeight,
      legend: { show: false },
      cursor: { show: false },
      padding: [6, 14, 0, 0],
      scales: {
        x: { time: false, range: [-SECONDS + 1, 0] },
        y: { range: (_plot, _bottom, most) => [0, topOf(Math.max(most, least))] },
      },
      axes: [
        {
          ...axis,
          size: 22,
          gap: 4,
          grid: { show: false },
          splits: () => [-59, -45, -30, -15, 0],
          values: (_plot, splits) => splits.map((at) => (at === 0 ? 'now' : `${-at} s`)),
        },
        {
          ...axis,
          size: 54,
          gap: 6,
          grid: { stroke: readColour('--chart-grid'), width: 1 },
          splits: (_plot, _axis, _bottom, top) => [0, top / 2, top],
          values: (_plot, splits) => splits.map(formatValue),
        },
      ],
      series: [
        {},
        ...lines.map(({ colour, isFilled }, at) => ({
          stroke: readColour(colour),
          width: 1.5,
          points: { show: true, size: 9 - 3 * at, fill: readColour(colour), filter: showLonely },
          ...(isFilled === true ? { fill: `${readColour(colour)}2e` } : {}),
        })),
      ],
    },
    [seconds, ...lines.map(() => seconds.map(() => null))],
    element,
  );
  return {
    draw: (values) => plot.setData([seconds, ...values.map((each) => [...each])]),
    resize: (width) => plot.setSize({ width: Math.max(width, 50), height: element.clientHeight }),
    destroy: () => plot.destroy(),
  };
}

/** Returns the points without neighbours, because lines do not show them. */
function showLonely(plot: uPlot, series: number, show: boolean): number[] | null {
  const values = plot.data[series];
  if (!values || !show) return null;
  const found: number[] = [];
  for (let at = 0; at < values.length; at++)
    if (isPoint(values[at]) && !isPoint(values[at - 1]) && !isPoint(values[at + 1])) found.push(at);
  return found;
}

function isPoint(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
