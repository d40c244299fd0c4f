import { canonicalJson, isJsonObject } from '@toolfold/schema/internal';
import type { JsonSchema } from '@toolfold/schema';
import type { Alternative, ObjectFacts } from './alternative.js';
import { codecId } from './codecs.js';
import type { Codec } from './codecs.js';
import { anyOf } from './merge-alternatives.js';
import type { Tag } from './notes.js';
import type { AlternativeReader } from './read-alternatives.js';
import type { WrittenObject } from './write-object.js';

const empty: ObjectFacts = { properties: new Map(), required: new Set(), others: true, patterns: [] };

/**
 * Merges several objects into one that accepts the values of each. A property that one object declares and another leaves open
 * keeps the declared schema. `guarded` contains its name, because values of the other object may not fit that schema.
 */
export function mergeWide(objects: readonly Alternative[]): {
  alternative: Alternative;
  facts: ObjectFacts;
  guarded: ReadonlySet<string>;
} {
  const [first] = objects;
  const base: Alternative = first ?? {
    kind: 'object',
    isInteger: false,
    values: undefined,
    keywords: {},
    object: empty,
    array: undefined,
  };
  if (objects.length < 2) return { alternative: base, facts: base.object ?? empty, guarded: new Set() };
  const all = objects.map(({ object }) => object ?? empty);
  const names = new Set(all.flatMap(({ properties }) => [...properties.keys()]));
  const properties = new Map<string, JsonSchema>();
  const guarded = new Set<string>();
  for (const name of names) {
    const declared = all.flatMap((facts) => {
      const schema = facts.properties.get(name);
      return schema === undefined ? [] : [schema];
    });
    properties.set(name, anyOf(declared));
    const isOpen = all.some(
      (facts) => !facts.properties.has(name) && (facts.others !== false || facts.patterns.length > 0),
    );
    if (isOpen) guarded.add(name);
  }
  // A value that does not fit its property is sent under another name, so the property cannot be required.
  const required = [...(all[0]?.required ?? [])].filter(
    (name) => !guarded.has(name) && all.every((facts) => facts.required.has(name)),
  );
  const description = base.keywords['description'];
  const isShared = objects.every(({ keywords }) => keywords['description'] === description);
  return {
    alternative: {
      ...base,
      values: undefined,
      keywords: isShared && description !== undefined ? { description } : {},
    },
    facts: {
      properties,
      required: new Set(required),
      others: anyOf(all.map(({ others }) => others)),
      patterns: all.flatMap(({ patterns }) => patterns),
    },
    guarded,
  };
}

/** Finds a property that every object requires, with different values in each. */
export function findTag(objects: readonly ObjectFacts[], reader: AlternativeReader): Tag | undefined {
  const [first] = objects;
  if (!first || objects.length < 2) return undefined;
  for (const name of first.required) {
    if (!objects.every(({ required, properties }) => required.has(name) && properties.has(name))) continue;
    const values = objects.map(({ properties }) => scalarValues(properties.get(name) ?? true, reader));
    const seen = values.flatMap((list) => (list ?? []).map(canonicalJson));
    if (values.every((list) => list !== undefined) && new Set(seen).size === seen.length)
      return { name, values };
  }
  return undefined;
}

function scalarValues(schema: JsonSchema, reader: AlternativeReader): readonly unknown[] | undefined {
  const alternatives = reader.read(schema);
  if (alternatives.some(({ kind, values }) => values === undefined || kind === 'object' || kind === 'array'))
    return undefined;
  return alternatives.flatMap(({ values }) => values ?? []);
}

/** Chooses the codec of an object by its tag. Objects with another tag keep their form, and validation reports them. */
export function tagCodec(tag: Tag, written: readonly WrittenObject[]): Codec {
  const codecs = new Map<string, { codec: Codec | undefined; name: string }>();
  for (const [index, { codec, renamed }] of written.entries()) {
    const name = renamed.get(tag.name) ?? tag.name;
    for (const value of tag.values[index] ?? []) codecs.set(canonicalJson(value), { codec, name });
  }
  const names = new Set([tag.name, ...written.map(({ renamed }) => renamed.get(tag.name) ?? tag.name)]);
  const find = (value: unknown, keys: Iterable<string>): Codec | undefined => {
    if (!isJsonObject(value)) return undefined;
    for (const key of keys) {
      const found = Object.hasOwn(value, key) ? value[key] : undefined;
      if (found === undefined || typeof found === 'object') continue;
      const codec = codecs.get(canonicalJson(found))?.codec;
      if (codec) return codec;
    }
    return undefined;
  };
  return {
    id: codecId(
      'tag',
      tag,
      written.map(({ codec }) => codec?.id),
    ),
    encode: (value, depth) => {
      const codec = find(value, [tag.name]);
      return codec ? codec.encode(value, depth) : value;
    },
    decode: (value, work) => {
      const codec = find(value, names);
      return codec ? codec.decode(value, work) : value;
    },
  };
}
