import { ErrToolFailed, ToolfoldError } from '../errors.js';
import type { CallToolResult } from './tool-result.js';

/** What `_meta['toolfold/error']` of a failed call holds, for programs. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  /** What may be shown to a person. */
  readonly userMessage: string;
  readonly suggestions: readonly string[];
  readonly details: Readonly<Record<string, unknown>>;
}

/** The one place where an error becomes an answer. */
export function toErrorResult(thrown: unknown, address?: string): CallToolResult {
  const failure = toFailure(thrown, address);
  const { suggestions, ...details } = failure.details;
  const report: ErrorReport = {
    code: failure.code,
    message: failure.message,
    userMessage: failure.message,
    suggestions: Array.isArray(suggestions) ? (suggestions as string[]) : [],
    details,
  };
  return {
    content: [{ type: 'text', text: failure.message }],
    isError: true,
    _meta: { 'toolfold/error': report },
  };
}

/** Errors of the pipeline speak for themselves; anything a handler throws is marked with where it came from. */
function toFailure(thrown: unknown, address: string | undefined): ToolfoldError {
  if (thrown instanceof ToolfoldError && thrown.audience !== 'author') return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const prefix = address === undefined ? '' : `[${address}] `;
  return new ErrToolFailed(`${prefix}${message}`, {
    cause: thrown,
    details: thrown instanceof ToolfoldError ? { ...thrown.details, cause: thrown.code } : {},
  });
}
