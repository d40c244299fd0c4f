import { prepareAssertions } from '../validate/check-value.js';
import { tooLong } from './fail-fast.js';
import { countValues } from '../values/json-limits.js';
import { isJsonObject, codePoints } from '../values/json-value.js';
import type { JsonSchema, JsonSchemaObject, SchemaLimits } from '../values/json-schema.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { PatternTooSlow, renewPatternSteps } from '../patterns/pattern.js';
import { schemasIn } from '../values/json-schema.js';
import { schemaEntries } from '../visit/own-facts.js';
import type { Check, SchemaWalk } from '../validate/schema-walk.js';
import { isThenable } from '../validate/schema-validator.js';
import type { MaybeAsyncValidate, SchemaIssue, ValidationResult } from '../validate/schema-validator.js';

/**
 * Searches a large value for an issue and stops at the first one; `undefined` if it finds none. It must not report an issue in a
 * value that the library accepts.
 */
type Probe = (value: unknown, maxSteps: number) => readonly SchemaIssue[] | undefined;

/** Weights that convert a library's work into steps. */
export interface ProbeCosts {
  /** Steps for one branch of a union that a value does not match. */
  readonly branch: number;
  /** Steps for each issue that the library collects in a branch of a union, if the value is large. */
  readonly issue: number;
  /** Steps for one declared field of an object, whether it is present or not. */
  readonly field: number;
  /** Factor on the step limit, for libraries that do more in the same time. */
  readonly speed: number;
}

export const zod3Costs: ProbeCosts = { branch: 3, issue: 3, field: 1 / 8, speed: 1.5 };
export const otherCosts: ProbeCosts = { branch: 1, issue: 10, field: 1 / 16, speed: 5 };

/**
 * Searches a large value for the first place that does not match, for libraries that collect every issue. The library's JSON
 * Schema tells where to look. Because a conversion may be inexact (`z.coerce.number()` also accepts text), the library itself
 * decides: it validates a small copy of the value that leads to that place. The value is rejected only if the library reports an
 * issue at exactly that place.
 */
export function probeJsonSchema(
  validate: MaybeAsyncValidate,
  toJsonSchema: () => JsonSchema,
  { limits, costs }: { limits: SchemaLimits; costs: ProbeCosts },
): Probe {
  let parts: Parts | undefined;
  return (value, maxSteps) => {
    parts ??= new Parts(normalizeSchema(toJsonSchema(), { limits, formats: true }));
    const walk = new Walk(parts, validate, costs, maxSteps * costs.speed);
    renewPatternSteps();
    try {
      if (!walk.fits(parts.root, value)) return walk.issues;
    } catch (error) {
      if (error instanceof PatternTooSlow) return tooLong.issues;
      throw error;
    }
    return walk.stepsLeft < 0 ? tooLong.issues : undefined;
  };
}

interface Part {
  readonly schema: JsonSchemaObject;
  readonly assert: Check | undefined;
  /** Schemas that apply to the same value. */
  readonly all: readonly JsonSchema[];
  readonly unions: readonly (readonly JsonSchema[])[];
  readonly required: readonly string[];
  readonly fields: ReadonlyMap<string, JsonSchema>;
  readonly others: JsonSchema | undefined;
  readonly prefix: readonly JsonSchema[];
  readonly rest: JsonSchema | undefined;
}

class Parts {
  readonly root: JsonSchema;
  readonly hasReferences: boolean;
  readonly #schema: NormalSchema;
  readonly #parts = new Map<JsonSchemaObject, Part>();

  constructor(schema: NormalSchema) {
    this.#schema = schema;
    this.root = schema.root;
    this.hasReferences = schema.targets.size > 0;
  }

  of(schema: JsonSchemaObject): Part {
    let part = this.#parts.get(schema);
    if (!part) this.#parts.set(schema, (part = this.#read(schema)));
    return part;
  }

