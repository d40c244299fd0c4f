import {
  canonicalJson,
  choicesOf,
  followPointer,
  isJsonObject,
  mapIn,
  namesIn,
} from '@toolfold/schema/internal';
import { toLine } from 'toolfold/internal';

type Schema = Readonly<Record<string, unknown>>;

interface TextChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** The differences of two schemas by keyword. They explain a verdict but do not decide it. */
export interface SchemaDetails {
  readonly lines: readonly string[];
  readonly defaults: readonly string[];
  /** Fields that only the old schema declares. */
  readonly removed: readonly string[];
  readonly texts: readonly TextChange[];
}

const MAX_DEPTH = 24;
const MAX_ENTRIES = 100;
const MAX_VALUE = 60;
const MAX_NODES = 20_000;

/** Keywords whose values are short enough to print. */
const limits = (
  'type format pattern minLength maxLength minimum exclusiveMinimum maximum exclusiveMaximum multipleOf minItems maxItems ' +
  'uniqueItems minProperties maxProperties minContains maxContains'
).split(' ');
/** Keywords whose subschemas are too complex to describe, so only the keyword is named. */
const involved = (
  'not if then else contains patternProperties propertyNames dependentRequired dependentSchemas dependencies ' +
  'unevaluatedProperties unevaluatedItems contentSchema'
).split(' ');

export function describeSchemaChanges(before: Schema, after: Schema): SchemaDetails {
  return new Description(before, after).describe();
}

class Description {
  readonly #before: Schema;
  readonly #after: Schema;
  readonly #lines: string[] = [];
  readonly #defaults: string[] = [];
  readonly #removed: string[] = [];
  readonly #texts: TextChange[] = [];
  readonly #seen = new Map<object, Set<object>>();
  #left = MAX_NODES;

  constructor(before: Schema, after: Schema) {
    this.#before = before;
    this.#after = after;
  }

  describe(): SchemaDetails {
    this.#compare(this.#before, this.#after, [], 0);
    const more = this.#lines.length - MAX_ENTRIES;
    return {
      lines: more > 0 ? [...this.#lines.slice(0, MAX_ENTRIES), `and ${more} more differences`] : this.#lines,
      defaults: this.#defaults.slice(0, MAX_ENTRIES),
      removed: this.#removed.slice(0, MAX_ENTRIES),
      texts: this.#texts.slice(0, MAX_ENTRIES),
    };
  }

  #compare(given: unknown, other: unknown, path: readonly string[], depth: number): void {
    const before = resolve(given, this.#before);
    const after = resolve(other, this.#after);
    if (depth > MAX_DEPTH || --this.#left < 0) return;
    if (!isJsonObject(before) || !isJsonObject(after)) {
      if (canonicalJson(before) !== canonicalJson(after))
        this.#add(path, `${showSchema(before)} → ${showSchema(after)}`);
      return;
    }
    const partners = this.#seen.get(before) ?? new Set();
    if (partners.has(after)) return;
    this.#seen.set(before, partners.add(after));
    this.#compareTexts(before, after, path);
    this.#compareValues(before, after, path);
    this.#compareFields(before, after, path, depth);
    this.#compareItems(before, after, path, depth);
    for (const keyword of ['anyOf', 'oneOf', 'allOf'])
      this.#compareChoices(keyword, before, after, path, depth);
    for (const keyword of involved)
      if (canonicalJson(before[keyword]) !== canonicalJson(after[keyword])) {
        const change =
          before[keyword] === undefined ? 'added' : after[keyword] === undefined ? 'removed' : 'changed';
        this.#add(path, `${keyword} ${change}`);
      }
  }

  #add(path: readonly string[], text: string): void {
    this.#lines.push(`${nameOf(path)}: ${text}`);
  }

  #compareTexts(before: Schema, after: Schema, path: readonly string[]): void {
    for (const keyword of ['title', 'description', '$comment']) {
      const [old, now] = [before[keyword], after[keyword]];
      if (old === now || path.length === 0) continue;
      this.#texts.push({
        path: `${nameOf(path)}${keyword === 'description' ? '' : ` (${keyword})`}`,
        before: typeof old === 'string' ? old : '',
        after: typeof now === 'string' ? now : '',
      });
    }
  }

  #compareValues(before: Schema, after: Schema, path: readonly string[]): void {
    for (const keyword of limits) {
      const [old, now] = [before[keyword], after[keyword]];
      if (canonicalJson(old) === canonicalJson(now)) continue;
      if (old === undefined) this.#add(path, `${keyword} ${show(now)} added`);
      else if (now === undefined) this.#add(path, `${keyword} ${show(old)} removed`);
      else this.#add(path, `${keyword} ${show(old)} → ${show(now)}`);
    }
    this.#compareEnums(before, after, path);
    const [old, now] = [before['default'], after['default']];
    if (canonicalJson(old) === canonicalJson(now)) return;
    if (old === undefined) this.#add(path, `default ${show(now)} added`);
    else
      this.#defaults.push(
        `${nameOf(path)}: default ${show(old)} ${now === undefined ? 'removed' : `→ ${show(now)}`}`,
      );
  }

  #compareEnums(before: Schema, after: Schema, path: readonly string[]): void {
    const [old, now] = [choicesByText(before), choicesByText(after)];
    if (!old && !now) return;
    if (!old) this.#add(path, `only ${listValues([...(now?.values() ?? [])])}`);
    else if (!now) this.#add(path, `no longer only ${listValues([...old.values()])}`);
    else {
      const removed = [...old].filter(([text]) => !now.has(text)).map(([, value]) => value);
      const added = [...now].filter(([text]) => !old.has(text)).map(([, value]) => value);
      if (removed.length > 0) this.#add(path, `no longer ${listValues(removed)}`);
      if (added.length > 0) this.#add(path, `also ${listValues(added)}`);
    }
  }

  #compareFields(before: Schema, after: Schema, path: readonly string[], depth: number): void {
    const [old, now] = [mapIn(before['properties']), mapIn(after['properties'])];
    const [needed, needs] = [new Set(namesIn(before['required'])), new Set(namesIn(after['required']))];
    const [declared, declares] = [namesOf(before, this.#before), namesOf(after, this.#after)];
    for (const name of Object.keys(old)) {
      const place = [...path, name];
      if (!Object.hasOwn(now, name)) {
        if (declares.has(name)) continue;
        this.#removed.push(nameOf(place));
        this.#add(place, 'field removed');
        continue;
      }
      this.#compare(old[name], now[name], place, depth + 1);
    }
    for (const name of Object.keys(now))
      if (!declared.has(name))
        this.#add([...path, name], `${needs.has(name) ? 'required' : 'optional'} field added`);
    for (const name of needs)
      if (!needed.has(name) && (Object.hasOwn(old, name) || !Object.hasOwn(now, name)))
        this.#add([...path, name], 'required now');
    for (const name of needed)
      if (!needs.has(name) && (Object.hasOwn(now, name) || !Object.hasOwn(old, name)))
        this.#add([...path, name], 'no longer required');
    const [open, isOpen] = [before['additionalProperties'], after['additionalProperties']];
    if (isJsonObject(open) && isJsonObject(isOpen)) this.#compare(open, isOpen, [...path, '*'], depth + 1);
    else if (canonicalJson(open ?? true) !== canonicalJson(isOpen ?? true))
      this.#add(
        path,
        isOpen === false
          ? 'undeclared fields are rejected now'
          : open === false
            ? 'undeclared fields are accepted now'
            : 'additionalProperties changed',
      );
  }

  #compareItems(before: Schema, after: Schema, path: readonly string[], depth: number): void {
    for (const keyword of ['prefixItems', 'items', 'additionalItems']) {
      const [old, now] = [before[keyword], after[keyword]];
      if (old === undefined && now === undefined) continue;
      const place = [...path, '[]'];
      if (Array.isArray(old) && Array.isArray(now)) {
        for (const [index, item] of old.entries())
          if (index < now.length) this.#compare(item, now[index], [...path, `[${index}]`], depth + 1);
        if (old.length !== now.length) this.#add(path, `${keyword}: ${old.length} → ${now.length}`);
      } else if (old === undefined) this.#add(place, `must be ${showSchema(now)}`);
      else if (now === undefined) this.#add(place, `no longer must be ${showSchema(old)}`);
      else this.#compare(old, now, place, depth + 1);
    }
  }

  #compareChoices(
    keyword: string,
    before: Schema,
    after: Schema,
    path: readonly string[],
    depth: number,
  ): void {
    const [old, now] = [before[keyword], after[keyword]];
    if (canonicalJson(old) === canonicalJson(now) && !canonicalJson(old).includes('"$ref"')) return;
    if (Array.isArray(old) && Array.isArray(now) && old.length === now.length) {
      for (const [index, branch] of old.entries()) this.#compare(branch, now[index], path, depth + 1);
      return;
    }
    this.#add(path, `${keyword}: ${count(old)} → ${count(now)} alternatives`);
  }
}

