import { DefaultValidator } from '@toolfold/schema';
import { isJsonObject, schemasIn } from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import type { Change } from '../profile.js';
import type { ProfileRules } from '../rules/rules-of.js';
import type { Alternative, ObjectFacts } from './alternative.js';
import { CleanSchemas } from './clean-schemas.js';
import { combine } from './combine.js';
import type { Annotations, Branch } from './combine.js';
import { arrayCodec, kinds } from './codecs.js';
import { constraintNotes } from './constraint-notes.js';
import type { Codec, Kind } from './codecs.js';
import { anyOf } from './merge-alternatives.js';
import { findTag, mergeWide, tagCodec } from './merge-wide.js';
import { combinationsNote, describe, joinWords, typeWord } from './notes.js';
import { AlternativeReader, isAnything } from './read-alternatives.js';
import { forgetKeys } from './schema-key.js';
import { writeObject } from './write-object.js';
import type { Node, WrittenObject } from './write-object.js';
import { accepts, writeKeywords, writeScalar } from './write-scalar.js';

interface LowerPlace {
  readonly path: string;
  readonly depth: number;
  readonly isItems: boolean;
  /** Whether null means a missing value, because strict mode requires every property. */
  readonly isOptional: boolean;
}

interface LoweringLimits {
  /** Maximum levels of objects and arrays. */
  readonly maxDepth: number;
  /** Maximum number of properties of the root. */
  readonly maxProperties: number | undefined;
}

/** How often a schema may contain itself before deeper values become text. */
const RECURSION = 1;

/** Inlining can multiply schemas, so the number of written schemas is limited. */
const MAX_WRITTEN = 10_000;

const MAX_CHANGES = 200;

export class SchemaLowering {
  readonly changes: Change[] = [];
  readonly #root: JsonSchemaObject;
  readonly #rules: ProfileRules;
  readonly #reader: AlternativeReader;
  readonly #clean: CleanSchemas;
  readonly #limits: LoweringLimits;
  /** The schemas that are being lowered. A schema that is reached again is recursive. */
  readonly #open: JsonSchema[] = [];
  /** Schemas that were written without the schemas inside them, by the place for which they were written. */
  readonly #leaves = new Map<JsonSchema, Map<string, Node>>();
  /** The number of schemas that may still be written. */
  #budget: number;

  constructor(root: JsonSchemaObject, rules: ProfileRules, limits: LoweringLimits) {
    forgetKeys();
    this.#root = root;
    this.#rules = rules;
    this.#limits = limits;
    this.#reader = new AlternativeReader(root);
    this.#clean = new CleanSchemas(root, rules);
    this.#budget = Math.min(4 * this.#clean.size + 200, MAX_WRITTEN);
  }

