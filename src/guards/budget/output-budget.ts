import { ErrInvalidModel, ErrOutputTooLarge } from '../../errors.js';
import { cutResult } from './cut-result.js';
import { adviseNarrowing } from './describe-cuts.js';
import { leaveOut } from './leave-out.js';
import { isBinary, loadOf, loadOfContent } from './output-load.js';
import type { CallToolResult } from '../../protocol/tool-result.js';

/** How much a result may take; where both are given, both hold. */
export interface OutputBudget {
  /** Bytes of UTF-8. */
  readonly bytes?: number;
  /** Tokens as `countTokens` counts them. */
  readonly tokens?: number;
  /**
   * How many tokens a text takes. By default estimated: 4 letters or 3 digits are one, other signs half of
   * one, and what UTF-8 writes in two bytes half of one, in three one, in four two.
   */
  readonly countTokens?: (text: string) => number;
}

export interface FitResultOptions {
  /** Whether the output schema takes a structured content; by default it takes any. */
  readonly accepts?: (value: unknown) => boolean;
  /** How data was written as text where that is not JSON. */
  readonly write?: (value: unknown) => string;
  /** What a text was written from, where there is no structured content: then the text is cut as data. */
  readonly data?: unknown;
  /** The fields of the action; those that narrow a call are named to the model. */
  readonly fieldNames?: readonly string[];
}

/** Refuses a budget that is no budget. */
export function assertBudget(budget: OutputBudget, where: string): void {
  for (const field of ['bytes', 'tokens'] as const) {
    const limit = budget[field];
    if (limit === undefined || (Number.isSafeInteger(limit) && limit >= 1)) continue;
    throw new ErrInvalidModel(`${where}.${field} must be a whole number of at least 1.`, {
      details: { field: `${where}.${field}` },
    });
  }
  if (budget.countTokens !== undefined && typeof budget.countTokens !== 'function') {
    throw new ErrInvalidModel(`${where}.countTokens must be a function.`, {
      details: { field: `${where}.countTokens` },
    });
  }
  if (budget.bytes === undefined && budget.tokens === undefined) {
    throw new ErrInvalidModel(`${where} must have bytes or tokens.`, { details: { field: where } });
  }
}

/**
 * A result within its budget: itself, the same object, or a copy that is cut, says so in a last text block
 * and lists its cuts in `_meta['toolfold/cut']`.
 *
 * Clients show the model the content, the structured content or both, so each must fit on its own: the larger
 * of the two counts. Of the content, texts count as they are. Images, audio and blobs count as the bytes of
 * their base64 and as a flat number of tokens. The paths of cuts lead into the structured content or the only
 * block; otherwise they begin with `content` and the place of the block.
 */
export function fitResult(
  result: CallToolResult,
  budget: OutputBudget,
  options: FitResultOptions = {},
): CallToolResult {
  return boundDepth(() => {
    const data = result.structuredContent === undefined ? '' : JSON.stringify(result.structuredContent);
    const load = Math.max(loadOfContent(budget, result.content), loadOf(budget, [data]));
    if (load <= 1) return result;
    const fitted =
      cutResult(result, budget, options, leaveOut(result.content, budget)) ??
      cutResult(result, budget, options, new Set(result.content.filter(isBinary)));
    if (!fitted) throw tooLarge(budget, load, options.fieldNames);
    return fitted;
  });
}

function tooLarge(
  { bytes, tokens }: OutputBudget,
  load: number,
  fieldNames: readonly string[] = [],
): ErrOutputTooLarge {
  const limits = [
    ...(bytes === undefined ? [] : [`${bytes} bytes`]),
    ...(tokens === undefined ? [] : [`${tokens} tokens`]),
  ];
  const times = load > 1 ? ` by a factor of ${load.toFixed(load < 10 ? 2 : 0)}` : '';
  return new ErrOutputTooLarge(
    `The result is above the output limit of ${limits.join(' and ')}${times} and cannot be shortened.`,
    {
      hint: `Narrow the call (${adviseNarrowing(fieldNames)}), or have the limit raised.`,
      details: {
        ...(bytes === undefined ? {} : { bytes }),
        ...(tokens === undefined ? {} : { tokens }),
        load,
      },
    },
  );
}

/** Makes a value that nests deeper than the stack an answer instead of a crash. */
function boundDepth<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError && error.message.includes('call stack'))) throw error;
    throw new ErrOutputTooLarge('The result is nested too deeply to be written.', {
      hint: 'Narrow the call, so that it answers with fewer levels.',
      cause: error,
    });
  }
}
