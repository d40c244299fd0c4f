import {
  countTextValues,
  countValues,
  defaultJsonLimits,
  isJsonObject,
  mapIn,
  nestedSchema,
  schemasIn,
  valueTypes,
} from '@toolfold/schema/internal';
import type { JsonSchemaObject, ReadSchema } from '@toolfold/schema';
import { getOrMake } from '../../values/get-or-make.js';

/** The places at which JSON text is parsed, because models sometimes send nested values as text. */
export interface RepairPlan {
  /** Whether only an object or array is valid here, so that text must be JSON. */
  readonly isNested: boolean;
  /** The plans of the values in an object or array. */
  readonly parts: RepairParts;
}

interface RepairParts {
  readonly fields: ReadonlyMap<string, RepairPlan>;
  readonly items?: RepairPlan | undefined;
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
    const planOf = createPlanner(jsonSchema);
    for (const { name, schema } of own?.values() ?? []) {
      const plan = planOf(schema);
      if (plan) fields.set(name, plan);
    }
  }
  return fields.size === 0 ? undefined : { isNested: false, parts: { fields } };
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

/** Collects the repairs of one set of arguments, and limits their number. */
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
  const { parts } = plan;
  if (!Array.isArray(value)) return repairFields(value as Arguments, parts, place);
  return parts.items || parts.places?.length ? repairItems(value, parts, place) : value;
}

function repairFields(value: Arguments, { fields, others }: RepairParts, place: Place): Arguments {
  let copy: Record<string, unknown> | undefined;
  // If undeclared fields have a plan, visit the fields of the value; otherwise visit the planned fields.
  for (const name of others ? Object.keys(value) : fields.keys()) {
    const plan = fields.get(name) ?? others;
    const field = Object.hasOwn(value, name) ? value[name] : undefined;
    const repaired = plan ? repairAt(field, plan, below(place, name)) : field;
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
  { items, places = [] }: RepairParts,
  place: Place,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (const [index, item] of value.entries()) {
    const plan = index < places.length ? places[index] : items;
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

type Planner = (schema: unknown) => RepairPlan | undefined;

/** Returns a function that plans one schema, and the schemas inside it when a value needs them, because schemas may contain themselves. */
function createPlanner(root: JsonSchemaObject): Planner {
  const known = new Map<JsonSchemaObject, RepairPlan>();
  const planOf: Planner = (schema) => {
    if (!isJsonObject(schema) || scalarTypes.has(schema['type'])) return undefined;
    const types = valueTypes(schema, root);
    if (!types.has('object') && !types.has('array')) return undefined;
    return getOrMake(known, schema, () => {
      let parts: RepairParts | undefined;
      return {
        isNested: !types.has('string'),
        get parts() {
          return (parts ??= readParts(nestedSchema(schema, root) ?? {}, planOf));
        },
      };
    });
  };
  return planOf;
}

function readParts(
  { properties, items, prefixItems, additionalProperties }: JsonSchemaObject,
  planOf: Planner,
): RepairParts {
  const fields = Object.entries(mapIn(properties)).map(([name, field]) => [name, planOf(field)] as const);
  return {
    fields: new Map(fields.filter((field): field is [string, RepairPlan] => field[1] !== undefined)),
    items: planOf(items),
    places: schemasIn(prefixItems).map(planOf),
    others: planOf(additionalProperties),
  };
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

const scalarTypes: ReadonlySet<unknown> = new Set(['null', 'boolean', 'number', 'integer', 'string']);
