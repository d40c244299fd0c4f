import { followReference } from '../../../ui/schema/resolve-schema.js';
import { isRecord, isSame } from './json.js';
import type { JsonObject } from './json.js';

type Merged =
  | { readonly ok: true; readonly schema: JsonObject }
  | { readonly ok: false; readonly problem: string };

/** Maximum number of references and `allOf` at one place. A longer chain is circular or hostile. */
const MAX_STEPS = 100;

/** Follows `$ref` and joins `allOf`, so that one flat schema describes the place. */
export function mergeAll(schema: JsonObject, root: JsonObject): Merged {
  const steps = { left: MAX_STEPS };
  return flatten(schema, root, steps);
}

function flatten(schema: JsonObject, root: JsonObject, steps: { left: number }): Merged {
  if (steps.left-- <= 0) return { ok: false, problem: 'The schema refers to itself without end.' };
  const { $ref, allOf, ...own } = schema;
  let merged: JsonObject = own;
  const parts: unknown[] = [];
  if (typeof $ref === 'string') {
    const target = followReference($ref, root);
    if (target === undefined) return { ok: false, problem: `The schema has no ${$ref}.` };
    parts.push(target);
  }
  if (Array.isArray(allOf)) parts.push(...(allOf as unknown[]));
  for (const part of parts) {
    if (part === true) continue;
    if (!isRecord(part)) return { ok: false, problem: 'The schema allows no value.' };
    const flat = flatten(part, root, steps);
    if (!flat.ok) return flat;
    const joined = join(merged, flat.schema);
    if (joined === undefined)
      return { ok: false, problem: 'The schema combines rules that no form can show.' };
    merged = joined;
  }
  return { ok: true, schema: merged };
}

/** Keywords of which the smaller value is stricter (`upper`), or the larger one (`lower`). */
const upper = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
const lower = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
/** Keywords that are taken from the first schema that has them, which is the outer one. */
const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$schema',
  '$id',
  '$comment',
  '$defs',
  'definitions',
]);

/** Merges two schemas into one that accepts only what both accept. Returns `undefined` if there is no simple form. */
function join(one: JsonObject, other: JsonObject): JsonObject | undefined {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const own = result[key];
    if (own === undefined) {
      result[key] = value;
      continue;
    }
    if (annotations.has(key) || isSame(own, value)) continue;
    const both = joinKeyword(key, own, value);
    if (both === undefined) return undefined;
    result[key] = both;
  }
  return isClosedTwice(one, other) ? undefined : result;
}

function namesOf(schema: JsonObject): readonly string[] {
  return isRecord(schema['properties']) ? Object.keys(schema['properties']) : [];
}

/** `additionalProperties` looks only at the properties beside it, so it cannot be joined with other properties. */
function isClosedTwice(one: JsonObject, other: JsonObject): boolean {
  return adds(one, other) || adds(other, one);
}

function adds(from: JsonObject, to: JsonObject): boolean {
  const { additionalProperties = true } = to;
  const known = new Set(namesOf(to));
  return additionalProperties !== true && namesOf(from).some((name) => !known.has(name));
}

function joinKeyword(key: string, own: unknown, value: unknown): unknown {
  if (upper.has(key) && typeof own === 'number' && typeof value === 'number') return Math.min(own, value);
  if (lower.has(key) && typeof own === 'number' && typeof value === 'number') return Math.max(own, value);
  if (key === 'required' && Array.isArray(own) && Array.isArray(value))
    return [...new Set([...own, ...value])];
  if (key === 'enum' && Array.isArray(own) && Array.isArray(value))
    return own.filter((each) => value.some((allowed) => isSame(each, allowed)));
  if (key === 'uniqueItems') return own === true || value === true;
  if (key === 'additionalProperties') {
    if (own === false || value === false) return false;
    if (own === true) return value;
    if (value === true) return own;
  }
  if (key === 'properties' && isRecord(own) && isRecord(value)) {
    const names = new Set([...Object.keys(own), ...Object.keys(value)]);
    return Object.fromEntries(
      [...names].map((name) => {
        if (!Object.hasOwn(own, name)) return [name, value[name]];
        if (!Object.hasOwn(value, name)) return [name, own[name]];
        return [name, { allOf: [own[name], value[name]] }];
      }),
    );
  }
  if (key === 'type') return joinTypes(own, value);
  return undefined;
}

function joinTypes(own: unknown, value: unknown): unknown {
  const one: readonly unknown[] = Array.isArray(own) ? own : [own];
  const other: readonly unknown[] = Array.isArray(value) ? value : [value];
  const both = one.filter((type) => other.includes(type));
  if (one.includes('number') && other.includes('integer') && !both.includes('integer')) both.push('integer');
  if (one.includes('integer') && other.includes('number') && !both.includes('integer')) both.push('integer');
  if (both.length === 0) return undefined;
  return both.length === 1 ? both[0] : both;
}
