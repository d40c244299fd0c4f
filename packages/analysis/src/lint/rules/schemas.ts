import { DefaultValidator } from 'toolfold';
import type { JsonSchema, JsonSchemaObject } from 'toolfold';
import {
  canonicalJson,
  foreignKeywords,
  formProblem,
  isJsonObject,
  joinPointer,
  keywords,
  mapIn,
  namesIn,
  patternProblem,
  schemasIn,
  TOO_SLOW,
} from '@toolfold/schema/internal';
import { at } from '../finding.js';
import type { Fault, Item, LintRule, Surface } from '../finding.js';
import { describeUnion, MANY_BRANCHES } from '../../target/slow-parts.js';
import type { SlowPart } from '../../target/slow-parts.js';
import { inputFields, inputNodes, nodesOf } from '../tool-parts.js';
import { unusedDefinitions } from '../unused-definitions.js';
import type { PlacedNode } from '../tool-parts.js';
import { listSome } from '../words.js';
import { writingTools } from './writing-tools.js';

const shaping = ['type', 'enum', 'const', '$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if'];

function* findUndescribed({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const missing = inputFields(item).filter(
      ({ schema, pointer, fields }) => fields <= 2 && !isSelfEvident(schema) && !isAside.test(pointer),
    );
    const [first] = missing;
    if (!first) continue;
    const names = [...new Set(missing.map(({ field }) => field))];
    yield {
      ...at(item, missing.length === 1 ? first.pointer : '/inputSchema/properties'),
      reason: `${names.length === 1 ? 'The field' : `${names.length} fields`} ${listSome(names)} ${names.length === 1 ? 'has' : 'have'} no description.`,
    };
  }
}

/** Definitions and values of maps need no description of their own: the place that uses them has it. */
const isAside = /\/(?:\$defs|definitions|additionalProperties|patternProperties)\//;

/** Whether a field needs no description: it has one, allows only one value, or refers to a definition. */
function isSelfEvident(schema: JsonSchemaObject): boolean {
  const { description, const: only, enum: choices, $ref, anyOf, oneOf, allOf } = schema;
  if (typeof description === 'string' && description.trim() !== '') return true;
  if (only !== undefined || $ref !== undefined || (Array.isArray(choices) && choices.length === 1))
    return true;
  return [anyOf, oneOf, allOf].some(
    (parts) =>
      Array.isArray(parts) &&
      parts.some((part) => isJsonObject(part) && typeof part['description'] === 'string'),
  );
}

function* findUntyped({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, field } of inputFields(item))
      if (!shaping.some((keyword) => schema[keyword] !== undefined) && !saysAny(schema))
        yield {
          ...at(item, pointer),
          reason: `The field "${field}" has no type, so a model has to guess it.`,
        };
}

function saysAny({ description }: JsonSchemaObject): boolean {
  return typeof description === 'string' && /\bany (?:json )?(?:value|type)/i.test(description);
}

function* findUndefinedRequired({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema } of inputNodes(item)) {
      const { properties, required, type } = schema;
      // A branch of anyOf may require fields that the enclosing schema defines.
      if (!isJsonObject(properties) && (pointer !== '/inputSchema' || type === undefined)) continue;
      const known = mapIn(properties);
      if (pointer.includes('Of/') || pointer.includes('/then') || pointer.includes('/else')) continue;
      for (const name of new Set(namesIn(required)))
        if (!Object.hasOwn(known, name))
          yield {
            ...at(item, `${pointer}/required`),
            reason: `"${name}" is required, but properties does not define it. Gemini rejects the list.`,
          };
    }
}

function* findRepeatedChoices({ items }: Surface): Generator<Fault> {
  for (const [item, { pointer, schema }] of enums(items)) {
    const texts = (schema['enum'] as unknown[]).map(canonicalJson);
    const repeated = [...new Set(texts.filter((text, index) => texts.indexOf(text) !== index))];
    if (repeated.length > 0)
      yield {
        ...at(item, `${pointer}/enum`),
        reason: `The enum has ${repeated.slice(0, 3).join(', ')} more than once.`,
      };
  }
}

