import { ErrInvalidSchema } from '../errors.js';
import type { Trail } from '../visit/json-pointer.js';
import type { JsonSchema, SchemaLimits } from '../values/json-schema.js';
import { toPath, toPointer } from '../visit/json-pointer.js';
import { isSchema } from '../values/json-schema.js';
import { isJsonObject, isPlainObject } from '../values/json-value.js';

/**
 * Copies an untrusted schema. Only JSON within the limits is accepted, and every key becomes an own property. The copy is deeply
 * frozen; the original is neither changed nor kept.
 */
export function copySchema(schema: unknown, limits: SchemaLimits): JsonSchema {
  return secure(schema, limits, false);
}

/** Like `copySchema` for a schema that no other code holds: it is frozen in place instead of copied. */
export function adoptSchema(schema: unknown, limits: SchemaLimits): JsonSchema {
  // The spread drops non-enumerable properties of the root.
  return secure(isJsonObject(schema) ? { ...schema } : schema, limits, true);
}

function secure(schema: unknown, limits: SchemaLimits, isOwned: boolean): JsonSchema {
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

  function take(value: unknown, trail: Trail, depth: number): unknown {
    grow(1);
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') {
      grow(value.length);
      return value;
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value !== 'object' || !(Array.isArray(value) || isPlainObject(value))) {
      throw new ErrInvalidSchema(`The schema contains a value that is not JSON at ${toPointer(trail)}.`, {
        hint: 'Use only values that JSON.stringify can write.',
        details: { path: toPath(trail) },
      });
    }
    if (depth >= limits.depth) {
      throw tooDeep(limits);
    }
    if (Array.isArray(value)) {
      const items: unknown[] = isOwned ? value : Array.from(value);
      for (let index = 0; index < items.length; index++) {
        items[index] = take(items[index], { above: trail, key: index }, depth + 1);
      }
      return Object.freeze(items);
    }
    const taken = isOwned ? (value as Record<string, unknown>) : {};
    for (const key of Object.keys(value)) {
      const entry = (value as Record<string, unknown>)[key];
      // Skipped as in JSON.stringify, because authors write { maxLength: undefined } for "no limit".
      if (entry === undefined) continue;
      grow(key.length);
      const isLeaf = typeof entry === 'string' || typeof entry === 'boolean';
      if (isLeaf) grow(typeof entry === 'string' ? entry.length + 1 : 1);
      const part = isLeaf ? entry : take(entry, { above: trail, key }, depth + 1);
      if (isOwned) continue;
      // Assigning to "__proto__" would set the prototype.
      if (key === '__proto__') Object.defineProperty(taken, key, { value: part, enumerable: true });
      else taken[key] = part;
    }
    return Object.freeze(taken);
  }

  const taken = take(schema, undefined, 0);
  if (!isSchema(taken)) {
    throw new ErrInvalidSchema('A schema must be an object, true or false.', { details: { path: [] } });
  }
  return taken;
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
