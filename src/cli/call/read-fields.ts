import type { JsonSchemaObject } from '../../values/json-schema.js';
import { clip, convertText } from './convert-text.js';
import { UsageError } from '../terminal/exit-codes.js';
import { describeShape, fieldOf, readShape } from './field-schema.js';
import type { FieldShape } from './field-schema.js';
import { hintNames } from '../target/hint-names.js';
import { toLine } from '../terminal/output.js';
import { readText } from './read-file.js';

/** One word of a command line: a field, and what it is to be. What a file holds has been read. */
export interface Assignment {
  readonly key: string;
  readonly text: string;
  /** Whether the text is JSON, written with `:=`. */
  readonly isJson: boolean;
}

type Values = Record<string, unknown>;

const MAX_ABOUT = 200;

/** Makes arguments of `key=value` words, by the schema they are for. All that is wrong is told at once. */
export function readFields(
  assignments: readonly Assignment[],
  schema: JsonSchemaObject,
  base: Values = {},
): Values {
  const shape = readShape(schema, schema);
  const result = structuredClone(base);
  const given = new Map<string, string[]>();
  const problems: string[] = [];
  for (const assignment of assignments) {
    try {
      assign(result, assignment, shape, given);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
  problems.push(...findHoles(result));
  if (problems.length === 1) throw new UsageError(problems[0]);
  if (problems.length > 1)
    throw new UsageError(`Several fields are wrong:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  return result;
}

/** Throws where something is missing, with what each of it is for. */
export function assertComplete(values: Values, schema: JsonSchemaObject): void {
  const shape = readShape(schema, schema);
  const missing = shape.required.filter((name) => !Object.hasOwn(values, name));
  if (missing.length === 0) return;
  const lines = missing.map((name) => {
    const field = fieldOf(shape, name);
    const what = field ? describeShape(field) : 'anything';
    const about = toLine(field?.description ?? '', MAX_ABOUT);
    return `  ${toLine(name)}=<${toLine(what, MAX_ABOUT)}>${about === '' ? '' : `  ${about}`}`;
  });
  throw new UsageError(`${missing.length === 1 ? 'A field is' : 'Fields are'} missing:\n${lines.join('\n')}`);
}

export function readAssignment(word: string): Assignment {
  const at = word.indexOf('=');
  if (at === -1) throw new UsageError(`"${clip(word)}" is no field: write key=value.`);
  const isJson = word[at - 1] === ':';
  const key = word.slice(0, isJson ? at - 1 : at);
  if (key === '') throw new UsageError(`"${clip(word)}" names no field: write key=value.`);
  const text = word.slice(at + 1);
  if (!text.startsWith('@')) return { key, isJson, text };
  const hint = ` Text that begins with @ is written ${key}:='"@…"'.`;
  const held = readText({ path: text.slice(1), wantedBy: key, hint });
  return { key, isJson, text: isJson ? held.replace(/^\uFEFF/, '') : held };
}

function assign(
  result: Values,
  { key, text, isJson }: Assignment,
  root: FieldShape,
  given: Map<string, string[]>,
): void {
  // A field may have dots in its name.
  const path = root.properties.has(key) || !key.includes('.') ? [key] : key.split('.');
  const [holder, shape] = walk(result, path, root, key);
  const last = path.at(-1) as string;
  const texts = given.get(key) ?? [];
  given.set(key, [...texts, text]);
  if (isJson) {
    if (texts.length > 0) throw new UsageError(`${key} is given twice.`);
    set(holder, last, parseOrThrow(key, text));
    return;
  }
  const takesList = shape.types.has('array');
  if (texts.length > 0 && !takesList)
    throw new UsageError(`${key} is given twice, and takes ${describeShape(shape)}.`);
  const items = texts.length > 0 ? [...texts, text] : isOnlyItem(text, shape) ? [text] : undefined;
  const value = items
    ? items.map((item, at) => convert(key, item, shape.itemAt(at)))
    : convert(key, text, shape);
  set(holder, last, value);
}

/** Whether a text stands for the only item of a list, and not for the list or for something that is none. */
function isOnlyItem(text: string, shape: FieldShape): boolean {
  const { types } = shape;
  if (!types.has('array') || types.has('string') || text.trimStart().startsWith('[')) return false;
  if (types.size === 1) return true;
  const converted = convertText(text, {
    ...shape,
    types: new Set([...types].filter((type) => type !== 'array')),
  });
  return 'problem' in converted;
}

/** Places of lists that nothing was written for. */
function* findHoles(value: unknown, path = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const name of isList ? value.keys() : Object.keys(value)) {
    const own = path === '' ? String(name) : `${path}.${name}`;
    if (isList && !Object.hasOwn(value, name)) {
      yield `${own} is missing: the items of a list are counted from 0.`;
      return;
    }
    yield* findHoles((value as Values)[name], own);
  }
}

/** The object that holds the last part of a path, made where it is not there, and the shape of that part. */
function walk(result: Values, path: readonly string[], root: FieldShape, key: string): [Values, FieldShape] {
  let holder = result;
  let shape = root;
  for (const [at, part] of path.entries()) {
    const isItem = Array.isArray(holder);
    if (isItem && !/^\d{1,4}$/.test(part)) throw new UsageError(`${key}: "${part}" is no place in a list.`);
    const next = isItem ? shape.itemAt(Number(part)) : fieldOf(shape, part);
    if (!next) throw unknownField(path.slice(0, at + 1).join('.'), part, shape);
    shape = next;
    if (at === path.length - 1) break;
    const { types } = shape;
    if (types.size > 0 && !types.has('object') && !types.has('array'))
      throw new UsageError(
        `${path.slice(0, at + 1).join('.')} takes ${describeShape(shape)}, and has no fields of its own.`,
      );
    const current = Object.hasOwn(holder, part) ? holder[part] : undefined;
    const isThere = typeof current === 'object' && current !== null;
    const inner: unknown = isThere ? current : types.has('array') && !types.has('object') ? [] : {};
    set(holder, part, inner);
    holder = inner as Values;
  }
  return [holder, shape];
}

/** An own field whatever its name. */
function set(holder: Values, name: string, value: unknown): void {
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
}

function convert(key: string, text: string, shape: FieldShape): unknown {
  const converted = convertText(text, shape);
  if ('value' in converted) return converted.value;
  const hint = shape.types.has('object') ? `. Write ${key}.field=value or ${key}:='{…}'` : '';
  throw new UsageError(`${key} ${converted.problem}${hint}`);
}

function parseOrThrow(key: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new UsageError(`${key}:= needs JSON: ${(error as Error).message}`);
  }
}

function unknownField(path: string, part: string, shape: FieldShape): UsageError {
  return new UsageError(`There is no field "${path}". ${hintNames(part, [...shape.properties.keys()])}`);
}
