import { readFileSync } from 'node:fs';
import type { JsonSchemaObject } from '../schema/json-schema.js';
import { clip, convertText } from './convert-text.js';
import { UsageError } from './exit-codes.js';
import { describeShape, fieldOf, readShape } from './field-schema.js';
import type { FieldShape } from './field-schema.js';
import { hintNames } from './hint-names.js';

/** One word of a command line: a field, and what it is to be. */
interface Assignment {
  readonly key: string;
  readonly text: string;
  /** Whether the text is JSON, written with `:=`. */
  readonly isJson: boolean;
}

type Values = Record<string, unknown>;

/** Makes arguments of `key=value` words, by the schema they are for. All that is wrong is told at once. */
export function readFields(words: readonly string[], schema: JsonSchemaObject, base: Values = {}): Values {
  const shape = readShape(schema, schema);
  const result = structuredClone(base);
  const given = new Set<string>();
  const problems: string[] = [];
  for (const word of words) {
    try {
      const assignment = readAssignment(word);
      assign(result, assignment, shape, given);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      problems.push(error.message);
    }
  }
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
    return `  ${name}=${`<${what}>`}${field?.description === undefined ? '' : `  ${field.description}`}`;
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
  return { key, isJson, text: text.startsWith('@') ? readFile(key, text.slice(1)) : text };
}

function readFile(key: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as { code?: string };
    const why =
      code === 'ENOENT' ? 'is not there' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`;
    throw new UsageError(
      `${key}: the file "${path}" ${why}. Text that begins with @ is written ${key}:='"@…"'.`,
    );
  }
}

function assign(
  result: Values,
  { key, text, isJson }: Assignment,
  root: FieldShape,
  given: Set<string>,
): void {
  // A field may have dots in its name.
  const path = root.properties.has(key) || !key.includes('.') ? [key] : key.split('.');
  const [holder, shape] = walk(result, path, root, key);
  const last = path.at(-1) as string;
  const isFirst = !given.has(key);
  given.add(key);
  const isList = shape.types.has('array') && !shape.types.has('string');
  if (isJson) {
    if (!isFirst) throw new UsageError(`${key} is given twice.`);
    set(holder, last, parseOrThrow(key, text));
    return;
  }
  const list = isFirst ? undefined : holder[last];
  if (!isFirst && !Array.isArray(list))
    throw new UsageError(`${key} is given twice, and takes ${describeShape(shape)}.`);
  const isWhole = isFirst && text.trimStart().startsWith('[');
  if (isList && !isWhole) {
    const items = (list ?? []) as unknown[];
    set(holder, last, [...items, convert(key, text, shape.itemAt(items.length))]);
  } else set(holder, last, convert(key, text, shape));
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
