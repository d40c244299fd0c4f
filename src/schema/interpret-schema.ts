import { applyToArray } from './check-array.js';
import { applyInPlace } from './check-composition.js';
import { applyToObject } from './check-object.js';
import { applyUnevaluated } from './check-unevaluated.js';
import { applyAssertions } from './check-value.js';
import type { Dialect, JsonSchema, Trail } from './json-schema.js';
import type { NormalSchema } from './normal-schema.js';
import { fail } from './schema-check.js';
import type { Evaluated, Issues, SchemaWalk } from './schema-check.js';
import type { SchemaIssue, Validate } from './validation-result.js';

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

class Walk implements SchemaWalk {
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

  apply(schema: JsonSchema, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean {
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