function* findSingleChoices({ items }: Surface): Generator<Fault> {
  for (const [item, { pointer, schema, field }] of enums(items)) {
    const choices = schema['enum'] as unknown[];
    if (choices.length === 0)
      yield { ...at(item, `${pointer}/enum`), reason: 'The enum is empty, so no value is valid.' };
    // Skip nested fields, where a constant usually tags one of several shapes.
    else if (
      choices.length === 1 &&
      field !== undefined &&
      pointer === joinPointer('/inputSchema/properties', field)
    )
      yield {
        ...at(item, `${pointer}/enum`),
        reason: `The field "${field}" accepts only ${JSON.stringify(choices[0])}, so a model spends tokens on a value that is known.`,
      };
  }
}

function* enums(items: readonly Item[]): Generator<readonly [Item, PlacedNode]> {
  for (const item of items)
    for (const node of inputNodes(item))
      if (Array.isArray(node.schema['enum']) && (node.schema['enum'] as unknown[]).length <= 5_000)
        yield [item, node];
}

const ranges = [
  ['minimum', 'maximum'],
  ['exclusiveMinimum', 'maximum'],
  ['minimum', 'exclusiveMaximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function* findEmptyRanges({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema } of inputNodes(item))
      for (const [low, high] of ranges) {
        const [least, most] = [schema[low], schema[high]];
        if (typeof least === 'number' && typeof most === 'number' && least > most)
          yield {
            ...at(item, `${pointer}/${low}`),
            reason: `${low} ${least} is above ${high} ${most}, so no value is valid.`,
          };
      }
}

function* findUnusedDefinitions({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const unused = unusedDefinitions(item);
    const [first = ''] = unused;
    if (unused.length === 0) continue;
    yield {
      ...at(item, `/inputSchema/${first}`),
      reason: `Nothing uses ${unused.length === 1 ? 'the definition' : `the ${unused.length} definitions`} ${listSome(unused.map((name) => name.slice(name.indexOf('/') + 1)))}, which every request pays for.`,
    };
  }
}

/** Maximum number of compiled schemas. Each takes about 50 µs. */
const MAX_COMPILED = 2_000;

function* findInvalidValues({ items }: Surface, keyword: 'default' | 'examples'): Generator<Fault> {
  const validator = new DefaultValidator({ engine: 'interpreted', formats: keyword === 'default' });
  let compiled = 0;
  for (const item of items)
    for (const { pointer, schema } of inputNodes(item)) {
      const value = schema[keyword];
      // A default of null means that the field may be omitted.
      if (value === undefined || value === null || ++compiled > MAX_COMPILED) continue;
      const values =
        keyword === 'default' ? [value] : Array.isArray(value) ? (value as unknown[]).slice(0, 20) : [];
      const problem = problemOf(validator, schema, values);
      if (problem !== undefined) yield { ...at(item, `${pointer}/${keyword}`), reason: problem(keyword) };
    }
}

function problemOf(
  validator: DefaultValidator,
  schema: JsonSchemaObject,
  values: readonly unknown[],
): ((keyword: string) => string) | undefined {
  const { default: _, examples: __, ...rest } = schema;
  // A pattern in a foreign list can take years to match its own default.
  if (patternProblem(rest) !== undefined) return undefined;
  try {
    const validate = validator.compile(rest);
    for (const value of values) {
      const result = validate(value);
      if (!result.ok) {
        const [issue] = result.issues;
        if (issue?.message === TOO_SLOW) continue;
        const text = JSON.stringify(value).slice(0, 60);
        return (keyword) =>
          `The ${keyword === 'default' ? 'default' : 'example'} ${text} is not valid: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`
            .replaceAll(/\s+/g, ' ')
            .replaceAll(': must', ': it must')
            .trimEnd() + '.';
      }
    }
  } catch {
    // A schema with references cannot be compiled alone, and schema-invalid reports malformed ones.
  }
  return undefined;
}

function* findMalformed({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, isRequired } of inputNodes(item)) {
      const isDraft07 = /draft-0[4-7]/.test(String(item.inputSchema['$schema']));
      for (const [keyword, value] of Object.entries(schema)) {
        const form =
          (isDraft07 ? keywords['draft-07'].get(keyword) : undefined) ??
          keywords['2020-12'].get(keyword) ??
          foreignKeywords['2020-12'].get(keyword);
        const problem = form === undefined ? undefined : formProblem(form, value);
        if (problem === undefined || isKnownElsewhere(keyword, value)) continue;
        yield {
          ...at(item, `${pointer}/${keyword}`),
          reason: `${keyword} ${problem}, but is ${JSON.stringify(value)?.slice(0, 60)}.`,
          fix: fixFor(keyword, value, isRequired),
        };
      }
    }
}

