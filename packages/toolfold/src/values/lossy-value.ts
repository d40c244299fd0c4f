import { ErrInvalidResult } from '@toolfold/schema/errors';
import { clip, describeValue, isPromise } from '@toolfold/schema/internal';

/** Parts below this depth are not named, so that the search cannot exhaust the stack. */
const MAX_DEPTH = 1_000;

/** Whether JSON.stringify would write {} for an instance of a class. */
export function isLostInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null || 'toJSON' in value) return false;
  return (
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Error ||
    ArrayBuffer.isView(value) ||
    Symbol.iterator in value ||
    'then' in value ||
    isResponse(value)
  );
}

function isResponse(value: unknown): boolean {
  return typeof Response === 'function' && value instanceof Response;
}

/** A part of a value that JSON cannot express, and the keys that lead to it. */
interface LossyPart {
  readonly path: readonly string[];
  readonly part: unknown;
  readonly isCircular?: boolean;
}

/** Creates the error for a value that JSON cannot express. It names the part at fault and what to write instead. */
export function inexpressible(value: unknown, cause?: unknown): ErrInvalidResult {
  const found = typeof value === 'object' ? findLossy(value, [], new Set()) : { path: [], part: value };
  if (!found || value === undefined)
    return new ErrInvalidResult('The handler returned a value that JSON cannot express.', {
      hint: 'Return text, JSON, content blocks or a result.',
      cause,
    });
  const { path, part, isCircular = false } = found;
  const place = path.length === 0 ? '' : ` at "${clip(path.join('.'), 80)}"`;
  const given = isCircular ? 'an object that contains itself' : describeValue(part);
  return new ErrInvalidResult(`The handler returned ${given}${place}, which JSON cannot express.`, {
    hint: isCircular ? 'Return only the fields that the model needs.' : adviseOn(part, path.at(-1)),
    cause,
  });
}

/** Creates the error for a promise inside a value; `undefined` if there is none. */
export function nestedPromise(value: unknown): ErrInvalidResult | undefined {
  const found = typeof value === 'object' ? findLossy(value, [], new Set()) : undefined;
  return found && isPromise(found.part) ? inexpressible(value) : undefined;
}

function findLossy(value: unknown, path: readonly string[], parents: Set<object>): LossyPart | undefined {
  if (typeof value === 'bigint' || (typeof value === 'number' && !Number.isFinite(value)))
    return { path, part: value };
  if (typeof value !== 'object' || value === null || path.length > MAX_DEPTH) return undefined;
  if (parents.has(value)) return { path, part: value, isCircular: true };
  if (!Array.isArray(value) && isLostInstance(value)) return { path, part: value };
  if ('toJSON' in value) return undefined;
  parents.add(value);
  for (const [key, part] of Object.entries(value)) {
    const found = findLossy(part, [...path, key], parents);
    if (found) return found;
  }
  parents.delete(value);
  return undefined;
}

function adviseOn(part: unknown, key: string | undefined): string {
  if (isPromise(part)) {
    if (key !== undefined && /^\d+$/.test(key)) return 'Write await Promise.all(…) around the list.';
    return `Write ${key === undefined ? '' : `${key}: `}await ….`;
  }
  if (part instanceof Map) return 'Write Object.fromEntries(map).';
  if (part instanceof Error) return 'Throw it, or return error(message).';
  if (part instanceof Set) return 'Write [...set].';
  if (typeof part === 'bigint') return 'Write String(…).';
  if (typeof part === 'number') return 'Write null or text instead.';
  if (typeof part === 'function') return 'Call it, and return its result.';
  if (isResponse(part)) return 'Write await response.json() or await response.text().';
  return 'Return text, JSON, content blocks or a result.';
}
