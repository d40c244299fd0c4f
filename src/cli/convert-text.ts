import { nearestName } from '../compile/nearest-name.js';
import { isJsonObject } from '../schema/json-schema.js';
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
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (Number.isSafeInteger(value) || (types.has('number') && Number.isFinite(value))) return { value };
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
  return { problem: `must be ${describeShape(shape)}, not "${clip(text)}"` };
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
