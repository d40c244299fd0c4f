import { createReadStream } from 'node:fs';
import type { JsonSchemaObject } from '@toolfold/schema';
import { hintNames, MAX_INPUT_BYTES, UsageError } from '@toolfold/analysis/internal';
import { readAll } from '../terminal/terminal.js';
import { toLine } from 'toolfold/internal';
import type { Terminal } from '../terminal/terminal.js';
import { convertText, describeShape, fieldOf, readShape } from './field-schema.js';
import type { FieldShape } from './field-schema.js';
import { clip } from '@toolfold/schema/internal';

export interface Assignment {
  readonly key: string;
  readonly text: string;
  /** Whether the text is JSON, written with `:=`. */
  readonly isJson: boolean;
}

type Values = Record<string, unknown>;

const MAX_ABOUT = 200;

/** Converts `key=value` arguments according to the schema. The error lists all problems. */
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
    throw new UsageError(`Several fields are invalid:\n${problems.map((line) => `  ${line}`).join('\n')}`);
  return result;
}

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
  throw new UsageError(
    `${missing.length === 1 ? 'A required field is' : 'Required fields are'} missing:\n${lines.join('\n')}`,
  );
}

/** Reads `key=value` and `key:=json` arguments in order, including the files that `key=@path` names. */
export async function readAssignments(words: readonly string[], terminal: Terminal): Promise<Assignment[]> {
  const assignments: Assignment[] = [];
  for (const word of words) {
    const { key, isJson, text } = parseAssignment(word);
    const content = text.startsWith('@') ? await readContent(key, text.slice(1), terminal) : text;
    assignments.push({ key, isJson, text: isJson ? content.replace(/^\uFEFF/, '') : content });
  }
  return assignments;
}

function readContent(key: string, path: string, terminal: Terminal): Promise<string> {
  const hint = ` To pass text that starts with @, write ${key}:='"@…"'.`;
  return readText({ path, wantedBy: key, hint }, terminal);
}

export function parseAssignment(word: string): Assignment {
  const at = word.indexOf('=');
  if (at === -1) throw new UsageError(`"${clip(word, 60)}" is not a field. Write key=value.`);
  const isJson = word[at - 1] === ':';
  const key = word.slice(0, isJson ? at - 1 : at);
  if (key === '') throw new UsageError(`"${clip(word, 60)}" has no field name. Write key=value.`);
  return { key, isJson, text: word.slice(at + 1) };
}

function assign(
  result: Values,
  { key, text, isJson }: Assignment,
  root: FieldShape,
  given: Map<string, string[]>,
): void {
  // A field name may contain dots.
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
    throw new UsageError(`${key} is given twice, but takes only ${describeShape(shape)}.`);
  const items = texts.length > 0 ? [...texts, text] : isOnlyItem(text, shape) ? [text] : undefined;
  const value = items
    ? items.map((item, at) => convert(key, item, shape.itemAt(at)))
    : convert(key, text, shape);
  set(holder, last, value);
}

/** Whether a text is a single list item, rather than a JSON list or a value of another accepted type. */
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

/** Finds skipped list items, such as item 0 if only item 1 is given. */
function* findHoles(value: unknown, path = ''): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const name of isList ? value.keys() : Object.keys(value)) {
    const own = path === '' ? String(name) : `${path}.${name}`;
    if (isList && !Object.hasOwn(value, name)) {
      yield `${own} is missing. List items are counted from 0.`;
      return;
    }
    yield* findHoles((value as Values)[name], own);
  }
}

/** Finds or creates the object at a path, except for its last part, and returns it with the shape of that part. */
function walk(result: Values, path: readonly string[], root: FieldShape, key: string): [Values, FieldShape] {
  let holder = result;
  let shape = root;
  for (const [at, part] of path.entries()) {
    const isItem = Array.isArray(holder);
    if (isItem && !/^\d{1,4}$/.test(part))
      throw new UsageError(`${key}: "${part}" is not the number of a list item.`);
    const next = isItem ? shape.itemAt(Number(part)) : fieldOf(shape, part);
    if (!next) throw unknownField(path.slice(0, at + 1).join('.'), part, shape);
    shape = next;
    if (at === path.length - 1) break;
    const { types } = shape;
    if (types.size > 0 && !types.has('object') && !types.has('array'))
      throw new UsageError(
        `${path.slice(0, at + 1).join('.')} takes ${describeShape(shape)}, which has no fields.`,
      );
    const current = Object.hasOwn(holder, part) ? holder[part] : undefined;
    const isThere = typeof current === 'object' && current !== null;
    const inner: unknown = isThere ? current : types.has('array') && !types.has('object') ? [] : {};
    set(holder, part, inner);
    holder = inner as Values;
  }
  return [holder, shape];
}

/** Defines an own property, so that `__proto__` is an ordinary field. */
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
    throw new UsageError(`${key}:= must be valid JSON: ${(error as Error).message}`);
  }
}

function unknownField(path: string, part: string, shape: FieldShape): UsageError {
  return new UsageError(`Unknown field "${path}". ${hintNames(part, [...shape.properties.keys()])}`);
}

/** A file, or standard input if the path is `-`. */
interface TextSource {
  readonly path: string;
  /** The option or field that needs the text, for error messages. */
  readonly wantedBy: string;
  /** Advice for users who did not mean a file. */
  readonly hint?: string;
}

export async function readText(
  { path, wantedBy, hint = '' }: TextSource,
  terminal: Terminal,
): Promise<string> {
  const isInput = path === '-';
  const what = isInput ? 'standard input' : `the file "${path}"`;
  const fail = (why: string): UsageError => new UsageError(`${wantedBy}: ${what} ${why}.${hint}`);
  let bytes: Buffer | undefined;
  try {
    bytes = isInput ? await terminal.readInput(wantedBy) : await readAll(createReadStream(path));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const { code } = error as { code?: string };
    throw fail(
      code === 'ENOENT' ? 'does not exist' : code === 'EISDIR' ? 'is a folder' : `cannot be read (${code})`,
    );
  }
  if (!bytes) throw fail(`has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fail('is not UTF-8 text');
  }
}