  #read(schema: JsonSchemaObject): Part {
    const { $ref, items } = schema;
    const isTuple = Array.isArray(items);
    return {
      schema,
      assert: prepareAssertions(schema, unused),
      all: [
        ...($ref === undefined ? [] : [this.#schema.targets.get(String($ref)) ?? true]),
        ...schemasIn(schema['allOf']),
      ],
      unions: [schemasIn(schema['anyOf']), schemasIn(schema['oneOf'])].filter(({ length }) => length > 0),
      required: (schema['required'] ?? []) as string[],
      fields: new Map(schemaEntries(schema['properties'])),
      // A pattern may declare any name, so the schema of other fields is unknown.
      others:
        schema['patternProperties'] === undefined
          ? (schema['additionalProperties'] as JsonSchema | undefined)
          : undefined,
      prefix: schemasIn(isTuple ? items : schema['prefixItems']),
      rest: (isTuple ? schema['additionalItems'] : items) as JsonSchema | undefined,
    };
  }
}

/** Assertions have no subschemas, so they call none of these. */
const unused = { isDraft07: false, tracks: false, prepare: () => true, target: () => true } as const;

/** A step on the path to a value: the object or array around it, and its schema. */
interface Level {
  readonly around: object;
  readonly key: string | number;
  readonly part: Part;
}

/** A value of a union with more JSON values than this is not tried with every branch. */
const MAX_TRIED = 50;
/** Maximum number of copies of the item when a small copy contains an array. */
const MAX_COPIES = 100;
/** Zod 3 merges two objects by comparing each key with each other key. This many comparisons take as long as one step. */
const COMPARISONS_PER_STEP = 2_048;

class Walk implements SchemaWalk {
  readonly tracks = false;
  issues: readonly SchemaIssue[] = [];
  stepsLeft: number;
  readonly #parts: Parts;
  readonly #validate: MaybeAsyncValidate;
  readonly #costs: ProbeCosts;
  readonly #levels: Level[] = [];
  /** Rules that the library applies in another way than its JSON Schema says. */
  readonly #inexact = new Set<unknown>();
  /** Whether branches of a union are being tried, so that a mismatch is not yet an issue. */
  #isTrying = false;
  /** Whether to count steps only: after an issue in one branch of a union, the library still validates the other branches. */
  #isCounting = false;
  /** The number of intersections around the current schema. */
  #merges = 0;

  constructor(parts: Parts, validate: MaybeAsyncValidate, costs: ProbeCosts, maxSteps: number) {
    this.#parts = parts;
    this.#validate = validate;
    this.#costs = costs;
    this.stepsLeft = maxSteps;
  }

