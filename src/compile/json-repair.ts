import { followPointer, isSchema } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { countTextValues, countValues, defaultJsonLimits } from '../values/json-limits.js';
import type { ReadSchema } from '../schema/read/read-schema.js';
import { schemasIn, typesOf } from '../schema/check/value-types.js';

/**
 * Where JSON text stands for the object or array that it spells: models send nested values as text now and then.
 * Only places are here at which text is never valid, or below which there is such a place.
 */
export interface RepairPlan {
  /** An object or array must stand here, so that text cannot be meant. */
  readonly isNested: boolean;
  readonly fields: ReadonlyMap<string, RepairPlan>;
  readonly items: RepairPlan | undefined;
  /** For the first places of a list. */
  readonly places?: readonly (RepairPlan | undefined)[] | undefined;
  /** For fields that are not named. */
  readonly others?: RepairPlan | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Values below this depth stay as they came. */
const MAX_DEPTH = 32;

/** What can be repaired in arguments under these schemas, or `undefined` where nothing can. */
export function planRepairs(
  schemas: readonly Pick<ReadSchema, 'jsonSchema' | 'fields'>[],
): RepairPlan | undefined {
  const fields = new Map<string, RepairPlan>();
  for (const { jsonSchema, fields: own } of schemas) {
    const plans: Plans = { root: jsonSchema, known: new Map() };
    for (const { name, schema } of own?.values() ?? []) {
      if (typeof schema === 'object' && scalarTypes.has(schema['type'])) continue;
      const plan = planOf(schema, plans);
      if (isUseful(plan)) fields.set(name, plan);
    }
  }
  return fields.size === 0 ? undefined : { isNested: false, fields, items: undefined };
}

/** The arguments with that text parsed, and the paths at which it stood. */
export function repairJson(
  input: Arguments,
  plan: RepairPlan | undefined,
): { input: Arguments; repairs: readonly string[] } {
  if (plan === undefined) return { input, repairs: nothing };
  const work: Work = { input, repairs: [], valuesLeft: undefined, failuresLeft: MAX_FAILURES };
  const repaired = repairAt(input, plan, { work, path: '', depth: 0 }) as Arguments;
  return { input: repaired, repairs: work.repairs };
}

/** Maximum number of texts that look like JSON but cannot be parsed. Each of them costs as much as a small call. */
const MAX_FAILURES = 100;

/** The repairs made in one set of arguments, and the remaining budget. */
interface Work {
  readonly input: Arguments;
  readonly repairs: string[];
  /** How many JSON values repairs may still add. `undefined` until the first text is parsed. */
  valuesLeft: number | undefined;
  failuresLeft: number;
}

const nothing: readonly string[] = Object.freeze([]);

interface Place {
  readonly work: Work;
  readonly path: string;
  readonly depth: number;
}

/** The value itself where there is nothing to repair, otherwise a copy. */
function repairAt(given: unknown, plan: RepairPlan, place: Place): unknown {
  if (place.depth > MAX_DEPTH) return given;
  let value = given;
  if (typeof value === 'string') {
    const parsed = plan.isNested ? parseNested(value, place) : undefined;
    if (parsed === undefined) return value;
    place.work.repairs.push(place.path);
    value = parsed;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return plan.items || plan.places ? repairItems(value, plan, place) : value;
  return plan.fields.size > 0 || plan.others ? repairFields(value as Arguments, plan, place) : value;
}

function repairFields(value: Arguments, { fields, others }: RepairPlan, place: Place): Arguments {
  let copy: Record<string, unknown> | undefined;
  // Where fields of any name count, those that are there; otherwise those that are known.
  for (const name of others ? Object.keys(value) : fields.keys()) {
    const plan = fields.get(name) ?? others;
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    // What is neither text nor nested cannot be repaired, and this is where every call passes.
    if (!plan || (typeof field !== 'string' && (typeof field !== 'object' || field === null))) continue;
    const repaired = repairAt(field, plan, below(place, name));
    if (repaired === field) continue;
    copy ??= { ...value };
    Object.defineProperty(copy, name, {
      value: repaired,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return copy ?? value;
}

function repairItems(
  value: readonly unknown[],
  { items, places }: RepairPlan,
  place: Place,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const plan = places && index < places.length ? places[index] : items;
    const repaired = plan ? repairAt(item, plan, below(place, String(index))) : item;
    if (repaired === item) continue;
    copy ??= [...value];
    copy[index] = repaired;
  }
  return copy ?? value;
}

function below({ work, path, depth }: Place, name: string): Place {
  return { work, path: path === '' ? name : `${path}.${name}`, depth: depth + 1 };
}

interface Plans {
  readonly root: JsonSchemaObject;
  /** By schema, so that a recursive one has a plan that leads back to itself. */
  readonly known: Map<JsonSchemaObject, RepairPlan>;
}

function planOf(schema: JsonSchema, plans: Plans): RepairPlan | undefined {
  if (typeof schema === 'boolean') return undefined;
  const known = plans.known.get(schema);
  if (known) return known;
  const fields = new Map<string, RepairPlan>();
  const plan = {
    isNested: takesOnlyNested(schema, plans.root),
    fields,
    items: undefined as RepairPlan | undefined,
    places: undefined as readonly (RepairPlan | undefined)[] | undefined,
    others: undefined as RepairPlan | undefined,
  };
  plans.known.set(schema, plan);
  const { properties, items, prefixItems, additionalProperties } = nestedIn(schema, plans.root) ?? {};
  for (const [name, field] of Object.entries(isJsonObject(properties) ? properties : {})) {
    const inner = isSchema(field) ? planOf(field, plans) : undefined;
    if (isUseful(inner)) fields.set(name, inner);
  }
  const inner = isSchema(items) ? planOf(items, plans) : undefined;
  if (isUseful(inner)) plan.items = inner;
  const places = schemasIn(prefixItems).map((part) => planOf(part, plans));
  if (places.some(isUseful)) plan.places = places;
  const others = isSchema(additionalProperties) ? planOf(additionalProperties, plans) : undefined;
  if (isUseful(others)) plan.others = others;
  return plan;
}

function isUseful(plan: RepairPlan | undefined): plan is RepairPlan {
  return (
    plan !== undefined &&
    (plan.isNested || plan.fields.size > 0 || Boolean(plan.items ?? plan.places ?? plan.others))
  );
}

const nesting = ['properties', 'items', 'prefixItems', 'additionalProperties'];

/** The schema of the object or array that can stand here, where there is one and no other. */
function nestedIn(schema: JsonSchema, root: JsonSchemaObject, depth = 0): JsonSchemaObject | undefined {
  if (typeof schema === 'boolean' || depth > 8) return undefined;
  const { $ref, anyOf, oneOf } = schema;
  if (typeof $ref === 'string') {
    const target = followPointer(root, $ref);
    return isSchema(target) ? nestedIn(target, root, depth + 1) : undefined;
  }
  const branches = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (branches.length === 0) return nesting.some((keyword) => keyword in schema) ? schema : undefined;
  const nested = branches.filter((branch) => {
    const types = typesOf(branch, root);
    return types.has('object') || types.has('array');
  });
  return nested.length === 1 && nested[0] !== undefined ? nestedIn(nested[0], root, depth + 1) : undefined;
}

/**
 * Parses a text if it is JSON and the arguments, with the parsed value in them, stay within the depth and value limits of a
 * request. Other text is kept, and validation rejects it.
 */
function parseNested(text: string, { work, depth }: Place): unknown {
  if (work.failuresLeft <= 0 || !/^\s*[[{]/.test(text)) return undefined;
  const { maxDepth, maxValues } = defaultJsonLimits;
  work.valuesLeft ??= maxValues - countValues(work.input, maxValues);
  const values = countTextValues(text, { maxDepth: maxDepth - depth, maxValues: work.valuesLeft });
  if (values === undefined) return undefined;
  try {
    const parsed = JSON.parse(text) as unknown;
    work.valuesLeft -= values;
    return parsed;
  } catch {
    work.failuresLeft--;
    return undefined;
  }
}

/** Whether an object or array can stand here, and text cannot. */
function takesOnlyNested(schema: JsonSchema, root: JsonSchemaObject): boolean {
  if (typeof schema === 'object' && scalarTypes.has(schema['type'])) return false;
  const types = typesOf(schema, root);
  return !types.has('string') && (types.has('object') || types.has('array'));
}

const scalarTypes: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string']);
