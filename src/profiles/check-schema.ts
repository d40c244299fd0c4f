import { isJsonObject } from '../values/json-value.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import type { ProfileRules } from './rules/rules-of.js';
import type { SchemaPlace } from './rules/rule.js';
import { MAX_DEPTH } from './rules/structure-rules.js';
import { STRICT_PROPERTIES } from './rules/strict-rules.js';
import { walkSchema } from './walk-schema.js';
import type { Visited } from './walk-schema.js';

type Report = (rule: string, visited: Visited | undefined, message: string) => void;

/** Reports every rule that an input schema breaks. */
export function checkSchema(schema: unknown, rules: ProfileRules, report: Report): void {
  if (!isJsonObject(schema)) {
    report('root-object', undefined, 'The root must have type "object".');
    return;
  }
  let properties = 0;
  const isWhole = walkSchema(schema, MAX_DEPTH, (visited) => {
    checkSubschema(visited.schema, visited.place, rules, (rule, message) => report(rule, visited, message));
    if (isJsonObject(visited.schema['properties']))
      properties += Object.keys(visited.schema['properties']).length;
  });
  if (!isWhole) report('bounded-schema', undefined, 'The schema has too many subschemas.');
  if (properties > STRICT_PROPERTIES && rules.ids.has('strict-properties')) {
    report(
      'strict-properties',
      undefined,
      `A strict schema may have 100 properties, and it has ${properties}.`,
    );
  }
}

/** Reports every rule that one subschema breaks by itself. */
export function checkSubschema(
  schema: JsonSchemaObject,
  place: SchemaPlace,
  { schemas, keywords }: ProfileRules,
  report: (rule: string, message: string) => void,
): void {
  if (keywords.size > 0) {
    for (const keyword in schema) {
      const rule = schema[keyword] === undefined ? undefined : keywords.get(keyword);
      if (rule !== undefined) report(rule, `The keyword "${keyword}" is not accepted.`);
    }
  }
  for (const { id, check } of schemas) {
    const message = check?.(schema, place);
    if (message !== undefined) report(id, message);
  }
}
