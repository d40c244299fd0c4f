import { followPointer, isSchema, schemasIn } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { countTextValues, countValues, defaultJsonLimits } from '../../values/json-limits.js';
import type { ReadSchema } from '../../schema/read/read-schema.js';
import { typesOf } from '../../schema/compare/schema-facts.js';

/**
 * The places at which JSON text is parsed, because models sometimes send nested values as text. It contains only places at which
 * text is never valid, and places above them.
 */
export interface RepairPlan {
  /** Whether only an object or array is valid here, so that text must be JSON. */
  readonly isNested: boolean;
  readonly fields: ReadonlyMap<string, RepairPlan>;
  readonly items: RepairPlan | undefined;
  /** The plans of the first items of an array. */
  readonly places?: readonly (RepairPlan | undefined)[] | undefined;
  /** The plan of undeclared fields. */
  readonly others?: RepairPlan | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** Values below this depth are not repaired. */
const MAX_DEPTH = 32;

/** Plans the repairs of arguments with these schemas; `undefined` if there are none. */
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

/** Returns the arguments with JSON text parsed, and the paths of the parsed values. */
export function repairJson(
  input: Arguments,
  plan: RepairPlan | undefined,
): { input: Arguments; repairs: readonly string[] } {
  if (plan === undefined) return { input, repairs: nothing };
  const work: Work = { input, repairs: [], valuesLeft: undefined, failuresLeft: MAX_FAILURES };
  const repaired = repairAt(input, plan, { work, path: '', depth: 0 }) as Arguments;
  return { input: repaired, repairs: work.repairs };
}

/** Maximum number of texts that look like JSON but cannot be parsed, because each costs as much as a small call. */
const MAX_FAILURES = 100;

/** The repairs made in one set of arguments, and the remaining budget. */
interface Work {
  readonly input: Arguments;
  readonly repairs: string[];
  /** The number of JSON values that repairs may still add; `undefined` until the first text is parsed. */
  valuesLeft: number | undefined;
  failuresLeft: number;
}

const nothing: readonly string[] = Object.freeze([]);

interface Place {
  readonly work: Work;
  readonly path: string;
  readonly depth: number;
}

/** Returns the value itself if nothing was repaired, otherwise a copy. */
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
  // If undeclared fields have a plan, visit the fields of the value; otherwise visit the planned fields.
  for (const name of others ? Object.keys(value) : fields.keys()) {
    const plan = fields.get(name) ?? others;
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    // Fast path for every call: only text and nested values can be repaired.
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
  /** Plans by schema, so that the plan of a recursive schema refers to itself. */
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

/** The only object or array schema that is valid here; `undefined` if there are several or none. */
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
 * Parses text if it is JSON and the arguments stay within the depth and value limits of a request. Other text is kept, and
 * validation rejects it.
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

/** Whether objects or arrays are valid here and text is not. */
function takesOnlyNested(schema: JsonSchema, root: JsonSchemaObject): boolean {
  if (typeof schema === 'object' && scalarTypes.has(schema['type'])) return false;
  const types = typesOf(schema, root);
  return !types.has('string') && (types.has('object') || types.has('array'));
}

const scalarTypes: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string']);
