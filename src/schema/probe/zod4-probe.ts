import { config, util } from 'zod/v4/core';
import type { ParsePayload } from 'zod/v4/core';
import { tooLong } from './fail-fast.js';
import type { Probe } from './fail-fast.js';
import { isJsonObject } from '../../values/json-value.js';
import type { SchemaIssue } from '../validate/schema-validator.js';

/** The parts of a Zod 4 schema that the probe reads. */
interface Schema {
  readonly _zod: {
    readonly def: Def;
    readonly optin?: string | undefined;
    readonly innerType?: Schema;
    readonly propValues?: Readonly<Record<string, ReadonlySet<unknown>>> | undefined;
    run(
      payload: ParsePayload,
      context: { async: boolean; abortEarly: boolean },
    ): ParsePayload | Promise<ParsePayload>;
  };
}

interface Def {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[];
  readonly shape?: Readonly<Record<string, Schema>>;
  readonly element?: Schema;
  readonly items?: readonly Schema[];
  readonly rest?: Schema | null;
  readonly innerType?: Schema;
  readonly in?: Schema;
  readonly options?: readonly Schema[];
  readonly discriminator?: string;
  readonly unionFallback?: boolean;
  readonly valueType?: Schema;
  readonly mode?: string;
}

/**
 * Searches a large value for the first place that does not match, because Zod collects every issue of a value, which takes
 * seconds for some values of legal size. The probe walks objects, arrays and records itself, lets Zod check their parts one by
 * one, and stops at the first issue. It skips code of the author, so it accepts more than Zod and never less; Zod validates
 * values without a finding as usual.
 */
export function probeZod4(source: unknown, runsCode: boolean): Probe {
  return (value, maxSteps) => {
    const walk = new Walk(runsCode, maxSteps);
    if (!walk.fits(source as Schema, value, [])) return walk.issues;
    return walk.stepsLeft < 0 ? tooLong : undefined;
  };
}

type Path = readonly (string | number)[];

class Walk {
  issues: readonly SchemaIssue[] = [];
  stepsLeft: number;
  readonly #runsCode: boolean;

  constructor(runsCode: boolean, maxSteps: number) {
    this.#runsCode = runsCode;
    this.stepsLeft = maxSteps;
  }

  fits(schema: Schema, value: unknown, path: Path): boolean {
    if (--this.stepsLeft < 0) return true;
    const { def } = schema._zod;
    switch (def.type) {
      case 'optional':
      case 'default':
      case 'prefault':
        return value === undefined || this.#fitsInner(def.innerType, value, path);
      case 'nullable':
        return value === null || this.#fitsInner(def.innerType, value, path);
      case 'readonly':
      case 'nonoptional':
        return this.#fitsInner(def.innerType, value, path);
      case 'lazy':
        return this.#fitsInner(schema._zod.innerType, value, path);
      case 'pipe':
        return this.#fitsInner(def.in, value, path);
      case 'object':
        return isJsonObject(value) ? this.#fitsFields(def, value, path) : this.#run(schema, value, path);
      case 'record':
        return isJsonObject(value) ? this.#fitsEntries(def, value, path) : this.#run(schema, value, path);
      case 'array':
      case 'tuple':
        return Array.isArray(value) ? this.#fitsItems(def, value, path) : this.#run(schema, value, path);
      case 'union':
        return this.#fitsUnion(schema, value, path);
      case 'string':
      case 'number':
      case 'boolean':
        // Without checks a value of this type is valid, and custom checks run code of the author.
        if (typeof value === def.type && (!def.checks?.length || def.checks.some(isCode))) return true;
        return this.#run(schema, value, path);
      case 'null':
      case 'literal':
      case 'enum':
      case 'never':
        return this.#run(schema, value, path);
      default:
        return true;
    }
  }

  #fitsInner(schema: Schema | undefined, value: unknown, path: Path): boolean {
    return schema === undefined || this.fits(schema, value, path);
  }

  #fitsFields(def: Def, value: object, path: Path): boolean {
    const fields = fieldsOf(def);
    this.stepsLeft -= fields.length >> 4;
    for (const [name, field] of fields) {
      const isGiven = Object.hasOwn(value, name);
      if (!isGiven && field._zod.optin !== undefined) continue;
      const entry = isGiven ? (value as Record<string, unknown>)[name] : undefined;
      if (!this.fits(field, entry, [...path, name])) return false;
    }
    return true;
  }

  #fitsEntries({ valueType, mode }: Def, value: object, path: Path): boolean {
    // A loose record accepts any value under unknown keys.
    if (valueType === undefined || mode === 'loose') return true;
    for (const [key, entry] of Object.entries(value))
      if (key !== '__proto__' && !this.fits(valueType, entry, [...path, key])) return false;
    return true;
  }

  #fitsItems({ element, items = [], rest }: Def, value: readonly unknown[], path: Path): boolean {
    for (let index = 0; index < value.length && this.stepsLeft >= 0; index++) {
      const schema = element ?? items[index] ?? rest;
      if (schema && !this.fits(schema, value[index], [...path, index])) return false;
    }
    return true;
  }

  #fitsUnion(schema: Schema, value: unknown, path: Path): boolean {
    const { def } = schema._zod;
    const { options = [], discriminator, unionFallback } = def;
    if (discriminator !== undefined && unionFallback !== true) {
      const kind = isJsonObject(value) ? (value as Record<string, unknown>)[discriminator] : undefined;
      const option = options.find(({ _zod }) => _zod.propValues?.[discriminator]?.has(kind));
      return option === undefined ? this.#run(schema, value, path) : this.fits(option, value, path);
    }
    const possible = options.filter((option) => canBe(option, value));
    if (possible.length === 1) return this.fits(possible[0] as Schema, value, path);
    // Zod tries one option after the other and collects the issues of each.
    this.stepsLeft -= options.length;
    return this.stepsLeft < 0 || this.#runsCode || this.#run(schema, value, path);
  }

  #run(schema: Schema, value: unknown, path: Path): boolean {
    const result = schema._zod.run({ value, issues: [] }, { async: false, abortEarly: true });
    if (result instanceof Promise || result.issues.length === 0) return true;
    this.issues = result.issues.map((issue) => {
      const { path: inner, message } = util.finalizeIssue(issue, undefined, config());
      return {
        path: [...path, ...inner.map((key) => (typeof key === 'symbol' ? String(key) : key))],
        message,
      };
    });
    return false;
  }
}

const knownFields = new WeakMap<Def, readonly (readonly [string, Schema])[]>();

/** The fields of an object schema. Cached, because fields may be getters that create a new schema each time. */
function fieldsOf(def: Def): readonly (readonly [string, Schema])[] {
  let fields = knownFields.get(def);
  if (!fields) knownFields.set(def, (fields = Object.entries(def.shape ?? {})));
  return fields;
}

function isCode(check: { readonly _zod: { readonly def: { readonly check: string } } }): boolean {
  return check._zod.def.check === 'custom' || check._zod.def.check === 'overwrite';
}

/** Whether a value may have the type of a union's option. */
function canBe({ _zod: { def } }: Schema, value: unknown): boolean {
  switch (def.type) {
    case 'array':
    case 'tuple':
      return Array.isArray(value);
    case 'object':
    case 'record':
      return isJsonObject(value);
    case 'null':
      return value === null;
    default:
      return true;
  }
}
