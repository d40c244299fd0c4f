import { createSurface } from './finding.js';
import type { Fault, Finding, LintRule, SearchedTool, Severity } from './finding.js';
import { showHidden } from './hidden-characters.js';
import type { LintSettings } from './lint-settings.js';
import { findViolations } from './profile-rules.js';
import type { ProfileName } from '@toolfold/profiles';
import { lintRules } from './rule-table.js';
import type { ListedTool } from '../target/opened-target.js';
import { runAtOnce } from '@toolfold/search/internal';
import type { Steps } from '../steps.js';

export interface LintOptions {
  readonly server?: string | undefined;
  readonly profiles: readonly ProfileName[];
  /** Whether the user named the profiles, so that all of their violations are errors. */
  readonly isChosen: boolean;
  /** Whether the server lowers its tools for each client, as it does by default. Default: false. */
  readonly isLowered?: boolean | undefined;
  readonly settings: LintSettings;
  /** The tools that the search finds, if the server uses the search form. */
  readonly searched?: readonly SearchedTool[] | undefined;
}

export interface LintResult {
  readonly findings: readonly Finding[];
  readonly ignored: number;
}

export function lintTools(tools: readonly ListedTool[], options: LintOptions): LintResult {
  return runAtOnce(lintInSteps(tools, options));
}

export function* lintInSteps(tools: readonly ListedTool[], options: LintOptions): Steps<LintResult> {
  const { server, profiles, isChosen, isLowered, settings, searched } = options;
  const surface = createSurface(tools, server, searched);
  const total = profiles.length + lintRules.length;
  const checking = findViolations(
    tools.map(({ tool }) => tool),
    { profiles, isChosen, isLowered, server },
  );
  let step = checking.next();
  for (; step.done !== true; step = checking.next()) yield (step.value * profiles.length) / total;
  const violations = step.value;
  const own: Finding[] = [];
  for (const [at, rule] of lintRules.entries()) {
    const share = (profiles.length + at) / total;
    yield share;
    if (settings.levelOf(rule.id) === 'off') continue;
    for (const fault of rule.check(surface)) {
      own.push(toFinding(rule, fault));
      yield share;
    }
  }
  yield 1;
  const found = mergeFindings(own, violations).flatMap((finding) => {
    const level = settings.levelOf(finding.rule);
    return level === 'off' ? [] : [level === undefined ? finding : { ...finding, severity: level }];
  });
  yield 1;
  const findings = found.filter((finding) => !settings.isIgnored(finding));
  return { findings: sortFindings(findings, tools), ignored: found.length - findings.length };
}

function toFinding(rule: LintRule, fault: Fault): Finding {
  const { id, severity, fix, source, date, isFixable = false } = rule;
  return {
    ...fault,
    reason: showHidden(fault.reason),
    rule: id,
    severity: fault.severity ?? severity,
    fix: fault.fix ?? fix,
    source,
    date,
    isFixable,
  };
}

/** Client rules that overlap with a rule of the linter, with the keyword that the client rule adds to its pointer. */
const sameFault: Readonly<Record<string, { readonly rules: readonly string[]; readonly keyword?: string }>> =
  {
    'field-type-missing': { rules: ['typed-schemas', 'strict-typed'] },
    'required-undefined': { rules: ['required-defined'], keyword: '/required' },
    'description-long': { rules: ['description-length-1024', 'description-length-2048'] },
    'schema-invalid': { rules: ['root-object'], keyword: '/type' },
  };

/** Merges two findings about the same fault. Keeps the finding of the client, because it names the clients, with the higher severity. */
function mergeFindings(own: readonly Finding[], violations: readonly Finding[]): Finding[] {
  const byPlace = new Map(
    violations.flatMap((finding) =>
      [finding, ...(finding.others ?? [])].map(
        ({ tool, pointer }) => [`${finding.rule} ${tool} ${pointer}`, finding] as const,
      ),
    ),
  );
  const raised = new Map<Finding, Severity>();
  const rest = own.filter(({ rule, severity, tool, pointer }) => {
    const { rules, keyword = '' } = sameFault[rule] ?? { rules: [] };
    const place = pointer.endsWith(keyword) ? pointer.slice(0, pointer.length - keyword.length) : pointer;
    const same = rules.flatMap((id) => byPlace.get(`${id} ${tool} ${place}`) ?? []);
    for (const finding of same)
      if (order[severity] < order[raised.get(finding) ?? finding.severity]) raised.set(finding, severity);
    return same.length === 0;
  });
  return [
    ...violations.map((finding) => ({ ...finding, severity: raised.get(finding) ?? finding.severity })),
    ...rest,
  ];
}

const order = { error: 0, warning: 1, note: 2 } as const;

/** Sorts findings: first those about the whole list, then by tool, the most severe first. */
function sortFindings(findings: readonly Finding[], tools: readonly ListedTool[]): Finding[] {
  const positions = new Map(tools.map(({ tool }, index) => [tool.name, index]));
  const positionOf = ({ tool }: Finding): number => positions.get(tool) ?? -1;
  return findings.toSorted(
    (one, two) => positionOf(one) - positionOf(two) || order[one.severity] - order[two.severity],
  );
}
