import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Dialect, JsonSchema, JsonSchemaObject, Trail } from './json-schema.js';
import { toPath } from './json-schema.js';
import { canonicalJson, codePoints, isMultipleOf, typeName } from './json-value.js';
import type { NormalSchema } from './normal-schema.js';
import type { SchemaIssue, Validate } from './validation-result.js';

/** More problems than this help nobody, and a hostile value can have millions. */
const MAX_ISSUES = 100;
/** How many choices of an enum a message lists. */
const MAX_LISTED = 20;

/**
 * Applies a schema by walking it. This is the reference: generated code may only be faster. What JSON would leave
 * out is not there: a key whose value is `undefined` is absent.
 */
export function interpret(schema: NormalSchema, maxSteps: number): Validate {
  const tracks = /"unevaluated(Items|Properties)"/.test(
    JSON.stringify([schema.root, ...schema.targets.values()]),
  );
  return (value) => {
    const walk = new Walk(schema, maxSteps, tracks);
    const issues: SchemaIssue[] = [];
    try {
      return walk.apply(schema.root, value, undefined, issues) ? { ok: true, value } : { ok: false, issues };
    } catch (error) {
      if (!(error instanceof TooManySteps)) throw error;
      return { ok: false, issues: [{ path: [], message: 'takes too long to check' }] };
    }
  };
}

class TooManySteps extends Error {}

/** Which parts of a value a schema has spoken about. */
interface Evaluated {
  keys: Set<string>;
  indexes: Set<number>;
}

type Data = Readonly<Record<string, unknown>>;
type Maybe = SchemaIssue[] | undefined;

/** One value on its way through a schema. */
class Walk {
  readonly #dialect: Dialect;
  readonly #targets: ReadonlyMap<string, JsonSchema>;
  readonly #tracks: boolean;
  #stepsLeft: number;

  constructor({ dialect, targets }: NormalSchema, maxSteps: number, tracks: boolean) {
    this.#dialect = dialect;
    this.#targets = targets;
    this.#tracks = tracks;
    this.#stepsLeft = maxSteps;
  }