  fits(schema: JsonSchema, value: unknown): boolean {
    if (--this.stepsLeft < 0 || schema === true) return true;
    if (schema === false) return !this.#isWrong(this.#levels.at(-1)?.part, value);
    const part = this.#parts.of(schema);
    if (part.assert?.(this, value, undefined, undefined, undefined) === false && this.#isWrong(schema, value))
      return false;
    if (!this.#fitsAll(part.all, value)) return false;
    for (const branches of part.unions) if (!this.#fitsUnion(branches, value)) return false;
    if (Array.isArray(value)) return this.#fitsItems(part, value);
    return isJsonObject(value) ? this.#fitsFields(part, value) : true;
  }

  #fitsAll(schemas: readonly JsonSchema[], value: unknown): boolean {
    const merged = schemas.length > 1 ? 1 : 0;
    this.#merges += merged;
    const fits = schemas.every((schema) => this.fits(schema, value));
    this.#merges -= merged;
    return fits;
  }

  #fitsInside(schema: JsonSchema, value: unknown, level: Level): boolean {
    if (schema === true) return true;
    this.#levels.push(level);
    const fits = this.fits(schema, value);
    this.#levels.pop();
    return fits;
  }

  #fitsItems(part: Part, items: readonly unknown[]): boolean {
    const { prefix, rest } = part;
    const end = rest === undefined ? Math.min(prefix.length, items.length) : items.length;
    for (let key = 0; key < end && this.stepsLeft >= 0; key++)
      if (!this.#fitsInside(prefix[key] ?? rest ?? true, items[key], { around: items, key, part }))
        return false;
    return true;
  }

  #fitsFields(part: Part, value: Readonly<Record<string, unknown>>): boolean {
    const { required, fields, others } = part;
    this.spend(Math.floor(fields.size * this.#costs.field));
    if (this.#merges > 0) this.spend(Object.keys(value).length ** 2 / COMPARISONS_PER_STEP);
    for (const key of required) {
      if (isGiven(value, key)) continue;
      this.#levels.push({ around: value, key, part });
      const isWrong = this.#isWrong(required, undefined);
      this.#levels.pop();
      if (isWrong) return false;
    }
    for (const [key, field] of fields)
      if (isGiven(value, key) && !this.#fitsInside(field, value[key], { around: value, key, part }))
        return false;
    if (others === undefined || others === true) return true;
    for (const key of Object.keys(value)) {
      if (this.stepsLeft < 0) break;
      if (fields.has(key) || key === '__proto__' || value[key] === undefined) continue;
      if (!this.#fitsInside(others, value[key], { around: value, key, part })) return false;
    }
    return true;
  }

  #fitsUnion(branches: readonly JsonSchema[], value: unknown): boolean {
    const possible = branches.filter((branch) => this.#canFit(branch, value));
    const isLarge = countValues(value, MAX_TRIED) > MAX_TRIED;
    const isAmbiguous = possible.length > 1 && (isLarge || (this.#parts.hasReferences && !this.#isTrying));
    if (this.#isCounting || isAmbiguous) this.#countBranches(possible, value);
    if (this.#isCounting) return true;
    if (isLarge) {
      const [only = true, ...more] = possible;
      this.spend(branches.length * this.#costs.branch);
      return possible.length === 0
        ? !this.#isWrong(branches, value)
        : more.length > 0 || this.fits(only, value);
    }
    const wasTrying = this.#isTrying;
    this.#isTrying = true;
    const found = branches.findIndex((branch) => possible.includes(branch) && this.fits(branch, value));
    this.#isTrying = wasTrying;
    this.spend((found < 0 ? branches.length : found) * this.#costs.branch);
    return found >= 0 || !this.#isWrong(branches, value);
  }

  #countBranches(branches: readonly JsonSchema[], value: unknown): void {
    const wasCounting = this.#isCounting;
    this.#isCounting = true;
    for (const branch of branches) this.fits(branch, value);
    this.#isCounting = wasCounting;
  }

  /** Whether a value has the type of a branch, and the branch's fixed values in its fields. */
  #canFit(schema: JsonSchema, value: unknown): boolean {
    if (typeof schema === 'boolean') return schema;
    const { assert, fields, all } = this.#parts.of(schema);
    if (assert?.(this, value, undefined, undefined, undefined) === false) return false;
    if (all.length === 1 && fields.size === 0) return this.#canFit(all[0] as JsonSchema, value);
    if (!isJsonObject(value)) return true;
    for (const [key, field] of fields) {
      if (typeof field === 'boolean' || (field['const'] ?? field['enum']) === undefined) continue;
      if (isGiven(value, key) && !this.#canFit(field, value[key])) return false;
    }
    return true;
  }

  /** Whether the library also reports an issue at the current place. */
  #isWrong(rule: unknown, value: unknown): boolean {
    if (this.#isTrying && !this.#isCounting) return true;
    if (this.#isCounting || this.#inexact.has(rule)) {
      this.spend(this.#isCounting ? this.#costs.issue : this.#costs.branch);
      return false;
    }
    const path = this.#levels.map(({ around, key, part }) => (isList(around, part) ? 0 : key));
    const issues = this.#validateSmall(value).filter((issue) =>
      path.every((key, index) => String(issue.path[index]) === String(key)),
    );
    if (issues.length === 0) {
      this.#inexact.add(rule);
      return false;
    }
    const place = this.#levels.map(({ key }) => key);
    this.issues = issues.map((issue) => ({
      ...issue,
      path: [...place, ...issue.path.slice(place.length)],
    }));
    return true;
  }

  #validateSmall(value: unknown): readonly SchemaIssue[] {
    let result: ValidationResult | Promise<ValidationResult>;
    try {
      result = this.#validate(this.#levels.reduceRight(copyAround, value));
    } catch {
      // Code of the author may throw for a partial value. The whole value is validated later.
      return [];
    }
    if (!isThenable(result)) return result.ok ? [] : result.issues;
    // The probe does not wait for asynchronous checks of a copy.
    result.catch(() => undefined);
    return [];
  }

  spend(steps: number): void {
    this.stepsLeft -= steps;
  }

  lengthOf(text: string): number {
    this.spend(text.length >> 7);
    return codePoints(text);
  }

  apply(): boolean {
    return true;
  }
}

/** Whether all items have the same schema, so that one item represents all. */
function isList(around: object, { prefix }: Part): boolean {
  return Array.isArray(around) && prefix.length === 0;
}

/**
 * Copies the object or array around a value with as few entries as possible. Declared scalar fields are kept, because they may
 * select a branch of a union.
 */
function copyAround(value: unknown, { around, key, part }: Level): unknown {
  if (Array.isArray(around)) {
    if (!isList(around, part)) return [...around.slice(0, key as number), value];
    const { minItems = 1 } = part.schema as { readonly minItems?: number };
    return Array.from({ length: Math.max(1, Math.min(minItems, MAX_COPIES)) }, () => value);
  }
  const copy = Object.create(Object.getPrototypeOf(around) as object | null) as Record<string, unknown>;
  for (const name of part.fields.keys()) {
    const field = isGiven(around, name) ? around[name as keyof typeof around] : undefined;
    if (field !== undefined && (typeof field !== 'object' || field === null)) copy[name] = field;
  }
  if (value !== undefined) copy[key] = value;
  return copy;
}

function isGiven(object: object, key: string): boolean {
  return Object.hasOwn(object, key) && (object as Record<string, unknown>)[key] !== undefined;
}
