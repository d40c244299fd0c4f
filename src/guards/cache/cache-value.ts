import { ErrInvalidResult } from '../../errors.js';
import { isPlainObject } from '../../values/json-value.js';

/**
 * The JSON text of a value that comes back from it as it was. Anything else is refused, since the first caller
 * would see another value than the second. As in all JSON, a field that is `undefined` is a field that is not
 * there. `undefined` itself has no text.
 */
export function toJsonText(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  try {
    return JSON.stringify(value, assertJson);
  } catch (error) {
    if (error instanceof ErrInvalidResult) throw error;
    throw new ErrInvalidResult('A value for the cache cannot be written as JSON.', {
      hint: 'It may contain itself.',
      cause: error,
    });
  }
}

export function fromJsonText(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text);
}

/** A replacer that replaces nothing. It is handed what toJSON() made of a part, and looks at the part itself. */
function assertJson(this: unknown, key: string, written: unknown): unknown {
  const part = (this as Record<string, unknown>)[key];
  const wrong = findFault(part, Array.isArray(this)) ?? findFault(written, false);
  if (wrong === undefined) return written;
  const place = key === '' ? '' : ` at "${key}"`;
  throw new ErrInvalidResult(`A value for the cache holds ${wrong}${place}, which JSON cannot say.`, {
    hint: 'Return plain data from the loader, such as a date as a text.',
    details: { key },
  });
}

function findFault(part: unknown, isItem: boolean): string | undefined {
  switch (typeof part) {
    case 'number':
      return Number.isFinite(part) ? undefined : String(part);
    case 'undefined':
      return isItem ? 'undefined in a list' : undefined;
    case 'bigint':
    case 'function':
    case 'symbol':
      return `a ${typeof part}`;
    case 'object':
      return part === null || isJsonObject(part) ? undefined : 'an instance of a class';
    default:
      return undefined;
  }
}

function isJsonObject(value: object): boolean {
  const hasOwnForm = 'toJSON' in value && typeof value.toJSON === 'function';
  return !hasOwnForm && (Array.isArray(value) || isPlainObject(value));
}
