import { ErrInvalidSchema } from '../errors.js';
import { toPath } from '../visit/json-pointer.js';
import type { Trail } from '../visit/json-pointer.js';

/** The key that marks a type which JSON Schema cannot express, in converted schemas. */
export const MARK = 'x-toolfold-unrepresentable';

const advice: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ['__proto__']: 'Schema libraries drop that name: use another, or write this schema as JSON Schema.',
    bigint: 'Take an integer, or a string of digits.',
    custom: 'Start from a schema that says what the value looks like and refine that.',
    date: 'Take an ISO 8601 string (zod: z.iso.datetime()) and make it a Date in the handler or in a transform.',
    file: 'Take the content as base64 text.',
    map: 'Use a record.',
    set: 'Use an array.',
    transform: 'Follow the transform with a schema for its result (zod: .pipe()).',
    undefined: 'Make the field optional instead.',
    void: 'Make the field optional instead.',
  }),
);

/** Creates the error for a field whose type JSON Schema cannot express. */
export function unrepresentable(
  kind: string,
  path: readonly (string | number)[],
  cause?: unknown,
): ErrInvalidSchema {
  const field = fieldName(kind === '__proto__' ? [...path, 'properties', kind] : path);
  const problem =
    kind === '__proto__'
      ? `The field "${field}" would be lost.`
      : `${field ? `The field "${field}"` : 'The schema'} has the type "${kind}", which JSON Schema cannot express.`;
  return new ErrInvalidSchema(problem, {
    hint: advice.get(kind) ?? 'Use a type that JSON can express.',
    details: { field, kind },
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Throws for the first mark in a converted schema. */
export function assertNoMarks(schema: unknown, trail?: Trail): void {
  if (typeof schema !== 'object' || schema === null) return;
  if (Object.hasOwn(schema, MARK))
    throw unrepresentable(String((schema as Record<string, unknown>)[MARK]), toPath(trail));
  for (const key of Object.keys(schema)) {
    const value = (schema as Record<string, unknown>)[key];
    if (typeof value === 'object' && value !== null) assertNoMarks(value, { above: trail, key });
  }
}

/** Turns a path in a JSON Schema into the field name that the author knows, such as `filter.tags[]`. */
export function fieldName(path: readonly (string | number)[]): string {
  let name = '';
  for (let index = 0; index < path.length; index++) {
    const part = path[index];
    const next = path[index + 1];
    if ((part === 'properties' || part === '$defs' || part === 'definitions') && next !== undefined) {
      name += name ? `.${next}` : String(next);
      index++;
    } else if (part === 'items' || part === 'prefixItems') name += '[]';
    else if (part === 'additionalProperties') name += '{}';
  }
  return name;
}
