import { isMultiple, lossProblem, lostNumber } from './decimal.js';
import { readNumber, toValue, unknownField } from './draft.js';
import type { Draft, Entry } from './draft.js';
import { itemField } from './field.js';
import type { ArrayField, Field, NumberField, ObjectField } from './field.js';
import { formatProblem } from './formats.js';
import { isSame, parseJson } from './json.js';

export type Path = readonly (string | number)[];

export interface Problem {
  readonly path: Path;
  readonly message: string;
}

/** Returns the problems that the form can detect. The server validates everything again. */
export function checkDraft(field: Field, draft: Draft, path: Path = []): readonly Problem[] {
  const at = (message: string): readonly Problem[] => [{ path, message }];
  if (draft === undefined) return at('is required');
  if (field.kind === 'raw' && field.isForbidden === true) return at('must not be there');
  if ('raw' in draft) return checkRaw(field, draft.raw, path);
  if ('value' in draft && draft.value === null && field.isNullable) return [];
  switch (field.kind) {
    case 'text':
      return 'text' in draft
        ? checkText(field, draft.text).map((message) => ({ path, message }))
        : at('must be text');
    case 'number':
      return 'text' in draft
        ? checkNumber(field, draft.text).map((message) => ({ path, message }))
        : at('must be a number');
    case 'boolean':
      return 'value' in draft && typeof draft.value === 'boolean' ? [] : at('must be true or false');
    case 'file':
      return 'value' in draft && typeof draft.value === 'string'
        ? checkText(field, draft.value).map((message) => ({ path, message }))
        : at('must be a file');
    case 'const':
      return 'value' in draft && isSame(draft.value, field.value) ? [] : at(`must be ${describeKind(field)}`);
    case 'choice':
      return 'value' in draft && field.options.some(({ value }) => isSame(value, draft.value))
        ? []
        : at('must be one of the choices');
    case 'object':
      return 'fields' in draft ? checkObject(field, draft, path) : at('must be an object');
    case 'array':
      return 'items' in draft ? checkArray(field, draft.items, path) : at('must be a list');
    case 'union': {
      if (!('option' in draft)) return at('must be one of the alternatives');
      const chosen = field.options[draft.option];
      return chosen ? checkDraft(chosen.field(), draft.draft, path) : at('must be one of the alternatives');
    }
    case 'raw':
      return [];
  }
}

function checkRaw(field: Field, text: string, path: Path): readonly Problem[] {
  const parsed = parseJson(text);
  if (!parsed.ok)
    return [{ path, message: text.trim() === '' ? 'is required' : `is not JSON: ${parsed.problem}` }];
  const lost = lostNumber(text);
  if (lost !== undefined) return [{ path, message: lost }];
  if (field.kind === 'raw') return [];
  return [{ path, message: `must be ${describeKind(field)}` }];
}

/** Describes the kind of value that a field accepts, for messages. */
export function describeKind(field: Field): string {
  const kinds: Readonly<Record<Field['kind'], string>> = {
    text: 'text',
    number: field.kind === 'number' && field.isInteger ? 'a whole number' : 'a number',
    boolean: 'true or false',
    choice: 'one of the choices',
    const: field.kind === 'const' ? JSON.stringify(field.value).slice(0, 200) : '',
    file: 'a file',
    object: 'an object',
    array: 'a list',
    union: 'one of the alternatives',
    raw: 'JSON',
  };
  return field.isNullable ? `${kinds[field.kind]} or null` : kinds[field.kind];
}

/** Counts characters as JSON Schema does, not as JavaScript does. */
const lengthOf = (text: string): number => Array.from(text).length;

