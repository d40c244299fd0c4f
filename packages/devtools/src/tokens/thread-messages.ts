import type { CostParts, CountedTool } from '@toolfold/analysis/internal';

/** Counts a list of tools, or ends a counter. */
export type ThreadRequest =
  | {
      /** Matches answers to requests. */
      readonly id: number;
      /** Id of a counter. It counts equal texts once, and estimates after ten million tokens. */
      readonly counter: number;
      readonly method: 'count' | 'split';
      readonly tools: readonly CountedTool[];
    }
  | { readonly closed: number };

export type ThreadAnswer = { readonly id: number } & (
  | { readonly values: readonly number[] | readonly CostParts[]; readonly isExact: boolean }
  | { readonly error: string }
);
