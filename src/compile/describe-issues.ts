import { ErrValidationFailed } from '../errors.js';
import type { SchemaIssue } from '../schema/validation-result.js';
import { UNKNOWN_FIELD } from './input-validator.js';
import { nearestName } from './nearest-name.js';

type Arguments = Readonly<Record<string, unknown>>;

/** No message names more than so many things. */
export const MAX_LISTED = 50;

/** The error for arguments that do not fit: every field, what was sent, what is expected. */
export function validationFailed(
  found: readonly SchemaIssue[],
  {
    address,
    fieldNames = [],
    input,
  }: { address?: string | undefined; fieldNames?: readonly string[]; input?: Arguments } = {},
): ErrValidationFailed {
  const issues = found.slice(0, MAX_LISTED);
  const shown = issues.map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'string' ? clip(key) : key)),
    message,
  }));
  return new ErrValidationFailed(
    `Validation failed: ${issues.map((issue) => describeIssue(issue, fieldNames, input)).join('; ')}`,
    { details: { ...(address === undefined ? {} : { action: address }), issues: shown } },
  );
}

export function describeIssue(
  { path, message }: SchemaIssue,
  fieldNames: readonly string[] = [],
  input?: Arguments,
): string {
  if (path.length === 0) return message;
  const isUnknown = path.length === 1 && message === UNKNOWN_FIELD;
  const advice = isUnknown ? whatToSend(String(path[0]), fieldNames) : whatWasSent(path, message, input);
  return `${clip(path.join('.'))}: ${message}${advice}`;
}

/** Short values that are no secrets, where the message does not say already. */
function whatWasSent(path: SchemaIssue['path'], message: string, input: unknown): string {
  if (
    /received|, not |required/.test(message) ||
    path.some((key) => /pass|secret|token|key|auth/i.test(String(key)))
  )
    return '';
  let value = input;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return '';
    value = (value as Record<string | number, unknown>)[key];
  }
  const isShort =
    typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= 40);
  return isShort ? `, but ${JSON.stringify(value)} was sent` : '';
}

function whatToSend(field: string, fieldNames: readonly string[]): string {
  const nearest = nearestName(field, fieldNames);
  if (nearest !== undefined) return `.${didYouMean(nearest)}`;
  return fieldNames.length > 0 ? `. Known: ${listNames(fieldNames.slice(0, 20))}` : '. There are none';
}

/** A name as it was written, in a length that can be shown. */
export function clip(name: string): string {
  return name.length > 128 ? `${name.slice(0, 128)}…` : name;
}

export function listNames(names: Iterable<string>): string {
  const all = [...names];
  if (all.length <= MAX_LISTED) return all.join(', ');
  return `${all.slice(0, MAX_LISTED).join(', ')} and ${all.length - MAX_LISTED} more`;
}

export function didYouMean(name: string | undefined): string {
  return name === undefined ? '' : ` Did you mean "${name}"?`;
}
