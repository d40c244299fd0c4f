import { ErrInvalidOptions } from 'toolfold/errors';
import { readSchema } from '@toolfold/schema';
import { clip, isJsonObject, isThenable, mapIn, suggestName } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

type Values = Readonly<Record<string, unknown>>;

/** The schemas of these keywords apply to the same object, so they can name its fields too. */
const listApplicators = ['allOf', 'anyOf', 'oneOf'] as const;
const applicators = ['if', 'then', 'else'] as const;

/** Returns the schema that clients see: without the fixed fields, and with fields that have a default made optional. */
export function restrictSchema(
  schema: JsonSchemaObject,
  { defaults, fixed }: { readonly defaults: Values; readonly fixed: Values },
): JsonSchemaObject {
  const removed = new Set(Object.keys(fixed));
  const optional = new Set([...removed, ...Object.keys(defaults)]);
  const restricted = restrict(schema, removed, optional);
  const { properties } = restricted;
  if (!isJsonObject(properties)) return restricted;
  const entries = Object.entries(properties).map(([name, field]) => [
    name,
    isJsonObject(field) && Object.hasOwn(defaults, name) ? { ...field, default: defaults[name] } : field,
  ]);
  return { ...restricted, properties: Object.fromEntries(entries) as JsonSchemaObject };
}

function restrict(
  schema: JsonSchemaObject,
  removed: ReadonlySet<string>,
  optional: ReadonlySet<string>,
): JsonSchemaObject {
  const changed: Record<string, unknown> = { ...schema };
  const { properties, required, dependentRequired } = schema;
  if (isJsonObject(properties)) changed['properties'] = without(properties, removed);
  if (Array.isArray(required)) {
    const kept = required.filter((name) => !optional.has(name as string));
    if (kept.length > 0) changed['required'] = kept;
    else delete changed['required'];
  }
  if (isJsonObject(dependentRequired))
    changed['dependentRequired'] = Object.fromEntries(
      Object.entries(without(dependentRequired, removed)).map(([name, needed]) => [
        name,
        Array.isArray(needed) ? needed.filter((each) => !optional.has(each as string)) : needed,
      ]),
    );
  for (const keyword of applicators) {
    const inner = schema[keyword];
    if (isJsonObject(inner)) changed[keyword] = restrict(inner, removed, optional);
  }
  for (const keyword of listApplicators) {
    const inner = schema[keyword];
    if (Array.isArray(inner))
      changed[keyword] = inner.map((each: unknown) =>
        isJsonObject(each) ? restrict(each, removed, optional) : each,
      );
  }
  return changed as JsonSchemaObject;
}

function without(record: Values, removed: ReadonlySet<string>): Values {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !removed.has(name)));
}

/** Throws if a tool does not have an argument, or if the schema of the argument rejects the value. */
export function assertArguments(place: string, schema: JsonSchemaObject, values: Values): void {
  const given = Object.keys(values);
  if (given.length === 0) return;
  const properties = mapIn(schema['properties']);
  const known = Object.keys(properties);
  const unknown = given.find((name) => !Object.hasOwn(properties, name));
  if (unknown !== undefined && !isOpen(schema))
    throw new ErrInvalidOptions(`${place} has "${clip(unknown, 100)}", which is no argument of the tool.`, {
      ...(known.length === 0 ? { hint: 'The tool has no arguments.' } : suggestName(unknown, known)),
    });
  const { $defs, definitions } = schema;
  const { validate } = readSchema({
    type: 'object',
    properties: properties as JsonSchemaObject,
    additionalProperties: true,
    ...(isJsonObject($defs) ? { $defs: $defs as JsonSchemaObject } : {}),
    ...(isJsonObject(definitions) ? { definitions: definitions as JsonSchemaObject } : {}),
  });
  const result = validate(values);
  if (isThenable(result) || result.ok) return;
  const [issue] = result.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  throw new ErrInvalidOptions(
    `${place}.${path} does not fit the schema of the tool: it ${issue?.message ?? 'is not valid'}.`,
  );
}

/** Whether a schema can have fields that its top level does not list. */
function isOpen(schema: JsonSchemaObject): boolean {
  const { additionalProperties } = schema;
  if (additionalProperties === true || isJsonObject(additionalProperties)) return true;
  return ['allOf', 'anyOf', 'oneOf', 'if', '$ref', 'patternProperties'].some((keyword) => keyword in schema);
}
