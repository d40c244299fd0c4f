/** One check of the suite. `INFO` is an observation without a verdict. */
export interface Check {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string | undefined;
}

export interface Scenario {
  readonly name: string;
  /** `required`, or why the suite does not count it: `extension`, `pending`, `added-after-release`. */
  readonly scoring: string;
  readonly checks: readonly Check[];
}

/** The requirements of one MCP revision, and the results of a server. */
export interface RequirementSet {
  readonly revision: string;
  readonly scenarios: readonly Scenario[];
}

export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly skipped: number;
}

export function totalsOf(scenarios: readonly Scenario[]): Totals {
  const count = (status: Check['status']): number =>
    scenarios.flatMap(({ checks }) => checks).filter((check) => check.status === status).length;
  return {
    passed: count('SUCCESS'),
    failed: count('FAILURE'),
    warnings: count('WARNING'),
    skipped: count('SKIPPED'),
  };
}

/** A line for each check that did not pass. */
export function complaintsOf({ scenarios }: RequirementSet): string[] {
  return scenarios.flatMap(({ name, checks }) =>
    checks
      .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
      .map(
        ({ id, status, description, errorMessage }) =>
          `${status} ${name} ${id}: ${errorMessage ?? description}`,
      ),
  );
}

export function toLine({ passed, failed, warnings, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped`;
}

/** Renders `docs/reference/conformance.md`. */
export function toMarkdown(sets: readonly RequirementSet[], suiteVersion: string): string {
  const tables = sets.map(({ revision, scenarios }) => {
    const rows = scenarios.map(({ name, scoring, checks }) => {
      const { passed, failed, warnings, skipped } = totalsOf([{ name, scoring, checks }]);
      return `| ${name} | ${scoring} | ${passed} | ${failed} | ${warnings} | ${skipped} |`;
    });
    return `## ${revision}

${toLine(totalsOf(scenarios))}

| scenario | counted as | passed | failed | warnings | skipped |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
  });
  return `# Conformance

These are the results of the official suite, \`@modelcontextprotocol/conformance\` ${suiteVersion}, against the server in
\`examples/everything/\`, with the requirements of both eras. \`npm run conformance\` runs it;
\`npm run conformance -- --write\` writes this page, and a test compares the two.

The column "counted as" is taken from the suite: it runs scenarios that are not \`required\`, but does not count them.
\`tasks-status-notifications\` is skipped for every server, because the suite has no check for it yet.

${tables.join('\n')}`;
}
