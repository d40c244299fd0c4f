import { toLine } from 'toolfold/internal';
import { addressOf } from '@toolfold/analysis/internal';
import type { Finding, Severity } from '@toolfold/analysis';
import { count } from '../../terminal/count.js';

export interface LintReport {
  readonly source: string;
  readonly tools: number;
  readonly actions: number;
  readonly profiles: readonly string[];
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<Severity, number>>;
  /** Number of findings that the configuration suppressed. */
  readonly ignored: number;
  readonly fixed: number;
}

const colours = { error: 31, warning: 33, note: 36 } as const;
const MAX_REASON = 600;

export function writeText(report: LintReport, isColoured: boolean): string {
  const paint = (text: string, code: number): string =>
    isColoured ? `\u001b[${code}m${text}\u001b[0m` : text;
  const groups = new Map<string, Finding[]>();
  for (const finding of report.findings) {
    const title = finding.tool === '' ? 'whole list' : addressOf(finding);
    const known = groups.get(title);
    if (known) known.push(finding);
    else groups.set(title, [finding]);
  }
  const sections = [...groups].map(([title, findings]) =>
    [
      paint(toLine(title, 200), 1),
      ...findings.map(({ severity, rule, pointer, reason, fix, source, date }) =>
        [
          `  ${paint(severity.padEnd(7), colours[severity])} ${paint(rule, 1)}${pointer === '' ? '' : `  ${toLine(pointer, 200)}`}`,
          `    ${toLine(reason, MAX_REASON)}`,
          `    Fix: ${toLine(fix, MAX_REASON)}`,
          paint(`    Source: ${source}${date === '' ? '' : `, ${date}`}`, 2),
        ].join('\n'),
      ),
    ].join('\n'),
  );
  return [...sections, writeSummary(report)].join('\n\n');
}

export function writeSummary({
  source,
  tools,
  actions,
  findings,
  counts,
  ignored,
  fixed,
}: LintReport): string {
  const parts = [
    [counts.error, 'error'],
    [counts.warning, 'warning'],
    [counts.note, 'note'],
  ] as const;
  const found =
    findings.length === 0
      ? 'no findings'
      : parts
          .filter(([number]) => number > 0)
          .map(([number, noun]) => count(number, noun))
          .join(', ');
  const what =
    actions > tools ? `${count(tools, 'tool')} with ${count(actions, 'action')}` : count(tools, 'tool');
  const more = [
    ...(fixed > 0 ? [`${fixed} fixed`] : []),
    ...(ignored > 0 ? [`${ignored} ignored by configuration`] : []),
  ];
  return `${toLine(source, 200)}: ${what}, ${[found, ...more].join(', ')}`;
}