/** Patterns may be valid in another dialect, and repeated names in `required` do no harm. */
function isKnownElsewhere(keyword: string, value: unknown): boolean {
  return keyword === 'pattern' || (keyword === 'required' && Array.isArray(value));
}

const typeNames: Readonly<Record<string, string>> = {
  int: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  str: 'string',
  text: 'string',
  date: 'string with "format": "date"',
  datetime: 'string with "format": "date-time"',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  map: 'object',
  file: 'string',
};

function fixFor(keyword: string, value: unknown, isRequired: boolean): string | undefined {
  if (keyword === 'type' && typeof value === 'string' && Object.hasOwn(typeNames, value.toLowerCase()))
    return `Write ${typeNames[value.toLowerCase()]}.`;
  if (keyword === 'required' && typeof value === 'boolean' && !isRequired)
    return 'List the name of the field in required of the object around it.';
  return undefined;
}

function* findSlowParts({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, reason, isDefault } of item.slowParts ?? slowNodes(item))
      if (!isDefault) yield { ...at(item, pointer), reason };
}

/** A field whose description names the default needs no more. */
function* findComputedDefaults({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, reason, isDefault } of item.slowParts ?? []) {
      const field = inputFields(item).find((node) => node.pointer === pointer);
      if (isDefault && field && !/\bdefault/i.test(String(field.schema['description'])))
        yield { ...at(item, pointer), reason };
    }
}

function* slowNodes({ inputSchema, outputSchema }: Item): Generator<SlowPart> {
  const outputNodes = outputSchema ? nodesOf(outputSchema, '/outputSchema') : [];
  for (const { pointer, schema } of [...inputNodes({ inputSchema }), ...outputNodes]) {
    const isRepeated = /\/(?:items|additionalProperties)\b/.test(pointer);
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = schemasIn(schema[keyword]).filter(
        (branch) => isJsonObject(branch) && branch['properties'],
      );
      if (isRepeated && branches.length >= MANY_BRANCHES && !branches.every(hasFixedField))
        yield { pointer, reason: describeUnion(branches.length) };
    }
  }
}

/** Whether a branch of a union has a field with a fixed value. Validators use it to choose the branch. */
function hasFixedField(branch: JsonSchema): boolean {
  const { properties = {} } = branch as JsonSchemaObject;
  return Object.values(properties as object).some(
    (field) => isJsonObject(field) && (field['const'] ?? field['enum']) !== undefined,
  );
}

const cursorIn = /^(?:(?:page|next)_?)?cursor$|^(?:page|next)_?token$/i;
const cursorOut = /^next_?(?:page_?)?(?:cursor|token)$/i;

/** Compares only the fields of the root, because nested cursors belong to something else. */
function* findUnpairedCursors({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const { properties = {} } = item.outputSchema ?? {};
    const given = Object.keys(mapIn(item.inputSchema['properties'])).find((name) => cursorIn.test(name));
    const returned = Object.keys(mapIn(properties)).find((name) => cursorOut.test(name));
    if (given !== undefined && item.outputSchema && returned === undefined)
      yield {
        ...at(item, joinPointer('/inputSchema/properties', given)),
        reason: `The argument "${given}" asks for a cursor, and no field of the result, such as next_cursor, returns one.`,
      };
    if (returned !== undefined && given === undefined)
      yield {
        ...at(item, joinPointer('/outputSchema/properties', returned)),
        reason: `The result has "${returned}", and no argument, such as cursor, takes it.`,
      };
  }
}

