/** A compiled pattern, which matches anywhere in a text. */
export interface Pattern {
  /** Approximate memory use, in instructions. */
  readonly size: number;
  test(text: string): boolean;
  /** Ajv identifies patterns by this text. */
  toString(): string;
}

/** Creates a pattern that runs on `RegExp`. Matching may take exponential time. */
export function fromRegExp(source: string): Pattern {
  const expression = new RegExp(source, 'u');
  return { size: 1, test: (text) => expression.test(text), toString: () => String(expression) };
}

/** Thrown if the patterns of one validation take too many steps. */
export class PatternTooSlow extends Error {}

/** Maximum steps of linear patterns in one validation: about 10 ms, or 50 ms for text without ASCII. */
const MAX_STEPS = 1_000_000;
export const patternSteps = { left: MAX_STEPS };

/** Resets the step budget at the start of a validation. */
export function renewPatternSteps(): void {
  patternSteps.left = MAX_STEPS;
}
