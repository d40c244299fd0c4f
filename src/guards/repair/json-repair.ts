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
    // Fast path: most fields are scalars, which need no plan.
    const nested = [...(own?.values() ?? [])].filter(
      ({ schema }) => typeof schema === 'object' && !scalarTypes.has(schema['type']),
    );
    if (nested.length === 0) continue;
    const planOf = planAll(
      nested.map(({ schema }) => schema),
      jsonSchema,
    );
    for (const { name, schema } of nested) {
      const plan = planOf(schema);
      if (plan) fields.set(name, plan);
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

/** The schemas below a schema, by the place that their values have in it. */
interface Parts {
  readonly fields: readonly (readonly [string, JsonSchemaObject])[];
  readonly items: JsonSchemaObject | undefined;
  readonly places: readonly (JsonSchemaObject | undefined)[];
  readonly others: JsonSchemaObject | undefined;
}

/** The plan of one schema while the plans of its parts are not known. */
interface Draft {
  readonly plan: { -readonly [Key in keyof RepairPlan]: RepairPlan[Key] } & {
    readonly fields: Map<string, RepairPlan>;
  };
  readonly parts: Parts;
  /** The drafts of the schemas that this schema is a part of. */
  readonly users: Draft[];
  isUseful: boolean;
}

/** Parts of schemas that are planned, because each reference to a schema repeats its parts. Text in others is not repaired. */
const MAX_PARTS = 100_000;

/**
 * Plans the schemas and all schemas below them. Returns the plans that repair something. Uses loops, because a server can list a
 * schema with a chain of references that is longer than the call stack.
 */
function planAll(
  schemas: readonly JsonSchema[],
  root: JsonSchemaObject,
): (schema: JsonSchema | undefined) => RepairPlan | undefined {
  const drafts = new Map<JsonSchema, Draft>();
  let left = MAX_PARTS;
  const add = (schema: JsonSchema | undefined, user?: Draft): void => {
    if (typeof schema !== 'object') return;
    let draft = drafts.get(schema);
    if (!draft) {
      if (left < 0) return;
      drafts.set(schema, (draft = draftOf(schema, root)));
      left -= draft.parts.fields.length;
    }
    if (user) draft.users.push(user);
  };
  for (const schema of schemas) add(schema);
  // The loop also visits the drafts that are added meanwhile.
  for (const draft of drafts.values()) {
    const { fields, items, places, others } = draft.parts;
    for (const [, field] of fields) add(field, draft);
    for (const part of [items, ...places, others]) add(part, draft);
  }
  markUseful([...drafts.values()].filter(({ plan }) => plan.isNested));
  const planOf = (schema: JsonSchema | undefined): RepairPlan | undefined => {
    const draft = schema === undefined ? undefined : drafts.get(schema);
    return draft?.isUseful === true ? draft.plan : undefined;
  };
  for (const { plan, parts } of drafts.values()) {
    for (const [name, field] of parts.fields) {
      const inner = planOf(field);
      if (inner) plan.fields.set(name, inner);
    }
    plan.items = planOf(parts.items);
    plan.places = parts.places.map(planOf);
    plan.others = planOf(parts.others);
  }
  return planOf;
}

function draftOf(schema: JsonSchemaObject, root: JsonSchemaObject): Draft {
  return {
    plan: {
      isNested: takesOnlyNested(schema, root),
      fields: new Map(),
      items: undefined,
      places: undefined,
      others: undefined,
    },
    parts: partsOf(schema, root),
    users: [],
    isUseful: false,
  };
}

function partsOf(schema: JsonSchemaObject, root: JsonSchemaObject): Parts {
  const { properties, items, prefixItems, additionalProperties } = nestedIn(schema, root) ?? {};
  const fields = Object.entries(isJsonObject(properties) ? properties : {});
  return {
    fields: fields.filter((field): field is [string, JsonSchemaObject] => isJsonObject(field[1])),
    items: isJsonObject(items) ? items : undefined,
    places: schemasIn(prefixItems).map((part) => (typeof part === 'object' ? part : undefined)),
    others: isJsonObject(additionalProperties) ? additionalProperties : undefined,
  };
}

/** Marks the drafts that repair something, and all drafts that they are a part of. */
function markUseful(nested: readonly Draft[]): void {
  const open = [...nested];
  for (let draft = open.pop(); draft; draft = open.pop()) {
    if (draft.isUseful) continue;
    draft.isUseful = true;
    for (const user of draft.users) open.push(user);
  }
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
