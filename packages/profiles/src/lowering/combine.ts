import type { JsonSchemaObject } from '@toolfold/schema';
import type { ProfileRules } from '../rules/rules-of.js';
import type { Alternative } from './alternative.js';
import { kinds, unionCodec } from './codecs.js';
import type { Codec, Kind } from './codecs.js';
import { describe, showValue, textNote, valuesNote } from './notes.js';
import type { Node } from './write-object.js';
import { nothingKnown } from './read-alternatives.js';
import { accepts } from './write-scalar.js';
import type { Written } from './write-scalar.js';

export interface Annotations {
  readonly kept: Readonly<Record<string, unknown>>;
  /** Sentences about keywords that lowering always drops, such as `not`. */
  readonly notes: readonly string[];
}

/** An alternative, written in the keywords that the profile accepts. */
export interface Branch extends Written {
  readonly alternative: Alternative;
}

interface Combination {
  readonly alternatives: readonly Alternative[];
  readonly branches: readonly Branch[];
  /** Kinds that the profile can express only as JSON text. */
  readonly texts: ReadonlySet<Kind>;
  readonly object: Codec | undefined;
  readonly array: Codec | undefined;
  readonly annotations: Annotations;
  readonly place: { readonly isItems: boolean; readonly isOptional: boolean };
  readonly rules: ProfileRules;
}

/** Joins the alternatives of a schema into one schema that the profile accepts. */
export function combine(given: Combination): Node {
  const { alternatives, rules, place } = given;
  const found = new Set(alternatives.map(({ kind }) => kind));
  let { branches } = given;
  const texts = new Set(given.texts);
  const notes: string[] = [];
  // Null already means a missing value here, so a null that the author accepts is sent as text.
  if (place.isOptional && found.has('null')) texts.add('null');
  else if (texts.size === 0) branches = joinSingles(branches, given, texts);
  const schemas = texts.size === 0 ? branches : withText(branches, texts, { ...given, notes });
  const schema = join(schemas, given);
  const lenient =
    readsUnionsAsText(rules) && schemas.length > 1 && !found.has('string') ? found : new Set<Kind>();
  const object = texts.has('object') ? undefined : given.object;
  const array = texts.has('array') ? undefined : given.array;
  const codec = unionCodec({ texts, lenient, object, array });
  const full = annotate(schema, { ...given, notes, codec });
  return { schema: place.isOptional ? withNull(full) : full, codec };
}

/** Codex shows every union to the model as text, and the portable profile serves Codex too. */
function readsUnionsAsText({ ids }: ProfileRules): boolean {
  return ids.has('any-of-as-text');
}

/** In places without `anyOf`, joins the alternatives of each type, and turns what remains into text. */
function joinSingles(
  branches: readonly Branch[],
  { place, rules }: Combination,
  texts: Set<Kind>,
): readonly Branch[] {
  if (!place.isItems || !rules.ids.has('no-any-of-in-items') || branches.length < 2) return branches;
  const byKind = new Map<Kind, Branch>();
  for (const branch of branches) {
    const { kind } = branch.alternative;
    const earlier = byKind.get(kind);
    byKind.set(kind, earlier ? widen(earlier, branch) : branch);
  }
  const isNullable = byKind.delete('null');
  const [only, ...others] = byKind.values();
  if (others.length > 0 || !only) {
    for (const { alternative } of branches) texts.add(alternative.kind);
    return branches;
  }
  if (!isNullable) return [only];
  const { enum: values, const: value, ...schema } = only.schema;
  const listed = Array.isArray(values) ? (values as unknown[]) : value === undefined ? undefined : [value];
  return [
    {
      ...only,
      schema: { ...schema, nullable: true },
      notes: [...only.notes, ...(listed ? [valuesNote(listed)] : []), 'May be null.'],
    },
  ];
}

/** Returns a scalar branch that accepts the values of both. */
function widen(one: Branch, other: Branch): Branch {
  const type = one.schema['type'] === other.schema['type'] ? one.schema['type'] : one.alternative.kind;
  return { alternative: one.alternative, schema: { type }, notes: [...one.notes, ...other.notes] };
}

