import { ToolfoldError } from '../errors.js';
import type { Dialect, JsonSchema, SchemaLimits } from '../values/json-schema.js';
import { canonicalJson, isJsonObject } from '../values/json-value.js';
import { copySchema } from '../check/copy-schema.js';
import { forEachSubschema, keywords, mapSubschemas } from '../check/keywords.js';
import { normalizeSchema, withoutEffect } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { PatternTooSlow } from '../patterns/pattern.js';
import { patternProblem } from '../patterns/patterns.js';
import { interpret, TOO_SLOW } from '../validate/interpret-schema.js';
import { toCanonicalSchema, withoutUndeclared } from './canonical-schema.js';
import { SchemaComparison } from './schema-comparison.js';
import { findWitness } from './witness/find-witness.js';

/** Whether one schema accepts every value that another accepts. */
export type Inclusion =
  | { readonly holds: true }
  /** `isUndeclaredOnly`: all such values have fields that the other schema does not declare. */
  | { readonly holds: false; readonly witness: unknown; readonly isUndeclaredOnly: boolean }
  | { readonly holds: undefined; readonly reason: string };

/** How the values that two versions of a schema accept relate. */
export interface SchemaRelation {
  /** Whether the new schema accepts everything that the old one accepted. */
  readonly keeps: Inclusion;
  /** Whether the new schema accepts nothing that the old one rejected. */
  readonly addsNothing: Inclusion;
}

const limits: SchemaLimits = { depth: 100, size: 500_000, subschemas: 10_000, steps: 50_000 };
/** Time limit for each direction. */
const MAX_MS = 1_000;

/**
 * Compares two versions of a schema by the values that they accept. `holds` is `true` only if it is proven and `false` only with a
 * witness that validators of both versions confirm; it is `undefined` if neither is found. Patterns of untrusted schemas need
 * `loadLinearPatterns()` first.
 */
export function compareSchemas(
  before: unknown,
  after: unknown,
  { maxMs = MAX_MS }: { readonly maxMs?: number } = {},
): SchemaRelation {
  const holds = { holds: true } as const;
  if (rulesOf(before) === rulesOf(after)) return { keeps: holds, addsNothing: holds };
  const [old, now] = [readSide(before, 'old'), readSide(after, 'new')];
  if (typeof old === 'string' || typeof now === 'string') {
    const undecided = { holds: undefined, reason: String(typeof old === 'string' ? old : now) } as const;
    return { keeps: undecided, addsNothing: undecided };
  }
  return { keeps: isIncluded(old, now, maxMs), addsNothing: isIncluded(now, old, maxMs) };
}

interface Side {
  readonly normal: NormalSchema;
  readonly canonical: NormalSchema;
}

/** Reads an untrusted schema. Returns the reason if the schema cannot be compared. */
function readSide(schema: unknown, which: string): Side | string {
  try {
    const copy = copySchema(schema, limits);
    const problem = patternProblem(copy);
    if (problem !== undefined) return `The ${which} schema cannot be compared: ${problem}.`;
    const sorted = JSON.parse(canonicalJson(copy)) as JsonSchema;
    const normal = normalizeSchema(sorted, { limits, formats: true });
    const contested = findContested(sorted, normal.dialect);
    if (contested !== undefined)
      return `The ${which} schema cannot be compared: validators disagree about ${contested}.`;
    return { normal, canonical: toCanonicalSchema(normal) };
  } catch (error) {
    if (!(error instanceof ToolfoldError)) throw error;
    return `The ${which} schema cannot be compared: ${error.message}`;
  }
}

/** Writes a schema without the keywords that only explain. Schemas with equal texts accept the same values in every dialect. */
function rulesOf(schema: unknown): string {
  const strip = (node: JsonSchema, depth: number): JsonSchema => {
    if (!isJsonObject(node) || depth > limits.depth) return node;
    const kept = Object.entries(node).filter(([keyword]) => !explaining.has(keyword));
    return Object.fromEntries(
      kept.map(([keyword, value]) => [
        keyword,
        mapSubschemas(keyword, value, '2020-12', (child) => strip(child, depth + 1)),
      ]),
    );
  };
  return canonicalJson(strip(schema as JsonSchema, 0));
}

const explaining: ReadonlySet<string> = new Set([
  'title',
  'description',
  '$comment',
  'examples',
  'deprecated',
]);

/** Finds a keyword to which some validators give another meaning than the specification, so that no verdict holds for all. */
function findContested(schema: JsonSchema, dialect: Dialect): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (schema['nullable'] === true) return 'nullable';
  if (dialect === '2020-12' && isJsonObject(schema['dependencies'])) return 'dependencies in this dialect';
  const isValidating = (keyword: string): boolean =>
    keyword !== '$ref' && keywords[dialect].has(keyword) && !withoutEffect.has(keyword);
  if (dialect === 'draft-07' && '$ref' in schema && Object.keys(schema).some(isValidating))
    return 'keywords beside $ref';
  let found: string | undefined;
  for (const [keyword, value] of Object.entries(schema))
    forEachSubschema(keywords[dialect].get(keyword), value, (child) => {
      found ??= findContested(child, dialect);
    });
  return found;
}

function isIncluded(inner: Side, outer: Side, maxMs: number): Inclusion {
  const end = Date.now() + maxMs;
  const isOver = (): boolean => Date.now() > end;
  try {
    const problem = findNarrower(inner.canonical, outer.canonical, isOver);
    if (problem === undefined) return { holds: true };
    const accepts = interpret(inner.normal, limits.steps);
    const rejects = interpret(outer.normal, limits.steps);
    const isWitness = (value: unknown): boolean => {
      if (!accepts(value).ok) return false;
      const result = rejects(value);
      return !result.ok && result.issues.every(({ message }) => message !== TOO_SLOW);
    };
    const found = findWitness({ inner: inner.canonical, outer: outer.canonical, isWitness, isOver });
    if (!found)
      return {
        holds: undefined,
        reason: `${capitalize(problem)}, but no value is found that shows a difference.`,
      };
    const declared = findNarrower(withoutUndeclared(inner.canonical), outer.canonical, isOver);
    return { holds: false, witness: found.value, isUndeclaredOnly: declared === undefined };
  } catch (error) {
    if (!(error instanceof PatternTooSlow)) throw error;
    return { holds: undefined, reason: 'A pattern takes too long to match.' };
  }
}

function findNarrower(inner: NormalSchema, outer: NormalSchema, isOver: () => boolean): string | undefined {
  return new SchemaComparison(outer, inner, isOver).findNarrower(outer.root, [inner.root]);
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