const spec = {
  source: 'https://json-schema.org/draft/2020-12/json-schema-validation',
  date: '2022-06',
} as const;

export const schemaRules: readonly LintRule[] = [
  {
    id: 'schema-invalid',
    severity: 'error',
    summary:
      'A keyword of the input schema has a value that JSON Schema does not allow, such as `type: "int"`.',
    fix: 'Write a value that JSON Schema allows. Providers reject the whole list otherwise.',
    ...spec,
    check: findMalformed,
  },
  {
    id: 'field-description-missing',
    severity: 'warning',
    summary: 'Fields have no description.',
    fix: 'Say what the value means, its unit or format, and where it comes from.',
    ...writingTools,
    check: findUndescribed,
  },
  {
    id: 'field-type-missing',
    severity: 'error',
    summary: 'A field has neither a type nor an enum, const, reference or composition.',
    fix: 'Add a type.',
    source: 'https://github.com/danny-avila/LibreChat/issues/13850',
    date: '2026-06',
    check: findUntyped,
  },
  {
    id: 'required-undefined',
    severity: 'error',
    summary: 'A required name is not defined in properties.',
    fix: 'Define the property, or take its name out of required.',
    source: 'https://github.com/iBUHub/AIStudioToAPI/issues/154',
    date: '2026-05',
    check: findUndefinedRequired,
  },
  {
    id: 'enum-duplicate',
    severity: 'warning',
    summary: 'An enum has a value twice.',
    fix: 'Remove the repetition.',
    ...spec,
    isFixable: true,
    check: findRepeatedChoices,
  },
  {
    id: 'enum-single',
    severity: 'note',
    summary: 'An argument accepts one value only, or none.',
    fix: 'Remove the argument, or add the other values.',
    ...spec,
    check: findSingleChoices,
  },
  {
    id: 'definitions-unused',
    severity: 'warning',
    summary: 'The input schema has definitions, but no reference to any of them.',
    fix: 'Remove them.',
    ...spec,
    isFixable: true,
    check: findUnusedDefinitions,
  },
  {
    id: 'schema-slow',
    severity: 'note',
    summary:
      'The validation of a field may take longer than its value grows, so large values are rejected although they are valid.',
    fix: 'Use a discriminated union, one object instead of an intersection, or a string with a pattern that takes linear time. Otherwise write a lower limit into the description.',
    source: 'measured with Zod 4.6',
    date: '2026-11',
    check: findSlowParts,
  },
  {
    id: 'range-empty',
    severity: 'error',
    summary: 'A minimum is above its maximum.',
    fix: 'Swap or correct the limits.',
    ...spec,
    check: findEmptyRanges,
  },
  {
    id: 'default-invalid',
    severity: 'error',
    summary: 'A default is not valid for its own field: outside of the enum, the limits or the type.',
    fix: 'Correct the default, or widen the field.',
    ...spec,
    check: (surface) => findInvalidValues(surface, 'default'),
  },
  {
    id: 'default-computed',
    severity: 'warning',
    summary:
      'A function computes the default of a field, as in `.default(() => …)`. It is applied and never listed, and the description does not name it.',
    fix: 'Name the default in the description of the field, such as "Default: now".',
    source: 'measured with Zod 4.6',
    date: '2026-11',
    check: findComputedDefaults,
  },
  {
    id: 'cursor-unpaired',
    severity: 'error',
    summary: 'An argument takes a cursor that no field of the result returns, or the other way round.',
    fix: 'Return the cursor of the next page in a field such as next_cursor, null on the last page, and take it in an argument such as cursor.',
    ...writingTools,
    check: findUnpairedCursors,
  },
  {
    id: 'example-invalid',
    severity: 'error',
    summary: 'An example is not valid for its own field.',
    fix: 'Correct the example: models copy it.',
    ...spec,
    check: (surface) => findInvalidValues(surface, 'examples'),
  },
];
