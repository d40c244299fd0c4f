import { createSurface } from './finding.js';
import type { Fault, Finding, LintRule, SearchedTool, Severity } from './finding.js';
import { showHidden } from './hidden-characters.js';
import type { LintSettings } from './lint-settings.js';
import { findViolations } from './profile-rules.js';
import type { ProfileName } from '../../profiles/profile.js';
import { lintRules } from './rule-table.js';
import type { ListedTool } from '../target/opened-target.js';
import { runAtOnce } from '../steps.js';
import type { Steps } from '../steps.js';

export interface LintOptions {
  /** The name of the server, if it is known. */
  readonly server?: string | undefined;
  /** The clients whose rules are checked. */
  readonly profiles: readonly ProfileName[];
  /** Whether the user chose the profiles. */
  readonly isChosen: boolean;
  readonly settings: LintSettings;
  /** The tools that the search finds, if the server has the search form. */
  readonly searched?: readonly SearchedTool[] | undefined;
}

/** The findings of a list. */
export interface LintResult {
  readonly findings: readonly Finding[];
  /** Number of findings that the configuration ignores. */
  readonly ignored: number;
}

/** Checks tools against all rules that are not switched off. */
export function lintTools(tools: readonly ListedTool[], options: LintOptions): LintResult {
  return runAtOnce(lintInSteps(tools, options));
}

/** Does the same in steps, one for each client, rule and fault. */
export function* lintInSteps(tools: readonly ListedTool[], options: LintOptions): Steps<LintResult> {
  const { server, profiles, isChosen, settings, searched } = options;
  const surface = createSurface(tools, server, searched);
  const total = profiles.length + lintRules.length;
  const checking = findViolations(
    tools.map(({ tool }) => tool),
    { profiles, isChosen, server },
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

/** Rules of clients that say the same as a rule of the linter, and the keyword that its place has in addition. */
const sameFault: Readonly<Record<string, { readonly rules: readonly string[]; readonly keyword?: string }>> =
  {
    'field-type-missing': { rules: ['typed-schemas', 'strict-typed'] },
    'required-undefined': { rules: ['required-defined'], keyword: '/required' },
    'description-long': { rules: ['description-length-1024', 'description-length-2048'] },
    'schema-invalid': { rules: ['root-object'], keyword: '/type' },
  };

/**
 * Merges findings about the same fault: the finding of a client stays, because it names the clients, with the higher of
 * the two severities.
 */
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

/** Findings of the whole list come first, then those of each tool, the most severe first. */
function sortFindings(findings: readonly Finding[], tools: readonly ListedTool[]): Finding[] {
  const positions = new Map(tools.map(({ tool }, index) => [tool.name, index]));
  const positionOf = ({ tool }: Finding): number => positions.get(tool) ?? -1;
  return findings.toSorted(
    (one, two) => positionOf(one) - positionOf(two) || order[one.severity] - order[two.severity],
  );
}