function count(list: unknown): string {
  return Array.isArray(list) ? String(list.length) : 'none';
}

function resolve(schema: unknown, root: Schema): unknown {
  let current = schema;
  for (let step = 0; step < 20 && isJsonObject(current) && typeof current['$ref'] === 'string'; step++) {
    const target = followPointer(root, current['$ref']);
    const { $ref: _, ...rest } = current;
    if (!isJsonObject(target)) return current;
    current = Object.keys(rest).length === 0 ? target : { ...target, ...rest };
  }
  return current;
}

/** Names of the declared fields, including those in `anyOf`, `oneOf` and `allOf`. */
function namesOf(schema: Schema, root: Schema, depth = 0): ReadonlySet<string> {
  const names = new Set(Object.keys(mapIn(schema['properties'])));
  if (depth > 4) return names;
  const parts = ['allOf', 'anyOf', 'oneOf', 'then', 'else'].flatMap((keyword) => schema[keyword] ?? []);
  for (const part of parts.slice(0, 100)) {
    const inner = resolve(part, root);
    if (isJsonObject(inner)) for (const name of namesOf(inner, root, depth + 1)) names.add(name);
  }
  return names;
}

function choicesByText(schema: Schema): ReadonlyMap<string, unknown> | undefined {
  const choices = choicesOf(schema);
  return choices && new Map(choices.map((value) => [canonicalJson(value), value]));
}

function nameOf(path: readonly string[]): string {
  return path.length === 0 ? 'root' : toLine(path.join('.').replaceAll('.[', '['), 80);
}

function show(value: unknown): string {
  return toLine(JSON.stringify(value) ?? '', MAX_VALUE);
}

function showSchema(schema: unknown): string {
  if (isJsonObject(schema) && Object.keys(schema).length === 1 && typeof schema['type'] === 'string')
    return toLine(schema['type'], MAX_VALUE);
  return show(schema);
}

const MAX_LISTED = 8;

function listValues(values: readonly unknown[]): string {
  const more = values.length - MAX_LISTED;
  return [...values.slice(0, MAX_LISTED).map(show), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
