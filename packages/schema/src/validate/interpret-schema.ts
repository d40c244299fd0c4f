import { prepareArray, prepareObject } from './check-members.js';
import { prepareInPlace, prepareUnevaluated } from './check-composition.js';
import { prepareAssertions } from './check-value.js';
import { countValues } from '../values/json-limits.js';
import { codePoints } from '../values/json-value.js';
import type { Trail } from '../visit/json-pointer.js';
import type { JsonSchema } from '../values/json-schema.js';
import { PatternTooSlow, renewPatternSteps } from '../patterns/pattern.js';
import { fail } from './schema-walk.js';
import type { Evaluated, Issues, Preparation, SchemaNode, SchemaWalk } from './schema-walk.js';
import { createSizeRule } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { UNKNOWN_FIELD } from './schema-validator.js';
import type { SchemaIssue, Validate } from './schema-validator.js';

/**
 * A large value may take this many steps for each of its JSON values, even above the limit, because other limits bound the size
 * of values. The step limit is for schemas that check each value many times.
 */
const STEPS_PER_VALUE = 4;

/** After a value was found invalid, collecting its issues may take this share of the steps. */
const SHARE_TO_EXPLAIN = 1 / 4;

/**
 * Validates by walking a schema. This is the reference implementation; generated code gives the same results faster. A key whose
 * value is `undefined` counts as absent, as in JSON.
 */
export function interpret(
  schema: NormalSchema,
  maxSteps: number,
  isSmall = createSizeRule(schema, maxSteps),
): Validate {
  const tracks = /"unevaluated(Items|Properties)"/.test(
    JSON.stringify([schema.root, ...schema.targets.values()]),
  );
  const nodes = new Nodes(schema, tracks);
  return (value) => {
    const issues: SchemaIssue[] = [];
    renewPatternSteps();
    if (isSmall(value)) {
      const isValid = tryWalk(() => new Walk(Infinity, tracks).apply(nodes.root, value, undefined, issues));
      if (isValid === undefined) return { ok: false, issues: [tooSlow] };
      return isValid ? { ok: true, value } : { ok: false, issues };
    }
    // The first run stops at the first issue, because collecting all issues of a large value would be most of the work.
    const values = countValues(value);
    const steps = Math.max(maxSteps, STEPS_PER_VALUE * values);
    const fits = tryWalk(() => new Walk(steps, tracks).apply(nodes.root, value, undefined, undefined));
    if (fits) return { ok: true, value };
    if (fits === undefined) return { ok: false, issues: [tooSlow] };
    renewPatternSteps();
    const explaining = Math.max(maxSteps * SHARE_TO_EXPLAIN, 2 * values);
    tryWalk(() => new Walk(explaining, tracks).apply(nodes.root, value, undefined, issues));
    return {
      ok: false,
      issues: issues.length > 0 ? issues : [{ path: [], message: 'does not match the schema' }],
    };
  };
}

/** The message for a value whose validation was stopped, so that its validity is unknown. */
export const TOO_SLOW = 'takes too long to check';
const tooSlow: SchemaIssue = { path: [], message: TOO_SLOW };

class TooManySteps extends Error {}
const tooManySteps = new TooManySteps();

/** Returns `undefined` if a walk takes too many steps. */
function tryWalk(walk: () => boolean): boolean | undefined {
  try {
    return walk();
  } catch (error) {
    if (error === tooManySteps || error instanceof PatternTooSlow) return undefined;
    throw error;
  }
}

/** Prepares the nodes of a schema on first use. */
class Nodes implements Preparation {
  readonly isDraft07: boolean;
  readonly tracks: boolean;
  readonly #schema: NormalSchema;
  readonly #targets = new Map<unknown, SchemaNode>();
  #root: SchemaNode | undefined;

  constructor(schema: NormalSchema, tracks: boolean) {
    this.#schema = schema;
    this.isDraft07 = schema.dialect === 'draft-07';
    this.tracks = tracks;
  }

  get root(): SchemaNode {
    return (this.#root ??= this.prepare(this.#schema.root));
  }

  readonly prepare = (schema: JsonSchema): SchemaNode => {
    if (typeof schema === 'boolean') return schema;
    const checks = [
      prepareInPlace(schema, this),
      prepareAssertions(schema, this),
      prepareArray(schema, this),
      prepareObject(schema, this),
      prepareUnevaluated(schema, this),
    ].filter((check) => check !== undefined);
    return { checks };
  };

  readonly target = (reference: unknown): SchemaNode => {
    let node = this.#targets.get(reference);
    if (node === undefined) {
      node = this.prepare(this.#schema.targets.get(String(reference)) ?? false);
      this.#targets.set(reference, node);
    }
    return node;
  };
}

class Walk implements SchemaWalk {
  readonly tracks: boolean;
  #stepsLeft: number;
  #text = '';
  #length = 0;

  constructor(maxSteps: number, tracks: boolean) {
    this.#stepsLeft = maxSteps;
    this.tracks = tracks;
  }

  apply(node: SchemaNode, value: unknown, trail: Trail, issues: Issues, evaluated?: Evaluated): boolean {
    this.spend(1);
    if (node === true) return true;
    if (node === false) return fail(issues, trail, UNKNOWN_FIELD);
    const own: Evaluated | undefined = this.tracks ? { keys: new Set(), indexes: new Set() } : undefined;
    let isValid = true;
    for (const check of node.checks) {
      if (check(this, value, trail, issues, own)) continue;
      if (!issues) return false;
      isValid = false;
    }
    if (isValid && own && evaluated) {
      this.spend((own.keys.size + own.indexes.size) >> 2);
      for (const key of own.keys) evaluated.keys.add(key);
      for (const index of own.indexes) evaluated.indexes.add(index);
    }
    return isValid;
  }

  lengthOf(text: string): number {
    if (text === this.#text) return this.#length;
    this.spend(text.length >> 7);
    this.#text = text;
    this.#length = codePoints(text);
    return this.#length;
  }

  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) throw tooManySteps;
  }
}
