import type { Problem } from '../form/check-draft.js';
import { isRecord } from '../form/json.js';

type Fields = Readonly<Record<string, unknown>>;

/** Details of a failed call, as reported by the server. */
export interface ErrorReport {
  readonly code?: string | undefined;
  readonly message: string;
  readonly suggestions: readonly string[];
  /** Scopes that the caller needs. */
  readonly scopes: readonly string[];
  readonly retryAfterMs?: number | undefined;
  readonly problems: readonly Problem[];
  readonly details: Fields;
}

/** Parses the report of a result with `isError`. Servers other than Toolfold only send text. */
export function reportOf(result: Fields): ErrorReport | undefined {
  if (result['isError'] !== true) return undefined;
  const { _meta, content } = result;
  const found = isRecord(_meta) ? _meta['toolfold/error'] : undefined;
  const text = (Array.isArray(content) ? (content as unknown[]) : [])
    .map((block) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : ''))
    .filter((each) => each !== '')
    .join('\n');
  if (!isRecord(found)) return { message: text, suggestions: [], scopes: [], problems: [], details: {} };
  const details = isRecord(found['details']) ? found['details'] : {};
  const message = String(found['message'] ?? text);
  return {
    code: typeof found['code'] === 'string' ? found['code'] : undefined,
    message,
    // Omit suggestions that repeat the hint, because the hint is already the last sentence of the message.
    suggestions: texts(found['suggestions']).filter((each) => !message.endsWith(each)),
    ...factsOf(details),
  };
}

/** Reads the details that Toolfold sends as data of a protocol error. */
export function factsOf(
  details: Fields,
): Pick<ErrorReport, 'scopes' | 'retryAfterMs' | 'problems' | 'details'> {
  const { required, retryAfterMs, issues } = details;
  return {
    scopes: texts(required),
    retryAfterMs: typeof retryAfterMs === 'number' ? retryAfterMs : undefined,
    problems: Array.isArray(issues) ? (issues as unknown[]).flatMap(toProblem) : [],
    details,
  };
}

function toProblem(issue: unknown): readonly Problem[] {
  if (!isRecord(issue) || typeof issue['message'] !== 'string') return [];
  const path = Array.isArray(issue['path']) ? (issue['path'] as unknown[]) : [];
  return [
    { path: path.map((key) => (typeof key === 'number' ? key : String(key))), message: issue['message'] },
  ];
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}

/** Whether a stack helps to find a bug. Errors with their own class, such as Toolfold's, are thrown on purpose. */
export function isMistake(fault: string): boolean {
  return /^(?:Type|Reference|Range|Syntax)?Error\b/.test(fault);
}
