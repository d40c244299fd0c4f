import type { JsonSchema, Trail } from './json-schema.js';
import { add, fail, schemaList } from './schema-check.js';
import type { Check, Evaluated, Issues, SchemaWalk } from './schema-check.js';
import type { SchemaIssue } from './validation-result.js';

/** References and compositions: schemas that apply to the same value. */
export const applyInPlace: Check = function (schema, value, trail, issues, own) {
  let isValid = true;
  const also = (part: JsonSchema): void => {
    if (!this.apply(part, value, trail, issues, own)) isValid = false;
  };
  if (schema['$ref'] !== undefined) also(this.target(schema['$ref']));
  for (const part of schemaList(schema['allOf'])) {
    if (!isValid && !issues) return false;
    also(part);
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    if (!isValid && !issues) return false;
    if (
      schema[keyword] !== undefined &&
      !applyBranches(this, keyword, schemaList(schema[keyword]), value, trail, issues, own)
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
};

function applyBranches(
  walk: SchemaWalk,
  keyword: 'anyOf' | 'oneOf',
  branches: readonly JsonSchema[],
  value: unknown,
  trail: Trail,
  issues: Issues,
  own: Evaluated | undefined,
): boolean {
  let matches = 0;
  let closest: SchemaIssue[] | undefined;
  for (const branch of branches) {
    const problems: Issues = issues && [];
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
