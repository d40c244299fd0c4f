import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonSchemaObject } from './json-schema.js';
import { canonicalJson, codePoints, isMultipleOf, typeName } from './json-value.js';
import { toRegExp } from './patterns.js';
import { fail } from './schema-check.js';
import type { Check } from './schema-check.js';

/** How many choices of an enum a message lists. */
const MAX_LISTED = 20;

/** What is asked of the value itself. */
export const applyAssertions: Check = function (schema, value, trail, issues) {
  let isValid = true;
  const no = (message: string): void => {
    isValid = fail(issues, trail, message);
  };
  const { type } = schema;
  if (type !== undefined && ![type].flat().some((name) => hasType(value, String(name)))) {
    no(`must be ${[type].flat().join(' or ')}, not ${typeName(value)}`);
  }
  if ('const' in schema && canonicalJson(value) !== canonicalJson(schema['const']))
    no(`must be ${JSON.stringify(schema['const'])}`);
  if (schema['enum'] !== undefined && !choicesOf(schema).has(canonicalJson(value)))
    no(`must be one of ${listChoices(schema['enum'] as unknown[])}`);
  if (typeof value === 'number') {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema as Record<
      string,
      number | undefined
    >;
    if (minimum !== undefined && value < minimum) no(`must be at least ${minimum}`);
    if (maximum !== undefined && value > maximum) no(`must be at most ${maximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      no(`must be more than ${exclusiveMinimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      no(`must be less than ${exclusiveMaximum}`);
    if (multipleOf !== undefined && !isMultipleOf(value, multipleOf))
      no(`must be a multiple of ${multipleOf}`);
  }
  if (typeof value === 'string') {
    const { minLength, maxLength } = schema as Record<string, number | undefined>;
    const length = minLength === undefined && maxLength === undefined ? 0 : codePoints(value);
    if (minLength !== undefined && length < minLength) no(`must have at least ${minLength} characters`);
    if (maxLength !== undefined && length > maxLength) no(`must have at most ${maxLength} characters`);
    if (schema['pattern'] !== undefined && !toRegExp(String(schema['pattern'])).test(value))
      no(`must match the pattern ${String(schema['pattern'])}`);
  }
  if (schema['format'] !== undefined && !hasFormat(value, String(schema['format'])))
    no(`must have the format ${String(schema['format'])}`);
  return isValid;
};

function hasType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'number') return typeof value === 'number' && Number.isFinite(value);
  return typeName(value) === type;
}

const choices = new WeakMap<object, ReadonlySet<string>>();

function choicesOf(schema: JsonSchemaObject): ReadonlySet<string> {
  let known = choices.get(schema);
  if (!known)
    choices.set(
      schema,
      (known = new Set((schema['enum'] as unknown[]).map((choice) => canonicalJson(choice)))),
    );
  return known;
}

function listChoices(all: readonly unknown[]): string {
  const shown = all.slice(0, MAX_LISTED).map((choice) => JSON.stringify(choice));
  return all.length > MAX_LISTED
    ? `${shown.join(', ')} and ${all.length - MAX_LISTED} more`
    : shown.join(', ');
}

/** Formats that are not known hold. */
function hasFormat(value: unknown, name: string): boolean {
  const format = Object.hasOwn(fullFormats, name) ? fullFormats[name as keyof typeof fullFormats] : true;
  if (typeof format === 'boolean') return true;
  if (format instanceof RegExp) return typeof value !== 'string' || format.test(value);
  if (typeof format === 'function') return typeof value !== 'string' || Boolean(format(value));
  const { type = 'string', validate } = format as {
    type?: string;
    validate: RegExp | ((value: never) => unknown);
  };
  if (typeof value !== type) return true;
  return validate instanceof RegExp ? validate.test(String(value)) : Boolean(validate(value as never));
}
