import { isJsonObject } from '../values/json-value.js';

/** The parts of a Zod 4 schema that decide how long a validation takes. */
interface Schema {
  readonly _zod: {
    readonly def: Def;
    readonly optin?: string | undefined;
    readonly innerType?: Schema;
    readonly pattern?: RegExp | undefined;
    readonly propValues?: Readonly<Record<string, ReadonlySet<unknown>>> | undefined;
  };
}

interface Def {
  readonly type: string;
  readonly checks?: readonly unknown[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly catchall?: Schema;
  readonly element?: Schema;
  readonly items?: readonly Schema[];
  readonly rest?: Schema | null;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly out?: Schema;
  readonly left?: Schema;
  readonly right?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly unionFallback?: boolean;
  readonly keyType?: Schema;
  readonly valueType?: Schema;
  readonly parts?: readonly unknown[];
}

/** Zod's merge of two objects compares each key of one with each of the other. This many comparisons take as long as one step. */
const COMPARISONS_PER_STEP = 512;
/** A template literal tries this many places in about the time of one step. */
const PLACES_PER_STEP = 1_000;
/** Zod skips an absent optional field much faster than it applies a schema. */
const ABSENT_FIELD = 1 / 8;

/**
 * Counts the steps of a validation: one for each schema that Zod may apply to a part of the value. It assumes that nothing matches,
 * so that Zod tries every branch of every union. Stops above `maxSteps`.
 */
export function countZod4Steps(source: unknown, value: unknown, maxSteps: number): number {
  const walk = new Walk(maxSteps);
  walk.visit(source as Schema, value);
  return walk.steps;
}

class Walk {
  steps = 0;
  readonly #maxSteps: number;
  /** The number of intersections around the current schema. Each merges the objects that its two sides return. */
  #merges = 0;

  constructor(maxSteps: number) {
    this.#maxSteps = maxSteps;
  }

  visit(schema: Schema, value: unknown): void {
    const { def, innerType = def.innerType } = schema._zod;
    this.steps += 1 + (def.checks?.length ?? 0);
    if (innerType) this.visit(innerType, value);
    else if (def.in && def.out) this.#visitAll([def.in, def.out], value);
    else if (def.left && def.right) {
      this.#merges++;
      this.#visitAll([def.left, def.right], value);
      this.#merges--;
    } else if (def.options) this.#visitAll(optionsFor(def, value), value);
    else if (def.parts && typeof value === 'string')
      this.steps += countPlaces(def.parts, value) / PLACES_PER_STEP;
    else if (Array.isArray(value)) this.#visitItems(def, value);
    else if (isJsonObject(value)) this.#visitEntries(def, value);
  }

  #visitAll(schemas: readonly Schema[], value: unknown): void {
    for (const schema of schemas) if (this.steps <= this.#maxSteps) this.visit(schema, value);
  }

  #visitItems({ element, items = [], rest }: Def, value: readonly unknown[]): void {
    for (let index = 0; index < value.length && this.steps <= this.#maxSteps; index++) {
      const schema = element ?? items[index] ?? rest;
      if (schema) this.visit(schema, value[index]);
    }
  }

  #visitEntries(def: Def, value: Readonly<Record<string, unknown>>): void {
    const { fields, required } = fieldsOf(def);
    const other = def.catchall ?? def.valueType;
    let [given, needed, keys] = [0, 0, 0];
    for (const key in value) {
      if (this.steps > this.#maxSteps) return;
      keys++;
      const field = fields.get(key);
      if (field) {
        given++;
        if (field._zod.optin === undefined) needed++;
      }
      const schema = field ?? other;
      if (schema) this.visit(schema, value[key]);
      if (def.keyType) this.visit(def.keyType, key);
    }
    this.steps += required - needed + (fields.size - given) * ABSENT_FIELD;
    if (this.#merges > 0 && (other ?? def.shape)) this.steps += keys ** 2 / COMPARISONS_PER_STEP;
  }
}

function optionsFor({ options = [], discriminator, unionFallback }: Def, value: unknown): readonly Schema[] {
  if (discriminator === undefined || unionFallback === true) return options;
  const kind = isJsonObject(value) ? value[discriminator] : undefined;
  const option = options.find(({ _zod }) => _zod.propValues?.[discriminator]?.has(kind));
  return option === undefined ? [] : [option];
}

interface Fields {
  readonly fields: ReadonlyMap<string, Schema>;
  readonly required: number;
}

const knownFields = new WeakMap<Def, Fields>();

/** Cached, because fields may be getters that create a new schema on each access. */
function fieldsOf(def: Def): Fields {
  let known = knownFields.get(def);
  if (!known) {
    const fields = new Map(Object.entries(def.shape ?? {}));
    const required = [...fields.values()].filter(({ _zod }) => _zod.optin === undefined).length;
    knownFields.set(def, (known = { fields, required }));
  }
  return known;
}

/**
 * Counts the ways to divide a text into the parts of a template literal, all of which its regular expression may try: an open
 * part ends at any place, or wherever the text after it occurs.
 */
function countPlaces(parts: readonly unknown[], text: string): number {
  let places = text.length;
  let isFirst = true;
  let between = '';
  for (const part of templateParts(parts)) {
    if (typeof part !== 'object' || part === null) between ||= String(part);
    else if (canVary(part)) {
      if (!isFirst) places *= between === '' ? text.length : text.split(between).length;
      isFirst = false;
      between = '';
    }
  }
  return places;
}

/** Returns the parts of a template literal, with those of nested template literals in their place. */
export function templateParts(parts: readonly unknown[]): unknown[] {
  return parts.flatMap((part) => {
    const inner = (part as Schema | null)?._zod?.def.parts;
    return inner ? templateParts(inner) : [part];
  });
}

/** Whether a part is a schema whose text has no fixed maximum length. */
export function canVary(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { pattern } = (part as Schema)._zod;
  return pattern === undefined || /[*+]|,\d*\}/.test(pattern.source);
}
