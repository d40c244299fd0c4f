/** Tells whether a text matches, wherever in it. */
export interface Pattern {
  /** Roughly how much memory it takes, in instructions. */
  readonly size: number;
  test(text: string): boolean;
  /** Ajv tells patterns apart by this. */
  toString(): string;
}

/** A pattern that `RegExp` matches, in a time that depends on the pattern. */
export function fromRegExp(source: string): Pattern {
  const expression = new RegExp(source, 'u');
  return { size: 1, test: (text) => expression.test(text), toString: () => String(expression) };
}

/** Thrown where the patterns of one validation take too many steps. */
export class PatternTooSlow extends Error {}

/** Steps that linear patterns may take in one validation: 10 ms, or 50 ms where no character is ASCII. */
const MAX_STEPS = 1_000_000;
export const patternSteps = { left: MAX_STEPS };

/** Begins a validation. */
export function renewPatternSteps(): void {
  patternSteps.left = MAX_STEPS;
}
