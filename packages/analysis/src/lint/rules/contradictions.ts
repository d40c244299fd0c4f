import { isJsonObject, mapIn, namesIn } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from 'toolfold';
import { at } from '../finding.js';
import type { Fault, Item, LintRule, Surface } from '../finding.js';
import { inputFields } from '../tool-parts.js';
import { writingTools } from './writing-tools.js';

/** Matches a promised number and the text before it. A unit after the number, as in "10 minutes", makes it another quantity. */
const promisedDefault =
  /\bdefaults?(?: value)?(?: is| to| of|:|=)? ?(?:is |to )?[`'"(]?(-?\d[\d,]{0,15}(?:\.\d{1,10})?|true|false)\b(?! ?(?:[a-zA-Z%/]|\.\d))/gi;
const promisedMaximum =
  /\b(?:max(?:imum)?(?: (?:of|is|value|allowed|limit))?:?|up to|at most|no more than|not exceed(?:ing)?|between -?\d[\d,]{0,15} and|(?<![\w.])-?\d[\d,]{0,15} ?(?:-|–|to)) ?(\d[\d,]{0,15})\b(?!\.\d|[-–:/]\d| ?[a-zA-Z%]| (?:characters|chars))/gi;
const promisedCharacters =
  /\b(?:max(?:imum)?(?: of)?:?|up to|at most|no more than) ?(\d[\d,]{0,15}) (?:characters|chars)\b/gi;
const counted =
  /\b(?:max(?:imum)?(?: of)?:?|up to|at most|no more than) ?(\d[\d,]{0,15}) (?:results|items|entries|rows|records|ids|elements|values)\b/gi;

function numbersIn(text: string, pattern: RegExp): number[] {
  return Array.from(text.matchAll(pattern), ([, digits = '']) => Number(digits.replaceAll(',', '')));
}

function* findDefaults({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, field } of inputFields(item)) {
      const { description, default: actual } = schema;
      if (typeof description !== 'string' || (typeof actual !== 'number' && typeof actual !== 'boolean'))
        continue;
      const promised = Array.from(description.matchAll(promisedDefault), ([, value = '']) =>
        value.replaceAll(',', '').toLowerCase(),
      ).filter((value) => /^-?\d/.test(value) === (typeof actual === 'number'));
      if (
        promised.length === 0 ||
        promised.some((value) => value === String(actual) || Number(value) === actual)
      )
        continue;
      yield {
        ...at(item, `${pointer}/description`),
        reason: `The description of "${field}" promises the default ${promised[0]}, but the schema says ${String(actual)}.`,
      };
    }
}

function* findLimits({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, field } of inputFields(item)) {
      const { description } = schema;
      if (typeof description !== 'string') continue;
      const [keyword, actual, promised] = promisesOf(schema, description);
      if (typeof actual !== 'number' || promised.length === 0 || promised.includes(actual)) continue;
      yield {
        ...at(item, `${pointer}/description`),
        reason: `The description of "${field}" promises at most ${promised[0]}, but ${keyword} is ${actual}.`,
      };
    }
}

function promisesOf(schema: JsonSchemaObject, description: string): readonly [string, unknown, number[]] {
  const { type } = schema;
  if (type === 'string')
    return ['maxLength', schema['maxLength'], numbersIn(description, promisedCharacters)];
  if (type === 'array') return ['maxItems', schema['maxItems'], numbersIn(description, counted)];
  if (type !== 'number' && type !== 'integer') return ['', undefined, []];
  return [
    'maximum',
    schema['maximum'],
    [...numbersIn(description, promisedMaximum), ...numbersIn(description, counted)],
  ];
}

function* findRequired({ items }: Surface): Generator<Fault> {
  for (const item of items)
    for (const { pointer, schema, field, isRequired } of inputFields(item)) {
      const { description, default: fallback } = schema;
      if (typeof description !== 'string') continue;
      if (isRequired && /^\s*[([]?optional\b(?!ly)|\(optional\)|\[optional\]/i.test(description))
        yield {
          ...at(item, `${pointer}/description`),
          reason: `The description of "${field}" says optional, but the field is required.`,
        };
      else if (
        !isRequired &&
        fallback === undefined &&
        !pointer.includes('Of/') &&
        /^\s*required[.:)]|\(required\)|\[required\]/i.test(description)
      )
        yield {
          ...at(item, `${pointer}/description`),
          reason: `The description of "${field}" says required, but the field may be left out.`,
        };
    }
}

const limitName =
  /^(?:limit|count|top|take|first|size|n|(?:max|num|page|per)_?(?:results?|items|rows|records|entries|size|page|count|limit))$/i;

function* findBudgets({ items }: Surface): Generator<Fault> {
  for (const item of items) {
    const { outputRoom } = item;
    const row = outputRoom === undefined ? undefined : smallestRow(item);
    if (outputRoom === undefined || row === undefined) continue;
    const fitting = Math.floor(outputRoom / row);
    for (const { pointer, schema, field, fields } of inputFields(item)) {
      const { maximum } = schema;
      if (fields !== 1 || typeof maximum !== 'number' || !limitName.test(field) || maximum <= fitting)
        continue;
      yield {
        ...at(item, `${pointer}/maximum`),
        reason: `"${field}" promises up to ${maximum}, but the output budget cuts the result after about ${fitting} rows of at least ${row} characters.`,
        fix: `Lower the maximum to ${roundDown(fitting)}, or raise outputBudget.`,
      };
    }
  }
}

function roundDown(count: number): number {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, count))) - 1);
  return Math.max(1, Math.floor(count / step) * step);
}

/** Size of the smallest row, if the output schema contains a list of objects. */
function smallestRow({ outputSchema, isToon = false }: Item): number | undefined {
  if (!outputSchema) return undefined;
  const lists = [outputSchema, ...Object.values(mapIn(outputSchema['properties']))];
  const sizes = lists.flatMap((list) =>
    isJsonObject(list) && list['type'] === 'array' && isJsonObject(list['items'])
      ? [smallestSize(list['items'], isToon, 0)]
      : [],
  );
  return sizes.length === 0 ? undefined : Math.max(...sizes);
}

const formatSizes: Readonly<Record<string, number>> = {
  date: 10,
  'date-time': 20,
  uuid: 36,
  uri: 16,
  email: 8,
  time: 8,
};
/** Assumed length of a text without format or limits. Real texts are longer, so a reported limit is certainly unreachable. */
const TEXT = 6;

/** Characters of the smallest usual value: required fields only, short texts and one-digit numbers. */
function smallestSize(schema: JsonSchemaObject, isToon: boolean, depth: number): number {
  const { type, format, minLength, properties, required, enum: choices } = schema;
  if (Array.isArray(choices) && choices.length > 0)
    return Math.min(...choices.slice(0, 100).map((choice) => JSON.stringify(choice)?.length ?? 0));
  if (type === 'string') {
    const own =
      typeof format === 'string' && Object.hasOwn(formatSizes, format) ? (formatSizes[format] ?? 0) : TEXT;
    return Math.max(own, typeof minLength === 'number' ? minLength : 0) + (isToon ? 0 : 2);
  }
  if (type === 'boolean') return 4;
  if (type === 'object' && isJsonObject(properties) && depth < 5) {
    const names = new Set(namesIn(required));
    const fields = Object.entries(properties).filter(([name]) => names.has(name));
    return fields.reduce(
      (sum, [name, field]) =>
        sum +
        (isToon ? 1 : name.length + 4) +
        (isJsonObject(field) ? smallestSize(field, isToon, depth + 1) : 1),
      isToon ? 1 : 2,
    );
  }
  return 2;
}

export const contradictionRules: readonly LintRule[] = [
  {
    id: 'default-contradicts-description',
    severity: 'error',
    summary: 'The description of a field names another default than the schema.',
    fix: 'Correct the description or the default.',
    ...writingTools,
    check: findDefaults,
  },
  {
    id: 'limit-contradicts-description',
    severity: 'error',
    summary: 'The description of a field names another maximum than the schema.',
    fix: 'Correct the description or the limit.',
    ...writingTools,
    check: findLimits,
  },
  {
    id: 'required-contradicts-description',
    severity: 'error',
    summary: 'The description of a field says "optional" or "required", and the schema the opposite.',
    fix: 'Correct the description or required.',
    ...writingTools,
    check: findRequired,
  },
  {
    id: 'limit-above-budget',
    severity: 'error',
    summary: 'A limit such as `limit` promises more rows than fit into the output budget of the action.',
    fix: 'Lower the maximum, or raise outputBudget.',
    source: 'https://code.claude.com/docs/en/mcp',
    date: '2026-11',
    check: findBudgets,
  },
];
