import type { TestReport } from '../src/test/test-report.js';

/** The output of `toolfold test --json`. */
export type Report = TestReport;

/** The check of an action that failed. */
export function failureOf(
  { operations }: Report,
  address: string,
): Report['operations'][number]['checks'][number] | undefined {
  return operations.find((each) => each.address === address)?.checks.find(({ failure }) => failure);
}
