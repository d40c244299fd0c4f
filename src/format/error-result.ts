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

const MAX_SUGGESTIONS = 50;

/** Details go out as JSON; what JSON cannot say stays here. */
function toJsonSafe(details: Record<string, unknown>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(details)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The one place where an error becomes an answer. */
export function toErrorResult(thrown: unknown, address?: string): CallToolResult {
  const failure = toFailure(thrown, address);
  const { suggestions, ...details } = failure.details;
  const report: ErrorReport = {
    code: failure.code,
    message: failure.message,
    userMessage: failure.message,
    suggestions: Array.isArray(suggestions) ? (suggestions as string[]).slice(0, MAX_SUGGESTIONS) : [],
    details: toJsonSafe(details),
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
  const message = messageOf(thrown);
  const prefix = address === undefined ? '' : `[${address}] `;
  return new ErrToolFailed(`${prefix}${message}`, {
    cause: thrown,
    details: thrown instanceof ToolfoldError ? { ...thrown.details, cause: thrown.code } : {},
  });
}

/** What was thrown may be anything, even something that cannot be made text. */
function messageOf(thrown: unknown): string {
  try {
    if (typeof thrown === 'object' && thrown !== null && 'message' in thrown) return String(thrown.message);
    return String(thrown);
  } catch {
    return 'something that has no message was thrown';
  }
}
