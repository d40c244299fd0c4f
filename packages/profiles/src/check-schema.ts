import { isJsonObject, walkSchema } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import type { ProfileRules } from './rules/rules-of.js';
import type { SchemaPlace } from './rules/rule.js';
import { MAX_DEPTH } from './rules/structure-rules.js';
import { STRICT_PROPERTIES } from './rules/strict-rules.js';
import type { SchemaNode } from '@toolfold/schema/internal';

type Report = (rule: string, node: SchemaNode | undefined, message: string) => void;

/** Reports the rules that an input schema or a schema inside it breaks. */
export function checkSchema(schema: unknown, rules: ProfileRules, report: Report): void {
  if (!isJsonObject(schema)) {
    report('root-object', undefined, 'The root must have type "object".');
    return;
  }
  let properties = 0;
  const visit = (node: SchemaNode): void => {
    checkSubschema(node.schema, node, rules, (rule, message) => report(rule, node, message));
    if (isJsonObject(node.schema['properties'])) properties += Object.keys(node.schema['properties']).length;
  };
  const isWhole = walkSchema(schema, visit, MAX_DEPTH);
  if (!isWhole && !rules.keepsArguments)
    report('bounded-schema', undefined, 'The schema has too many subschemas.');
  if (properties > STRICT_PROPERTIES && rules.ids.has('strict-properties')) {
    report(
      'strict-properties',
      undefined,
      `A strict schema may have 100 properties, and it has ${properties}.`,
    );
  }
}

/** Reports the rules that a subschema breaks, without looking at the schemas inside it. */
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