/** Replaces the branches of some kinds by one branch of text. Other scalars join it, so that the schema stays short. */
function withText(
  branches: readonly Branch[],
  texts: Set<Kind>,
  { alternatives, notes, rules, place, annotations }: Combination & { notes: string[] },
): readonly Branch[] {
  const isNullOnly = texts.size === 1 && texts.has('null') && place.isOptional;
  const strings = branches.filter(({ alternative }) => alternative.kind === 'string');
  if (isNullOnly && strings.length === 0) {
    const others = branches.filter(({ alternative }) => alternative.kind !== 'null');
    notes.push('The text "null" is null.');
    return [...others, textBranch({ type: 'string', enum: ['null'] })];
  }
  const structures = branches.filter(
    ({ alternative: { kind } }) => (kind === 'object' || kind === 'array') && !texts.has(kind),
  );
  const isWhole = structures.length === 0 || (place.isItems && rules.ids.has('no-any-of-in-items'));
  if (!isNullOnly) {
    for (const { kind } of alternatives)
      if (isWhole || (kind !== 'object' && kind !== 'array')) texts.add(kind);
  } else texts.add('string');
  const values = isNullOnly ? plainValues(strings) : undefined;
  if (values) {
    notes.push('The text "null" is null.');
    return [textBranch({ type: 'string', enum: [...values, 'null'] }), ...keptBeside(branches, texts)];
  }
  notes.push(
    isNullOnly ? 'The text "null" is null; JSON text in quotes is text.' : textNote(texts, alternatives),
  );
  for (const branch of strings) {
    const { description } = branch.alternative.keywords;
    if (typeof description === 'string' && description !== annotations.kept['description'])
      notes.unshift(description);
    notes.push(...branch.notes);
  }
  return [...(isWhole && !isNullOnly ? [] : keptBeside(branches, texts)), textBranch({ type: 'string' })];
}

function keptBeside(branches: readonly Branch[], texts: ReadonlySet<Kind>): Branch[] {
  return branches.filter(({ alternative: { kind } }) => !texts.has(kind));
}

/** Returns the texts of an enum if none of them looks like JSON. */
function plainValues(strings: readonly Branch[]): readonly string[] | undefined {
  if (strings.some(({ alternative }) => alternative.values === undefined)) return undefined;
  const values = strings.flatMap(({ alternative }) => alternative.values as string[]);
  return values.every((value) => nullAsText.encode(value, 0) === value) ? values : undefined;
}

const nullAsText = unionCodec({ texts: new Set(['null', 'string']), lenient: new Set() }) as Codec;

function textBranch(schema: Record<string, unknown>): Branch {
  return { schema, notes: [], alternative: { ...nothingKnown, kind: 'string' } };
}

function join(branches: readonly Branch[], { rules, annotations }: Combination): Record<string, unknown> {
  const [only] = branches;
  if (branches.length === 1 && only) return describeBranch(only, annotations, true);
  const flat = joinFlat(branches, rules);
  if (flat) return flat;
  const nullable = joinNullable(branches, rules, annotations);
  return nullable ?? { anyOf: branches.map((branch) => describeBranch(branch, annotations, false)) };
}

/** Writes one schema with a list of types, if the profile accepts that and no keyword would apply to another type. */
function joinFlat(branches: readonly Branch[], rules: ProfileRules): Record<string, unknown> | undefined {
  if (rules.ids.has('no-type-list')) return undefined;
  const names = branches.map(({ alternative }) => alternative.kind);
  if (new Set(names).size < names.length) return undefined;
  const isListed = ({ schema }: Branch): boolean =>
    schema['enum'] !== undefined || schema['const'] !== undefined;
  const isFinite = ({ alternative }: Branch): boolean => alternative.kind === 'null';
  const hasList = branches.some(isListed);
  if (hasList && !branches.every((branch) => isListed(branch) || isFinite(branch))) return undefined;
  if (
    branches.some(
      ({ notes, schema }) =>
        notes.length > 0 || schema['anyOf'] !== undefined || schema['format'] !== undefined,
    )
  )
    return undefined;
  if (branches.some(({ alternative }) => alternative.keywords['description'] !== undefined)) return undefined;
  const merged: Record<string, unknown> = {};
  for (const { schema } of branches) Object.assign(merged, schema);
  const isUntyped =
    names.length === kinds.length && !branches.some(({ schema }) => schema['type'] === 'integer');
  const { type: _, enum: _values, const: _value, ...rest } = merged;
  const values = branches.flatMap((branch) =>
    isFinite(branch)
      ? [null]
      : ((branch.schema['enum'] as unknown[] | undefined) ?? [branch.schema['const']]),
  );
  return {
    ...(isUntyped && !rules.ids.has('strict-typed')
      ? {}
      : { type: branches.map(({ schema }) => schema['type']) }),
    ...rest,
    ...(hasList ? { enum: values } : {}),
  };
}

