import { nearestName } from '../../values/nearest-name.js';
import { isJsonObject } from '../../values/json-value.js';
import { describeShape } from './field-schema.js';
import type { FieldShape } from './field-schema.js';

export type Converted = { readonly value: unknown } | { readonly problem: string };

/** The value that a text stands for in a field: of the types that it may have, the narrowest that fits. */
export function convertText(text: string, shape: FieldShape): Converted {
  const { types, values } = shape;
  if (values) {
    const found = values.find(
      (value) => (typeof value === 'string' ? value : JSON.stringify(value)) === text,
    );
    if (found !== undefined) return { value: found };
    const nearest = nearestName(
      text,
      values.filter((value) => typeof value === 'string'),
    );
    return {
      problem: `must be ${describeShape(shape)}${nearest === undefined ? '' : `. Did you mean "${nearest}"?`}`,
    };
  }
  if (types.size === 0) return { value: text };
  if (types.has('null') && text === 'null') return { value: null };
  if (types.has('boolean') && (text === 'true' || text === 'false')) return { value: text === 'true' };
  if (types.has('integer') || types.has('number')) {
    const value = toNumber(text, types);
    if (value !== undefined) return { value };
  }
  if (types.has('array') && text.trimStart().startsWith('[')) {
    const value = parseJson(text);
    if (Array.isArray(value)) return { value };
  }
  if (types.has('object') && text.trimStart().startsWith('{')) {
    const value = parseJson(text);
    if (isJsonObject(value)) return { value };
  }
  if (types.has('string')) return { value: text };
  const isLarge = (types.has('number') || types.has('integer')) && /^[+-]?\d+$/.test(text.trim());
  const hint = isLarge ? ', which is too large to be exact' : '';
  return { problem: `must be ${describeShape(shape)}, not "${clip(text)}"${hint}` };
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A number that loses nothing of what was written. Where text may stand too, `007` and `1.10` are text. */
function toNumber(text: string, types: ReadonlySet<string>): number | undefined {
  const written = text.trim();
  if (!decimal.test(written)) return undefined;
  const value = Number(written);
  const isWhole = Number.isInteger(value);
  if (isWhole ? !Number.isSafeInteger(value) && !/[.e]/i.test(written) : !types.has('number'))
    return undefined;
  if (!Number.isFinite(value) || (!types.has('number') && !Number.isSafeInteger(value))) return undefined;
  return types.has('string') && String(value) !== text ? undefined : value;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
