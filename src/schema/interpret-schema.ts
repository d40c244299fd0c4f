import { validate } from '@cfworker/json-schema';
import type { OutputUnit, Schema } from '@cfworker/json-schema';
import { followData } from './json-value.js';
import type { NormalSchema } from './normal-schema.js';
import type { SchemaIssue, Validate } from './validation-result.js';

/** Walks the schema for every value, for runtimes that forbid generated code. */
export function interpret({ dialect, root, targets }: NormalSchema): Validate {
  const draft = dialect === '2020-12' ? '2020-12' : '7';
  const lookup = Object.fromEntries(targets) as Record<string, Schema | boolean>;
  return (value) => {
    const { valid, errors } = validate(toJson(value), root as Schema, draft, lookup, false);
    return valid ? { ok: true, value } : { ok: false, issues: toIssues(errors, value) };
  };
}

/** What JSON would make of the value, since the interpreter throws on anything else. */
function toJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => toJson(item) ?? null);
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, entry]) => entry !== undefined);
    return Object.fromEntries(entries.map(([key, entry]) => [key, toJson(entry)]));
  }
  return value;
}

/** Keywords whose error only announces the errors below it. */
const summaries = new Set(
  [
    [
      '$ref',
      'allOf',
      'if',
      'properties',
      'patternProperties',
      'additionalProperties',
      'unevaluatedProperties',
    ],
    ['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'dependentSchemas', 'propertyNames'],
  ].flat(),
);

function toIssues(errors: readonly OutputUnit[], value: unknown): SchemaIssue[] {
  const telling = errors.filter(({ keyword }) => !summaries.has(keyword));
  return (telling.length > 0 ? telling : errors).map(({ keyword, instanceLocation, error }) => {
    const { path } = followData(instanceLocation, value);
    if (keyword === 'false') return { path, message: 'is not a known field' };
    const missing = keyword === 'required' ? /"(.*)"/s.exec(error)?.[1] : undefined;
    return missing === undefined
      ? { path, message: error }
      : { path: [...path, missing], message: 'is required' };
  });
}