function checkText(
  field: {
    readonly minLength?: number | undefined;
    readonly maxLength?: number | undefined;
    readonly format?: string | undefined;
  },
  text: string,
): readonly string[] {
  const { minLength = 0, maxLength = Infinity, format } = field;
  const length = text.length > maxLength || text.length < minLength * 2 ? lengthOf(text) : text.length;
  if (length < minLength)
    return [
      text === '' && minLength === 1
        ? 'must not be empty'
        : `is too short: it must have ${minLength} characters`,
    ];
  if (length > maxLength) return [`must have at most ${maxLength} characters`];
  const problem = format === undefined ? undefined : formatProblem(format, text);
  return problem === undefined ? [] : [problem];
}

function checkNumber(field: NumberField, text: string): readonly string[] {
  const value = readNumber(text);
  if (value === undefined) return [field.isInteger ? 'must be a whole number' : 'must be a number'];
  const loss = lossProblem(text);
  if (loss !== undefined) return [loss];
  const { isInteger, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = field;
  if (isInteger && !Number.isInteger(value)) return ['must be a whole number'];
  if (minimum !== undefined && value < minimum) return [`must be at least ${minimum}`];
  if (maximum !== undefined && value > maximum) return [`must be at most ${maximum}`];
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return [`must be more than ${exclusiveMinimum}`];
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
    return [`must be less than ${exclusiveMaximum}`];
  if (multipleOf !== undefined && multipleOf > 0 && !isMultiple(value, multipleOf))
    return [`must be a multiple of ${multipleOf}`];
  return [];
}

function checkObject(
  field: ObjectField,
  { fields, extra }: { readonly fields: Readonly<Record<string, Draft>>; readonly extra: readonly Entry[] },
  path: Path,
): readonly Problem[] {
  const problems: Problem[] = [];
  const names = new Set(field.properties.map(({ name }) => name));
  let size = 0;
  for (const { name, isRequired, field: read } of field.properties) {
    const draft = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (draft === undefined && !isRequired) continue;
    size++;
    problems.push(...checkDraft(read(), draft, [...path, name]));
  }
  const keys = new Set<string>();
  for (const { key, draft } of extra) {
    const place = [...path, key];
    size++;
    if (names.has(key) || keys.has(key)) problems.push({ path: place, message: 'is used twice' });
    else if (field.additional === false) problems.push({ path: place, message: 'is not a known field' });
    else problems.push(...checkDraft(field.additional(), draft, place));
    keys.add(key);
  }
  const { minProperties, maxProperties } = field;
  if (minProperties !== undefined && size < minProperties)
    problems.push({ path, message: `must have at least ${minProperties} entries` });
  if (maxProperties !== undefined && size > maxProperties)
    problems.push({ path, message: `must have at most ${maxProperties} entries` });
  return problems;
}

function checkArray(
  field: ArrayField,
  items: readonly { readonly draft: Draft }[],
  path: Path,
): readonly Problem[] {
  const { minItems, maxItems, isUnique } = field;
  const problems: Problem[] = [];
  if (minItems !== undefined && items.length < minItems)
    problems.push({ path, message: `must have at least ${minItems} ${minItems === 1 ? 'item' : 'items'}` });
  if (maxItems !== undefined && items.length > maxItems)
    problems.push({ path, message: `must have at most ${maxItems} ${maxItems === 1 ? 'item' : 'items'}` });
  for (const [index, { draft }] of items.entries()) {
    const read = itemField(field, index);
    if (read) problems.push(...checkDraft(read(), draft, [...path, index]));
    else problems.push({ path: [...path, index], message: 'is one item too many' });
  }
  if (isUnique) {
    const values = items.map(({ draft }, index) =>
      toValue(itemField(field, index)?.() ?? unknownField, draft),
    );
    const twice = values.findIndex((value, index) =>
      values.slice(0, index).some((other) => isSame(other, value)),
    );
    if (twice !== -1) problems.push({ path: [...path, twice], message: 'occurs twice' });
  }
  return problems;
}

/** Whether a problem only reports a missing value. Forms hide such problems until the user tries to submit. */
export function isMissing({ message }: Problem): boolean {
  return (
    message === 'is required' || message === 'must not be empty' || message.startsWith('must have at least')
  );
}
