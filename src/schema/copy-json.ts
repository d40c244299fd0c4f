import { ErrInvalidSchema } from '../errors.js';
import type { JsonSchema, SchemaLimits, Trail } from './json-schema.js';
import { isSchema, toPath, toPointer } from './json-schema.js';

/**
 * Copies a schema that may come from anywhere: only JSON gets through, within the limits, every key as an
 * own property. The copy is deeply frozen; the original is neither changed nor kept.
 */
export function copySchema(schema: unknown, limits: SchemaLimits): JsonSchema {
  let size = 0;

  function grow(by: number): void {
    size += by;
    if (size > limits.size) {
      throw new ErrInvalidSchema(`The schema is larger than ${limits.size} characters.`, {
        hint: 'Make it smaller or raise limits.size.',
        details: { limit: 'size', max: limits.size },
      });
    }
  }

  function copy(value: unknown, trail: Trail, depth: number): unknown {
    grow(1);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      grow(value.length);
      return value;
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object' || !isPlain(value)) {
      throw new ErrInvalidSchema(`The schema holds something that is not JSON at ${toPointer(trail)}.`, {
        hint: 'Use only what JSON.stringify can write.',
        details: { path: toPath(trail) },
      });
    }
    if (depth >= limits.depth) {
      throw tooDeep(limits);
    }
    if (Array.isArray(value)) {
      return Object.freeze(
        Array.from(value, (item: unknown, index) => copy(item, { above: trail, key: index }, depth + 1)),
      );
    }
    const copied: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const entry = (value as Record<string, unknown>)[key];
      // As JSON.stringify does: authors write { maxLength: undefined } for "no limit".
      if (entry === undefined) continue;
      grow(key.length);
      const isLeaf = typeof entry === 'string' || typeof entry === 'boolean';
      if (isLeaf) grow(typeof entry === 'string' ? entry.length + 1 : 1);
      const part = isLeaf ? entry : copy(entry, { above: trail, key }, depth + 1);
      // Assigning to "__proto__" would set the prototype instead.
      if (key === '__proto__') Object.defineProperty(copied, key, { value: part, enumerable: true });
      else copied[key] = part;
    }
    return Object.freeze(copied);
  }

  const copied = copy(schema, undefined, 0);
  if (!isSchema(copied)) {
    throw new ErrInvalidSchema('A schema must be an object, true or false.', { details: { path: [] } });
  }
  return copied;
}

export function tooDeep(limits: SchemaLimits): ErrInvalidSchema {
  return new ErrInvalidSchema(
    `The schema, or a chain of its references, is more than ${limits.depth} levels deep.`,
    {
      hint: 'A schema that contains itself must do so through $ref below properties or items; limits.depth can be raised.',
      details: { limit: 'depth', max: limits.depth },
    },
  );
}

function isPlain(value: object): boolean {
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