  /** The root must be one object, so alternatives at the root become one object with the fields of all. */
  lowerRoot(): Node {
    const objects = this.#reader.read(this.#root).filter(({ kind }) => kind === 'object');
    const place: LowerPlace = { path: '', depth: 0, isItems: false, isOptional: false };
    this.#open.push(this.#root);
    const written = this.#writeMerged(objects, place) as WrittenObject;
    this.#open.pop();
    this.#clean.explain(this.#root, { ...place, isRoot: true }, (rule, message) =>
      this.#report(rule, place, message),
    );
    const { $schema, $defs, definitions, title, description } = this.#root;
    const keepsRefs = accepts(this.#rules, '$ref') && this.#clean.keepsRefs;
    const schema = {
      ...($schema !== undefined && !this.#rules.ids.has('known-keywords') ? { $schema } : {}),
      ...(title === undefined ? {} : { title }),
      ...describedBy(description, [...written.notes, ...constraintNotes(this.#root)]),
      ...written.schema,
      ...(keepsRefs && $defs !== undefined ? { $defs } : {}),
      ...(keepsRefs && definitions !== undefined ? { definitions } : {}),
    };
    return { schema, codec: written.codec };
  }

  /** Lowers a schema; `undefined` if no value is valid. */
  lower(schema: JsonSchema, place: LowerPlace): Node | undefined {
    const isKept = !place.isOptional && this.#clean.isClean(schema, place, this.#limits.maxDepth);
    if (isKept && !this.#clean.hasUnionsAsText(schema)) return { schema, codec: undefined };
    const alternatives = this.#reader.read(schema);
    if (alternatives.length === 0) return undefined;
    this.#budget--;
    const isRecursive =
      this.#open.filter((open) => open === schema).length > RECURSION - 1 && typeof schema === 'object';
    const isCut = this.#budget < 0 || isRecursive || place.depth >= this.#limits.maxDepth;
    if (isCut && !this.#rules.keepsArguments)
      this.#report(isRecursive ? 'no-ref' : 'bounded-schema', place, 'Deeper values are JSON text.');
    const node =
      isCut || isAnything(alternatives)
        ? this.#writeLeaf(schema, alternatives, place)
        : this.#writeOpen(schema, alternatives, place);
    if (isKept) return { schema, codec: node.codec };
    if (this.changes.length < MAX_CHANGES)
      this.#clean.explain(schema, place, (rule, message) => this.#report(rule, place, message));
    return node;
  }

  #writeOpen(schema: JsonSchema, alternatives: readonly Alternative[], place: LowerPlace): Node {
    this.#open.push(schema);
    const node = this.#write(alternatives, this.#annotations(schema), { ...place, isCut: false });
    this.#open.pop();
    return node;
  }

  /**
   * Writes a schema without the schemas inside it. All required names without a property share one schema, and a server can list
   * 100,000 such names, so each schema is written once.
   */
  #writeLeaf(schema: JsonSchema, alternatives: readonly Alternative[], place: LowerPlace): Node {
    const { isItems, isOptional } = place;
    const key = `${isItems} ${isOptional}`;
    let known = this.#leaves.get(schema);
    if (!known) this.#leaves.set(schema, (known = new Map()));
    let node = known.get(key);
    if (!node) {
      node = this.#write(alternatives, this.#annotations(schema), { ...place, isCut: true });
      known.set(key, node);
    }
    return node;
  }

  #write(
    alternatives: readonly Alternative[],
    annotations: Annotations,
    place: LowerPlace & { isCut: boolean },
  ): Node {
    const texts = new Set<Kind>();
    const branches: Branch[] = [];
    let object: Codec | undefined;
    let array: Codec | undefined;
    const hasNoForm = place.isCut && this.#rules.keepsArguments;
    if (hasNoForm || isAnything(alternatives)) {
      if (this.#acceptsUntyped()) {
        const text = describedBy(annotations.kept['description'], annotations.notes);
        return { schema: { ...annotations.kept, ...text }, codec: undefined };
      }
      for (const kind of kinds) texts.add(kind);
    } else {
      for (const alternative of alternatives) {
        const { kind } = alternative;
        if (kind === 'object' || kind === 'array') continue;
        branches.push({ ...writeScalar(alternative, this.#rules), alternative });
      }
      const arrays = alternatives.filter(({ kind }) => kind === 'array');
      if (arrays.length > 0) {
        if (place.isCut) texts.add('array');
        else array = this.#writeArrays(arrays, place, branches);
      }
      const objects = alternatives.filter(({ kind }) => kind === 'object');
      if (objects.length > 0) {
        const written = place.isCut ? undefined : this.#writeObjects(objects, place);
        if (!written) texts.add('object');
        else {
          branches.push(...written.branches);
          object = written.codec;
        }
      }
    }
    return combine({
      alternatives,
      branches,
      texts,
      object,
      array,
      annotations,
      place,
      rules: this.#rules,
    });
  }

  /** Writes arrays as one or more branches, and returns their common codec. */
  #writeArrays(arrays: readonly Alternative[], place: LowerPlace, branches: Branch[]): Codec | undefined {
    if (arrays.length > 1) {
      const written = arrays.map((alternative) => this.#writeArray(alternative, place));
      const [first] = written;
      if (!this.#isSingle(place) && first && written.every(({ codec }) => codec?.id === first.codec?.id)) {
        branches.push(...written);
        return first.codec;
      }
      const items = anyOf(arrays.flatMap(({ array }) => (array ? [...array.first, array.rest] : [true])));
      const merged: Alternative = {
        ...(arrays[0] as Alternative),
        values: undefined,
        keywords: {},
        array: { first: [], rest: items },
      };
      const node = this.#writeArray(merged, place);
      branches.push(node);
      return node.codec;
    }
    const node = this.#writeArray(arrays[0] as Alternative, place);
    branches.push(node);
    return node.codec;
  }

  #writeArray(alternative: Alternative, place: LowerPlace): Branch & { codec: Codec | undefined } {
    const { array, values } = alternative;
    const schema: Record<string, unknown> = { type: 'array' };
    const notes: string[] = [];
    writeKeywords(alternative, { schema, notes }, this.#rules);
    if (values) notes.push(`One of ${joinWords(values.map((value) => JSON.stringify(value)))}.`);
    const below = { path: `${place.path}/items`, depth: place.depth + 1, isItems: true, isOptional: false };
    const tuple = array && array.first.length > 0 ? array : undefined;
    if (tuple && accepts(this.#rules, 'prefixItems')) {
      const [rest, ...first] = [tuple.rest, ...tuple.first].map((part) => this.lower(part, below));
      if ([rest, ...first].every((node) => node?.codec === undefined)) {
        const prefix = first.map((node) => node?.schema ?? false);
        const others = rest?.schema === true ? {} : (rest?.schema ?? false);
        Object.assign(
          schema,
          this.#reader.isDraft7
            ? { items: prefix, additionalItems: others }
            : { prefixItems: prefix, items: others },
        );
        return { schema, notes, alternative, codec: undefined };
      }
    }
    if (tuple) {
      notes.push(
        `In order: ${joinWords(tuple.first.map(typeWord))}${tuple.rest === false ? '' : `, then ${typeWord(tuple.rest)}`}.`,
      );
      if (tuple.rest === false) {
        const most = schema['maxItems'];
        schema['maxItems'] =
          typeof most === 'number' ? Math.min(most, tuple.first.length) : tuple.first.length;
      }
    }
    if (!array && !this.#rules.ids.has('array-items'))
      return { schema, notes, alternative, codec: undefined };
    const node = this.lower(array ? anyOf([...array.first, array.rest]) : true, below);
    schema['items'] = node ? (node.schema === true ? {} : node.schema) : { type: 'string' };
    if (!node) schema['maxItems'] = 0;
    return { schema, notes, alternative, codec: arrayCodec(node?.codec) };
  }

  /** Writes objects as one or more branches; `undefined` if the profile can express one of them as text only. */
  #writeObjects(
    objects: readonly Alternative[],
    place: LowerPlace,
  ): { branches: Branch[]; codec: Codec | undefined } | undefined {
    if (objects.length > 1 && !this.#isSingle(place)) {
      const facts = objects.map(({ object }) => object as ObjectFacts);
      const written = objects.map((alternative) => this.#writeMerged([alternative], place));
      if (written.every((one) => one !== undefined)) {
        const branches = written.map((one, index) => ({
          ...one,
          alternative: objects[index] as Alternative,
        }));
        if (written.every(({ codec }) => codec?.id === written[0]?.codec?.id))
          return { branches, codec: written[0]?.codec };
        const tag = findTag(facts, this.#reader);
        if (tag && written.every(({ fields }) => !fields.has(tag.name)))
          return { branches, codec: tagCodec(tag, written) };
      }
    }
    const merged = this.#writeMerged(objects, place);
    return (
      merged && { branches: [{ ...merged, alternative: objects[0] as Alternative }], codec: merged.codec }
    );
  }

  /** Writes one object that accepts the values of all given objects. */
  #writeMerged(objects: readonly Alternative[], place: LowerPlace): WrittenObject | undefined {
    const merged = mergeWide(objects);
    const { alternative, facts } = merged;
    // Renamed fields must be translated back in calls, so a profile that keeps arguments renames none.
    const guarded = this.#rules.keepsArguments ? new Set<string>() : merged.guarded;
    const isRoot = place.path === '';
    const written = writeObject(alternative, facts, guarded, {
      rules: this.#rules,
      isRoot,
      maxProperties: isRoot ? this.#limits.maxProperties : undefined,
      fits: (schema) => this.#fits(schema),
      report: (rule, name, message) =>
        this.#report(rule, { ...place, path: `${place.path}/properties/${name}` }, message),
      lowerField: (schema, name, isOptional) =>
        this.lower(schema, {
          path: name === '*' ? `${place.path}/additionalProperties` : `${place.path}/properties/${name}`,
          depth: place.depth + 1,
          isItems: false,
          isOptional,
        }),
    });
    if (!written || objects.length < 2) return written;
    const all = objects.map(({ object }) => object as ObjectFacts);
    const note = combinationsNote(all, findTag(all, this.#reader));
    return note === undefined ? written : { ...written, notes: [...written.notes, note] };
  }

  /** Whether a schema at this place must not have alternatives. */
  #isSingle({ isItems }: LowerPlace): boolean {
    return isItems && this.#rules.ids.has('no-any-of-in-items');
  }

  #acceptsUntyped(): boolean {
    return !this.#rules.ids.has('typed-schemas') && !this.#rules.ids.has('strict-typed');
  }

  /** Reads title, description and the like from the schema itself or, if it has none, from the schema that it refers to. */
  #annotations(schema: JsonSchema): Annotations {
    const kept: Record<string, unknown> = {};
    const notes: string[] = [];
    let at: JsonSchema | undefined = schema;
    for (let steps = 0; steps < 8 && isJsonObject(at); steps++) {
      for (const keyword of ['title', 'description', 'default', 'examples']) {
        if (at[keyword] !== undefined && kept[keyword] === undefined) kept[keyword] = at[keyword];
      }
      notes.push(...constraintNotes(at));
      const parts: JsonSchema[] = schemasIn(at['allOf']);
      at =
        at['$ref'] === undefined
          ? parts.length === 1
            ? parts[0]
            : undefined
          : this.#reader.resolve(at['$ref']);
    }
    return { kept, notes };
  }

  /** Returns a test of values against a schema of the author. Only `encode` uses it. */
  #fits(schema: JsonSchema): (value: unknown) => boolean {
    let validate: ((value: unknown) => boolean) | undefined;
    const { $schema, $defs, definitions } = this.#root;
    return (value) => {
      validate ??= compileTest({
        ...($schema === undefined ? {} : { $schema }),
        allOf: [schema],
        ...($defs === undefined ? {} : { $defs }),
        ...(definitions === undefined ? {} : { definitions }),
      });
      return validate(value);
    };
  }

  #report(rule: string, { path }: LowerPlace, message: string): void {
    if (this.changes.length >= MAX_CHANGES) return;
    const isKnown = this.changes.some(
      (change) => change.rule === rule && change.path === `/inputSchema${path}`,
    );
    if (!isKnown) this.changes.push({ rule, path: `/inputSchema${path}`, message });
  }
}

/** A schema that cannot be read accepts nothing, so its values are sent in the form that is always valid. */
function compileTest(schema: JsonSchemaObject): (value: unknown) => boolean {
  try {
    const validate = new DefaultValidator({ engine: 'interpreted' }).compile(schema);
    return (value) => validate(value).ok;
  } catch {
    return () => false;
  }
}

function describedBy(description: unknown, notes: readonly string[]): { description?: string } {
  const text = describe(description, notes);
  return text === undefined ? {} : { description: text };
}
