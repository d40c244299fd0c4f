import type { Evaluation } from './evaluate.js';

export interface Minimums {
  readonly first?: number | undefined;
  readonly five?: number | undefined;
}

/** The report of `toolfold search eval`, as `--json` prints it. */
export interface EvaluationReport extends Evaluation {
  readonly source: string;
  readonly file: string;
  readonly tools: number;
  readonly questions: number;
  readonly minimums: Minimums;
  /** Whether a minimum is not reached, or an address is unknown. */
  readonly isFailed: boolean;
}

export function isBelow({ first, five }: Evaluation, minimums: Minimums): boolean {
  return isLess(first?.found, first?.of, minimums.first) || isLess(five?.found, five?.of, minimums.five);
}

/** Compares the exact share, because a rounded one could pass. */
export function isLess(
  found: number | undefined,
  of: number | undefined,
  minimum: number | undefined,
): boolean {
  return found !== undefined && of !== undefined && minimum !== undefined && found * 100 < minimum * of;
}
