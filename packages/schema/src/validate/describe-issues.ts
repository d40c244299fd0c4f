import { ErrValidationFailed } from '../errors.js';
import { MAX_ISSUES, UNKNOWN_FIELD } from './schema-validator.js';
import type { SchemaIssue } from './schema-validator.js';
import { createEffort, nearestName, clip, listNames, didYouMean } from '../values/nearest-name.js';
import type { Effort } from '../values/nearest-name.js';

type Arguments = Readonly<Record<string, unknown>>;

/** Maximum number of issues in a message. */
export const MAX_SHOWN = 20;
/** Approximate length of all issues in a message, in characters. */
const MAX_TEXT = 4_000;
/** Maximum length of one issue, in characters. Longer texts of a library or author are cut. */
const MAX_MESSAGE = 500;

interface About {
  readonly address?: string | undefined;
  readonly fieldNames?: readonly string[];
  readonly input?: Arguments;
}

/** Creates the error for invalid arguments. It names the fields, their values and what is expected. */
export function validationFailed(
  found: readonly SchemaIssue[],
  { address, ...about }: About = {},
): ErrValidationFailed {
  const issues = found.slice(0, MAX_SHOWN).map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'string' ? clip(key) : key)),
    message: clip(message, MAX_MESSAGE),
  }));
  return new ErrValidationFailed(`Validation failed: ${describeIssues(found, about)}`, {
    details: { ...(address === undefined ? {} : { action: address }), issues },
  });
}

/** Writes the first issues as text, and the number of further ones. */
export function describeIssues(
  found: readonly SchemaIssue[],
  { fieldNames = [], input }: Omit<About, 'address'> = {},
): string {
  // All issues share one budget, because searching for a similar name can take milliseconds.
  const effort = createEffort();
  return joinProblems(
    found.slice(0, MAX_SHOWN).map((issue) => describeIssue(issue, fieldNames, input, effort)),
    found.length,
  );
}

/** Joins issues that are already text. */
export function joinProblems(problems: readonly string[], count = problems.length): string {
  const shown: string[] = [];
  let length = 0;
  for (const problem of problems.slice(0, MAX_SHOWN)) {
    length += problem.length;
    if (shown.length > 0 && length > MAX_TEXT) break;
    shown.push(problem);
  }
  const more = count - shown.length;
  if (more === 0) return shown.join('; ');
  // Validators stop after MAX_ISSUES issues, so there may be more.
  return `${shown.join('; ')}; and ${count < MAX_ISSUES ? more : `at least ${more}`} more`;
}

export function describeIssue(
  { path, message }: SchemaIssue,
  fieldNames: readonly string[] = [],
  input?: Arguments,
  effort = createEffort(),
): string {
  const text = clip(message, MAX_MESSAGE);
  if (path.length === 0) return text;
  const isUnknown = path.length === 1 && message === UNKNOWN_FIELD;
  const advice = isUnknown
    ? whatToSend(String(path[0]), fieldNames, effort)
    : whatWasSent(path, message, input);
  return `${clip(path.join('.'))}: ${text}${advice}`;
}

/** Returns the value that the caller sent, if it is short, not secret and not already in the message. */
function whatWasSent(path: SchemaIssue['path'], message: string, input: unknown): string {
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string | number, unknown>)[key];
  }
  // JSON.parse reads a number that is too large as Infinity, which schema libraries describe wrongly.
  if (value === Infinity || value === -Infinity)
    return message.includes('beyond') ? '' : ', but the number that was sent is beyond ±1.8e308';
  if (
    /received|, not |required/.test(message) ||
    path.some((key) => /pass|secret|token|key|auth/i.test(String(key)))
  )
    return '';
  const isShort =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 40);
  return isShort ? `, but ${JSON.stringify(value)} was sent` : '';
}

function whatToSend(field: string, fieldNames: readonly string[], effort: Effort): string {
  const nearest = effort.left > 0 ? nearestName(field, fieldNames, effort) : undefined;
  if (nearest !== undefined) return `.${didYouMean(nearest)}`;
  return fieldNames.length > 0
    ? `. Known fields: ${listNames(fieldNames.slice(0, 20))}`
    : '. No fields are allowed';
}
