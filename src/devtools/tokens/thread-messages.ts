import type { CostParts, CountedTool } from '../../analysis/tokens/tool-cost.js';

/** A list of tools to count, or the end of a counter. */
export type ThreadRequest =
  | {
      /** Answers have the same number. */
      readonly id: number;
      /** Each counter counts equal texts once, and estimates texts after ten million tokens. */
      readonly counter: number;
      readonly method: 'count' | 'split';
      readonly tools: readonly CountedTool[];
    }
  | { readonly closed: number };

export type ThreadAnswer = { readonly id: number } & (
  | { readonly values: readonly number[] | readonly CostParts[]; readonly isExact: boolean }
  | { readonly error: string }
);