/** Writes `nullable`, which only Gemini knows. */
function joinNullable(
  branches: readonly Branch[],
  rules: ProfileRules,
  annotations: Annotations,
): Record<string, unknown> | undefined {
  if (!rules.ids.has('typed-schemas') || readsUnionsAsText(rules)) return undefined;
  const others = branches.filter(({ alternative }) => alternative.kind !== 'null');
  const [only] = others;
  if (others.length !== 1 || branches.length !== 2 || !only || only.schema['enum'] !== undefined)
    return undefined;
  return { ...describeBranch(only, annotations, true), nullable: true };
}

/** Adds the description of a branch, unless it repeats that of the whole schema. */
function describeBranch(
  { schema, notes, alternative: { keywords } }: Branch,
  { kept }: Annotations,
  isSingle: boolean,
): Record<string, unknown> {
  const { description } = keywords;
  const own = description === kept['description'] ? undefined : description;
  const title = keywords['title'] === kept['title'] || isSingle ? undefined : keywords['title'];
  const beside = typeof own === 'string' ? [own] : [];
  const text = isSingle ? describe(kept['description'], [...beside, ...notes]) : describe(own, notes);
  return {
    ...(title === undefined ? {} : { title }),
    ...(text === undefined ? {} : { description: text }),
    ...schema,
  };
}

/** Adds title, description and default of the whole schema. */
function annotate(
  schema: Record<string, unknown>,
  {
    annotations: { kept, notes: required },
    notes,
    rules,
    codec,
  }: Combination & { notes: readonly string[]; codec: Codec | undefined },
): JsonSchemaObject {
  const { title, description, default: fallback, examples } = kept;
  const isAlone = schema['anyOf'] !== undefined && rules.ids.has('any-of-alone');
  const all = [...notes, ...required];
  if (Array.isArray(examples) && examples.length > 0 && !accepts(rules, 'examples'))
    all.push(`Example: ${showValue(examples[0])}.`);
  if (fallback !== undefined && (isAlone || !accepts(rules, 'default')))
    all.push(`Default: ${showValue(fallback)}.`);
  const isSingle = schema['anyOf'] === undefined;
  const text = describe(isSingle ? (schema['description'] ?? description) : description, all);
  if (isAlone) return moveIntoFirst(schema, title, text);
  return {
    ...(title === undefined ? {} : { title }),
    ...(text === undefined ? {} : { description: text }),
    ...omitDescription(schema),
    ...(fallback !== undefined && accepts(rules, 'default')
      ? { default: codec ? codec.encode(fallback, 0) : fallback }
      : {}),
    ...(Array.isArray(examples) && accepts(rules, 'examples')
      ? { examples: codec ? examples.map((value) => codec.encode(value, 0)) : examples }
      : {}),
  };
}

function omitDescription(schema: Record<string, unknown>): Record<string, unknown> {
  const { description: _description, title: _title, ...rest } = schema;
  return rest;
}

/** No keyword may stand beside `anyOf`, so the first alternative carries the description. */
function moveIntoFirst(
  schema: Record<string, unknown>,
  title: unknown,
  text: string | undefined,
): JsonSchemaObject {
  const [first, ...rest] = schema['anyOf'] as Record<string, unknown>[];
  if (!first) return schema;
  const own = first['description'];
  const description =
    typeof own === 'string' && text !== undefined && own !== text ? describe(text, [own]) : (text ?? own);
  return {
    anyOf: [
      {
        ...(title === undefined || first['title'] !== undefined ? {} : { title }),
        ...first,
        ...(description === undefined ? {} : { description }),
      },
      ...rest,
    ],
  };
}

/** Also accepts null, which means a missing value. */
function withNull(schema: JsonSchemaObject): JsonSchemaObject {
  const { type, enum: values, const: value, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  const { const: _, ...rest } = schema;
  return {
    ...rest,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
    ...(value === undefined ? {} : { enum: [value, null] }),
  };
}