  /**
   * Applies one schema to one value. With a list of issues it goes on after a problem; without, it stops at once.
   * What it says about parts of the value is added to `evaluated` only if the value fits.
   */
  apply(schema: JsonSchema, value: unknown, trail: Trail, issues: Maybe, evaluated?: Evaluated): boolean {
    if (--this.#stepsLeft < 0) throw new TooManySteps();
    if (schema === true) return true;
    if (schema === false) return fail(issues, trail, 'is not a known field');
    const own: Evaluated | undefined = this.#tracks ? { keys: new Set(), indexes: new Set() } : undefined;
    let isValid = true;
    for (const check of [applyInPlace, applyAssertions, applyToArray, applyToObject, applyUnevaluated]) {
      if (!check.call(this, schema, value, trail, issues, own)) {
        if (!issues) return false;
        isValid = false;
      }
    }
    if (isValid && own && evaluated) {
      for (const key of own.keys) evaluated.keys.add(key);
      for (const index of own.indexes) evaluated.indexes.add(index);
    }
    return isValid;
  }

  target(reference: unknown): JsonSchema {
    return this.#targets.get(String(reference)) ?? false;
  }

  get isDraft07(): boolean {
    return this.#dialect === 'draft-07';
  }

  get tracks(): boolean {
    return this.#tracks;
  }
}

/** References and compositions: schemas that apply to the same value. */
function applyInPlace(
  this: Walk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Maybe,
  own: Evaluated | undefined,
): boolean {
  let isValid = true;
  const also = (part: JsonSchema): void => {
    if (!this.apply(part, value, trail, issues, own)) isValid = false;
  };
  if (schema['$ref'] !== undefined) also(this.target(schema['$ref']));
  for (const part of list(schema['allOf'])) {
    if (!isValid && !issues) return false;
    also(part);
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (!isValid && !issues) return false;
    if (
      schema[keyword] !== undefined &&
      !applyBranches(this, keyword, list(schema[keyword]), value, trail, issues, own)
    )
      isValid = false;
  }
  if (schema['not'] !== undefined && this.apply(schema['not'] as JsonSchema, value, trail, undefined)) {
    isValid = fail(issues, trail, 'must not have this form');
  }
  if (schema['if'] !== undefined) {
    const holds = this.apply(schema['if'] as JsonSchema, value, trail, undefined, own);
    const branch = holds ? schema['then'] : schema['else'];
    if (branch !== undefined) also(branch as JsonSchema);
  }
  return isValid;
}

function applyBranches(
  walk: Walk,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly JsonSchema[],
  value: unknown,
  trail: Trail,
  issues: Maybe,
  own: Evaluated | undefined,
): boolean {
  let matches = 0;
  let closest: SchemaIssue[] | undefined;
  for (const branch of branches) {
    const problems: Maybe = issues && [];
    if (walk.apply(branch, value, trail, problems, own)) {
      matches++;
      // Which further branches hold matters only to oneOf, and to what remains unevaluated.
      if (keyword === 'anyOf' && !walk.tracks) return true;
    } else if (problems && (!closest || problems.length < closest.length)) closest = problems;
  }
  if (matches === 1 || (matches > 1 && keyword === 'anyOf')) return true;
  if (matches > 1)
    return fail(issues, trail, `must have exactly one of ${branches.length} forms, not ${matches}`);
  for (const problem of closest ?? []) add(issues, problem);
  return fail(issues, trail, `must have one of ${branches.length} forms`);
}

/** What is asked of the value itself. */
function applyAssertions(
  this: Walk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Maybe,
): boolean {
  let isValid = true;
  const no = (message: string): void => {
    isValid = fail(issues, trail, message);
  };
  const { type } = schema;
  if (type !== undefined && ![type].flat().some((name) => hasType(value, String(name)))) {
    no(`must be ${[type].flat().join(' or ')}, not ${typeName(value)}`);
  }
  if ('const' in schema && canonicalJson(value) !== canonicalJson(schema['const']))
    no(`must be ${JSON.stringify(schema['const'])}`);
  if (schema['enum'] !== undefined && !choicesOf(schema).has(canonicalJson(value)))
    no(`must be one of ${listChoices(schema['enum'] as unknown[])}`);
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
      string,
      number | undefined
    >;
    if (minimum !== undefined && value < minimum) no(`must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) no(`must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      no(`must be more than ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      no(`must be less than ${exclusiveMaximum}`);
    if (multipleOf !== undefined && !isMultipleOf(value, multipleOf))
      no(`must be a multiple of ${multipleOf}`);
  }
  if (typeof value === 'string') {
    const { minLength, maxLength } = schema as Record<string, number | undefined>;
    const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
    if (minLength !== undefined && length < minLength) no(`must have at least ${minLength} characters`);
    if (maxLength !== undefined && length > maxLength) no(`must have at most ${maxLength} characters`);
    if (schema['pattern'] !== undefined && !regExp(String(schema['pattern'])).test(value))
      no(`must match the pattern ${String(schema['pattern'])}`);
  }
  if (schema['format'] !== undefined && !hasFormat(value, String(schema['format'])))
    no(`must have the format ${String(schema['format'])}`);
  return isValid;
}

function applyToArray(
  this: Walk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Maybe,
  own: Evaluated | undefined,
): boolean {
  if (!Array.isArray(value)) return true;
  let isValid = true;
  const no = (message: string): void => {
    isValid = fail(issues, trail, message);
  };
  const { minItems, maxItems } = schema as Record<string, number | undefined>;
  if (minItems !== undefined && value.length < minItems) no(`must have at least ${minItems} items`);
  if (maxItems !== undefined && value.length > maxItems) no(`must have at most ${maxItems} items`);
  if (schema['uniqueItems'] === true && new Set(value.map((item) => canonicalJson(item))).size < value.length)
    no('must not hold the same item twice');

  const isTuple = Array.isArray(schema['items']);
  const prefix = list(this.isDraft07 ? (isTuple ? schema['items'] : undefined) : schema['prefixItems']);
  const rest = isTuple ? schema['additionalItems'] : schema['items'];
  for (const [index, item] of value.entries()) {
    const part = prefix[index] ?? rest;
    if (part === undefined) continue;
    if (!isValid && !issues) return false;
    own?.indexes.add(index);
    if (!this.apply(part as JsonSchema, item ?? null, { above: trail, key: index }, issues)) isValid = false;
  }
  if (schema['contains'] !== undefined) {
    const { minContains = 1, maxContains } = schema as Record<string, number | undefined>;
    const found = value.flatMap((item, index) =>
      this.apply(schema['contains'] as JsonSchema, item ?? null, undefined, undefined) ? [index] : [],
    );
    if (found.length < minContains)
      no(
        minContains === 1
          ? 'has no item of the form that is asked for'
          : `must have at least ${minContains} items of the form that is asked for`,
      );
    if (maxContains !== undefined && found.length > maxContains)
      no(`must have at most ${maxContains} items of this form`);
    for (const index of found) own?.indexes.add(index);
  }
  return isValid;
}

function applyToObject(
  this: Walk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Maybe,
  own: Evaluated | undefined,
): boolean {
  if (typeName(value) !== 'object') return true;
  const data = value as Data;
  const keys = keysOf(data);
  const present = (key: string): boolean => Object.hasOwn(data, key) && data[key] !== undefined;
  let isValid = true;
  const no = (message: string, key?: string): void => {
    isValid = fail(issues, key === undefined ? trail : { above: trail, key }, message);
  };
  const inside = (part: JsonSchema, key: string): void => {
    own?.keys.add(key);
    if (!this.apply(part, data[key], { above: trail, key }, issues)) isValid = false;
  };
  const { minProperties, maxProperties } = schema as Record<string, number | undefined>;
  if (minProperties !== undefined && keys.length < minProperties)
    no(`must have at least ${minProperties} fields`);
  if (maxProperties !== undefined && keys.length > maxProperties)
    no(`must have at most ${maxProperties} fields`);
  for (const key of (schema['required'] ?? []) as string[]) if (!present(key)) no('is required', key);

  const properties = entries(schema['properties']);
  const patterns = entries(schema['patternProperties']).map(
    ([pattern, part]) => [regExp(pattern), part] as const,
  );
  for (const [key, part] of properties) if (present(key)) inside(part, key);
  const declared = new Set(properties.map(([key]) => key));
  for (const key of keys) {
    if (!isValid && !issues) return false;
    let isKnown = declared.has(key);
    for (const [pattern, part] of patterns) {
      if (!pattern.test(key)) continue;
      isKnown = true;
      inside(part, key);
    }
    if (!isKnown && schema['additionalProperties'] !== undefined)
      inside(schema['additionalProperties'] as JsonSchema, key);
    if (
      schema['propertyNames'] !== undefined &&
      !this.apply(schema['propertyNames'] as JsonSchema, key, undefined, undefined)
    )
      no('is not a name that can be used here', key);
  }
  for (const [key, needed] of Object.entries(
    (schema['dependentRequired'] ?? {}) as Record<string, string[]>,
  )) {
    if (present(key))
      for (const other of needed) if (!present(other)) no(`is required beside "${key}"`, other);
  }
  for (const [key, part] of [...entries(schema['dependentSchemas']), ...entries(schema['dependencies'])]) {
    if (!present(key)) continue;
    if (Array.isArray(part)) {
      for (const other of part as string[]) if (!present(other)) no(`is required beside "${key}"`, other);
    } else if (!this.apply(part, value, trail, issues, own)) isValid = false;
  }
  return isValid;
}

/** Comes last: whatever nothing beside it has spoken about. */
function applyUnevaluated(
  this: Walk,
  schema: JsonSchemaObject,
  value: unknown,
  trail: Trail,
  issues: Maybe,
  own: Evaluated | undefined,
): boolean {
  if (!own) return true;
  let isValid = true;
  if (schema['unevaluatedItems'] !== undefined && Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      if (own.indexes.has(index)) continue;
      own.indexes.add(index);
      if (
        !this.apply(
          schema['unevaluatedItems'] as JsonSchema,
          item ?? null,
          { above: trail, key: index },
          issues,
        )
      )
        isValid = false;
    }
  }
  if (schema['unevaluatedProperties'] !== undefined && typeName(value) === 'object') {
    for (const key of keysOf(value as Data)) {
      if (own.keys.has(key)) continue;
      own.keys.add(key);
      if (
        !this.apply(
          schema['unevaluatedProperties'] as JsonSchema,
          (value as Data)[key],
          { above: trail, key },
          issues,
        )
      )
        isValid = false;
    }
  }
  return isValid;
}

function fail(issues: Maybe, trail: Trail, message: string): false {
  add(issues, { path: toPath(trail), message });
  return false;
}

function add(issues: Maybe, issue: SchemaIssue): void {
  if (issues && issues.length < MAX_ISSUES) issues.push(issue);
}

function list(value: unknown): readonly JsonSchema[] {
  return Array.isArray(value) ? (value as JsonSchema[]) : [];
}

function entries(value: unknown): [string, JsonSchema][] {
  return value === undefined ? [] : (Object.entries(value as object) as [string, JsonSchema][]);
}

function keysOf(data: Data): string[] {
  return Object.keys(data).filter((key) => data[key] !== undefined);
}

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  return typeName(value) === type;
}

const choices = new WeakMap<object, ReadonlySet<string>>();

function choicesOf(schema: JsonSchemaObject): ReadonlySet<string> {
  let known = choices.get(schema);
  if (!known)
    choices.set(
      schema,
      (known = new Set((schema['enum'] as unknown[]).map((choice) => canonicalJson(choice)))),
    );
  return known;
}

function listChoices(all: readonly unknown[]): string {
  const shown = all.slice(0, MAX_LISTED).map((choice) => JSON.stringify(choice));
  return all.length > MAX_LISTED
    ? `${shown.join(', ')} and ${all.length - MAX_LISTED} more`
    : shown.join(', ');
}

const expressions = new Map<string, RegExp>();

function regExp(pattern: string): RegExp {
  let known = expressions.get(pattern);
  if (!known) {
    if (expressions.size > 10_000) expressions.clear();
    expressions.set(pattern, (known = new RegExp(pattern, 'u')));
  }
  return known;
}

/** Formats that are not known hold. */
function hasFormat(value: unknown, name: string): boolean {
  const format = Object.hasOwn(fullFormats, name) ? fullFormats[name as keyof typeof fullFormats] : true;
  if (typeof format === 'boolean') return true;
  if (format instanceof RegExp) return typeof value !== 'string' || format.test(value);
  if (typeof format === 'function') return typeof value !== 'string' || Boolean(format(value));
  const { type = 'string', validate } = format as {
    type?: string;
    validate: RegExp | ((value: never) => unknown);
  };
  if (typeof value !== type) return true;
  return validate instanceof RegExp ? validate.test(String(value)) : Boolean(validate(value as never));
}
