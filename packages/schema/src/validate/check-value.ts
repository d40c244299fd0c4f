import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { isMultipleOf, isOneOf, typeName } from '../values/json-value.js';
import { toMatcher } from '../patterns/patterns.js';
import { fail, isFull } from './schema-walk.js';
import type { PrepareCheck, SchemaWalk } from './schema-walk.js';
import { clip } from '../values/nearest-name.js';

/** Maximum number of enum values in a message. */
const MAX_LISTED = 20;
/** Maximum length of an enum value in a message. */
const MAX_CHOICE = 100;

/** A rule, and the message for a value that breaks it. */
type Rule = readonly [
  holds: (value: unknown, walk: SchemaWalk) => boolean,
  message: (value: unknown) => string,
];

/** Prepares the checks of type, enum, limits, pattern and format. */
export const prepareAssertions: PrepareCheck = (schema) => {
  const rules = readRules(schema);
  if (rules.length === 0) return undefined;
  return (walk, value, trail, issues) => {
    let isValid = true;
    for (const [holds, message] of rules) {
      if (holds(value, walk)) continue;
      isValid = issues ? fail(issues, trail, message(value)) : false;
      if (isFull(issues)) return false;
    }
    return isValid;
  };
};

function readRules(schema: JsonSchemaObject): Rule[] {
  const rules: Rule[] = [];
  const { type } = schema;
  if (type !== undefined) {
    const names = [type].flat().map(String);
    const [only, ...others] = names;
    rules.push([
      only !== undefined && others.length === 0
        ? (value) => hasType(value, only)
        : (value) => names.some((name) => hasType(value, name)),
      (value) => `must be ${names.join(' or ')}, not ${describeType(value)}`,
    ]);
  }
  if ('const' in schema)
    rules.push([isOneOf([schema['const']]), () => `must be ${writeChoice(schema['const'])}`]);
  if (schema['enum'] !== undefined) {
    const choices = schema['enum'] as unknown[];
    rules.push([isOneOf(choices), () => `must be one of ${listChoices(choices)}`]);
  }
  rules.push(...numberRules(schema as Record<string, number | undefined>), ...stringRules(schema));
  if (schema['format'] !== undefined) {
    const name = String(schema['format']);
    rules.push([(value) => hasFormat(value, name), () => `must have the format ${name}`]);
  }
  return rules;
}

function numberRules({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: Record<string, number | undefined>): Rule[] {
  const rules: Rule[] = [];
  const add = (holds: (value: number, walk: SchemaWalk) => boolean, message: string): void => {
    rules.push([(value, walk) => typeof value !== 'number' || holds(value, walk), () => message]);
  };
  if (minimum !== undefined) add((value) => !(value < minimum), `must be at least ${minimum}`);
  if (maximum !== undefined) add((value) => !(value > maximum), `must be at most ${maximum}`);
  if (exclusiveMinimum !== undefined)
    add((value) => !(value <= exclusiveMinimum), `must be more than ${exclusiveMinimum}`);
  if (exclusiveMaximum !== undefined)
    add((value) => !(value >= exclusiveMaximum), `must be less than ${exclusiveMaximum}`);
  if (multipleOf !== undefined)
    add((value, walk) => {
      // A division of fractions takes about as long as four steps.
      if (!Number.isSafeInteger(value) || !Number.isSafeInteger(multipleOf)) walk.spend(4);
      return isMultipleOf(value, multipleOf);
    }, `must be a multiple of ${multipleOf}`);
  return rules;
}

function stringRules(schema: JsonSchemaObject): Rule[] {
  const { minLength, maxLength } = schema as Record<string, number | undefined>;
  const rules: Rule[] = [];
  // A code point takes one or two UTF-16 units, so most lengths need no counting.
  const add = (holds: (value: string, walk: SchemaWalk) => boolean, message: string): void => {
    rules.push([(value, walk) => typeof value !== 'string' || holds(value, walk), () => message]);
  };
  if (minLength !== undefined)
    add(
      (value, walk) =>
        value.length >= minLength && (value.length >= 2 * minLength || walk.lengthOf(value) >= minLength),
      `must have at least ${minLength} characters`,
    );
  if (maxLength !== undefined)
    add(
      (value, walk) =>
        value.length <= maxLength || (value.length <= 2 * maxLength && walk.lengthOf(value) <= maxLength),
      `must have at most ${maxLength} characters`,
    );
  if (schema['pattern'] !== undefined) {
    const pattern = String(schema['pattern']);
    const expression = toMatcher(pattern);
    add((value, walk) => {
      walk.spend(value.length >> 6);
      return expression.test(value);
    }, `must match the pattern ${pattern}`);
  }
  return rules;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return typeof value === 'number' && Number.isFinite(value);
    default:
      return typeName(value) === type;
  }
}

/** The type of a value for messages. JSON text such as 1e400 is a valid number, but JavaScript reads it as Infinity. */
function describeType(value: unknown): string {
  return value === Infinity || value === -Infinity ? 'a number beyond ±1.8e308' : typeName(value);
}

function listChoices(all: readonly unknown[]): string {
  const shown = all.slice(0, MAX_LISTED).map(writeChoice).join(', ');
  return all.length > MAX_LISTED ? `${shown} and ${all.length - MAX_LISTED} more` : shown;
}

function writeChoice(choice: unknown): string {
  return clip(JSON.stringify(choice), MAX_CHOICE);
}

/** Whether a value has a format. Unknown formats accept every value. */
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
