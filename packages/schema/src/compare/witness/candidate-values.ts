import { isSchema, schemasIn } from '../../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson } from '../../values/json-value.js';
import type { NormalSchema } from '../../check/normal-schema.js';
import { interpret } from '../../validate/interpret-schema.js';
import { mapIn, namesIn } from '../../visit/own-facts.js';
import { choicesIn, expand, itemsOf, schemasFor, typesIn } from '../schema-facts.js';
import type { Facts } from '../schema-facts.js';
import { choicesOf, limitsOf, numberCandidates, textCandidates } from './scalar-candidates.js';
import { samplePattern } from './pattern-samples.js';

const MAX_DEPTH = 16;
const MAX_CASES = 24;
const MAX_HINTS = 60;
const MAX_NAMES = 400;
const MAX_ITEMS = 200;
/** Step limit for the validation of one candidate. */
const STEPS = 10_000;

type Values = Generator<unknown, void, undefined>;

/** The schemas that a value must match, and those of the other side, whose limits suggest interesting values. */
interface Place {
  readonly given: readonly JsonSchema[];
  readonly hints: readonly JsonSchema[];
  readonly depth: number;
}

/**
 * Generates values that probably match one schema and lie near the limits of another. Each value differs from a simple valid one
 * in one place, so the number of values grows with the size of the schemas only. The caller checks every value.
 */
export class CandidateValues {
  readonly #inner: NormalSchema;
  readonly #outer: NormalSchema;
  readonly #isOver: () => boolean;

  constructor(inner: NormalSchema, outer: NormalSchema, isOver: () => boolean) {
    this.#inner = inner;
    this.#outer = outer;
    this.#isOver = isOver;
  }

  all(): Values {
    return this.#valuesAt({ given: [this.#inner.root], hints: [this.#outer.root], depth: 0 });
  }

  *#valuesAt({ given, hints, depth }: Place): Values {
    if (depth > MAX_DEPTH || this.#isOver()) return;
    const others = this.#flatten(hints);
    for (const facts of this.#casesOf(given)) {
      const choices = choicesIn(facts);
      if (choices) {
        yield* choices.slice(0, MAX_ITEMS);
        continue;
      }
      const fits = this.#fitsOf(facts);
      for (const type of typesIn(facts)) {
        if (type === 'object') yield* this.#objects(facts, others, depth);
        else if (type === 'array') yield* this.#arrays(facts, others, depth);
        else yield* scalarsOf(type, [...others, ...facts]).filter(fits);
      }
      // An object that one side lists as a choice may be valid for the other.
      yield* others.flatMap(choicesOf).filter((choice) => typeof choice === 'object' && fits(choice));
    }
  }

  /** Returns a simple valid value; `undefined` if none is found. */
  #sample(given: readonly unknown[], depth: number): unknown {
    const schemas = given.filter(isSchema);
    const fits = this.#fitsOf(schemas);
    let tries = 50;
    for (const value of this.#valuesAt({ given: schemas, hints: [], depth })) {
      if (fits(value)) return value;
      if (--tries < 0) return undefined;
    }
    return undefined;
  }

  /** Splits schemas at `anyOf` and `oneOf`. Each case is a list of schemas that all hold for a value. */
  #casesOf(given: readonly JsonSchema[]): Facts[] {
    const cases: Facts[] = [];
    const waiting: { schemas: readonly JsonSchema[]; chosen: ReadonlySet<unknown> }[] = [
      { schemas: given, chosen: new Set() },
    ];
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const facts = expand(next.schemas, this.#inner);
      if (!facts) continue;
      const { chosen } = next;
      const branches = facts
        .flatMap((fact) => [fact['anyOf'], fact['oneOf']])
        .find((each) => each !== undefined && !chosen.has(each));
      if (branches === undefined) cases.push(facts);
      else if (waiting.length + cases.length < MAX_CASES * 4)
        for (const branch of schemasIn(branches).slice(0, MAX_CASES))
          waiting.push({ schemas: [...facts, branch], chosen: new Set([...chosen, branches]) });
      if (cases.length >= MAX_CASES) break;
    }
    return cases;
  }

  /** Returns every schema of the other side that may apply to a value. */
  #flatten(hints: readonly JsonSchema[]): JsonSchemaObject[] {
    const found = new Set<JsonSchemaObject>();
    const waiting = [...hints];
    for (let node = waiting.shift(); node !== undefined && found.size < MAX_HINTS; node = waiting.shift()) {
      if (typeof node === 'boolean' || found.has(node)) continue;
      found.add(node);
      if (typeof node['$ref'] === 'string')
        waiting.push(this.#outer.targets.get(node['$ref']) ?? this.#inner.targets.get(node['$ref']) ?? true);
      for (const keyword of ['allOf', 'anyOf', 'oneOf']) waiting.push(...schemasIn(node[keyword]));
      for (const keyword of ['not', 'if', 'then', 'else', 'contains'])
        if (isSchema(node[keyword])) waiting.push(node[keyword]);
      for (const keyword of ['dependentSchemas', 'dependencies'])
        waiting.push(...Object.values(mapIn(node[keyword])).filter(isSchema));
    }
    return [...found];
  }

  #fitsOf(schemas: readonly JsonSchema[]): (value: unknown) => boolean {
    let validate: ReturnType<typeof interpret> | undefined;
    return (value) => (validate ??= interpret({ ...this.#inner, root: { allOf: schemas } }, STEPS))(value).ok;
  }

  *#objects(facts: Facts, others: Facts, depth: number): Values {
    const required = new Set(facts.flatMap((fact) => namesIn(fact['required'])));
    const schemasOf = (name: string): JsonSchema[] =>
      facts.flatMap((fact) => schemasFor(name, fact)).filter(isSchema);
    const hintsOf = (name: string): JsonSchema[] =>
      others.flatMap((other) => schemasFor(name, other)).filter(isSchema);
    const base = new Map<string, unknown>();
    for (const name of required) {
      const value = this.#sample(schemasOf(name), depth + 1);
      if (value === undefined) return;
      base.set(name, value);
    }
    yield Object.fromEntries(base);
    const full = new Map(base);
    for (const name of namesOf(facts, others)) {
      const given = schemasOf(name);
      const hints = hintsOf(name);
      const sample = full.get(name) ?? this.#sample(given, depth + 1);
      if (sample === undefined) continue;
      if (facts.some((fact) => Object.hasOwn(mapIn(fact['properties']), name))) full.set(name, sample);
      const around = this.#withDependents(base, name, facts, depth);
      yield withField(around, name, sample);
      if (isEqual(given, hints)) continue;
      for (const value of this.#valuesAt({ given, hints, depth: depth + 1 }))
        yield withField(around, name, value);
    }
    yield Object.fromEntries(full);
    for (const name of [...full.keys()].slice(0, MAX_NAMES))
      if (!required.has(name)) yield Object.fromEntries([...full].filter(([key]) => key !== name));
    yield* this.#crowds(full, facts, others, depth);
  }

  /** Adds the fields that a given field requires. */
  #withDependents(
    base: ReadonlyMap<string, unknown>,
    name: string,
    facts: Facts,
    depth: number,
  ): ReadonlyMap<string, unknown> {
    const needed = facts.flatMap((fact) => [
      ...namesIn(mapIn(fact['dependentRequired'])[name]),
      ...namesIn(mapIn(fact['dependencies'])[name]),
    ]);
    if (needed.length === 0) return base;
    const full = new Map(base);
    for (const other of needed)
      if (!full.has(other))
        full.set(
          other,
          this.#sample(
            facts.flatMap((fact) => schemasFor(other, fact)),
            depth + 1,
          ),
        );
    return full;
  }

  /** Generates objects with as many fields as the limits of both sides suggest. */
  *#crowds(full: ReadonlyMap<string, unknown>, facts: Facts, others: Facts, depth: number): Values {
    const limits = [...facts, ...others].flatMap((each) =>
      limitsOf(each, ['minProperties', 'maxProperties']),
    );
    for (const limit of new Set(limits.flatMap((each) => [each - 1, each, each + 1]))) {
      if (limit < 0 || limit > MAX_ITEMS) continue;
      const crowd = new Map([...full].slice(0, limit));
      const names = [
        ...namesOf(facts, others),
        ...'bcdefghijk',
        ...Array.from({ length: limit }, (_, index) => `field${index}`),
      ];
      for (const name of names) {
        if (crowd.size >= limit) break;
        const value = this.#sample(
          facts.flatMap((fact) => schemasFor(name, fact)),
          depth + 1,
        );
        if (value !== undefined) crowd.set(name, value);
      }
      yield Object.fromEntries(crowd);
    }
  }

  *#arrays(facts: Facts, others: Facts, depth: number): Values {
    const givenAt = (index: number): JsonSchema[] =>
      facts.map((fact) => itemAt(fact, index)).filter(isSchema);
    const hintsAt = (index: number): JsonSchema[] =>
      others.map((other) => itemAt(other, index)).filter(isSchema);
    const least = Math.max(0, ...facts.flatMap((fact) => limitsOf(fact, ['minItems'])));
    const most = Math.min(MAX_ITEMS, ...facts.flatMap((fact) => limitsOf(fact, ['maxItems'])));
    const prefix = Math.max(0, ...[...facts, ...others].map((each) => itemsOf(each).first.length));
    const limits = [...facts, ...others].flatMap((each) =>
      limitsOf(each, ['minItems', 'maxItems', 'minContains', 'maxContains']).flatMap((limit) => [
        limit - 1,
        limit,
        limit + 1,
      ]),
    );
    const isUnique = facts.some((fact) => fact['uniqueItems'] === true);
    const lengths = [...new Set([least, 0, 1, 2, prefix, prefix + 1, ...limits])].filter(
      (length) => length >= least && length <= most,
    );
    for (const length of lengths) {
      const items = isUnique
        ? this.#differentItems(length, givenAt, depth)
        : this.#equalItems(length, givenAt, depth);
      if (!items) continue;
      yield items;
    }
    const longest = Math.min(most, Math.max(least, prefix + 1));
    const items = this.#differentItems(longest, givenAt, depth) ?? this.#equalItems(longest, givenAt, depth);
    if (!items) return;
    const different = this.#differentItems(Math.min(most, Math.max(2, longest)), givenAt, depth);
    if (different) yield different;
    for (let index = 0; index < longest && index <= prefix; index++) {
      if (isEqual(givenAt(index), hintsAt(index))) continue;
      for (const value of this.#valuesAt({
        given: givenAt(index),
        hints: hintsAt(index),
        depth: depth + 1,
      })) {
        const shorter = items.slice(0, Math.max(least, index + 1));
        yield shorter.toSpliced(index, 1, value);
      }
    }
  }

  #equalItems(
    length: number,
    givenAt: (index: number) => JsonSchema[],
    depth: number,
  ): unknown[] | undefined {
    const items: unknown[] = [];
    let sample: unknown;
    for (let index = 0; index < length; index++) {
      // All items after the first 20 have the same schema.
      if (index <= 20) sample = this.#sample(givenAt(index), depth + 1);
      if (sample === undefined) return undefined;
      items.push(sample);
    }
    return items;
  }

  #differentItems(
    length: number,
    givenAt: (index: number) => JsonSchema[],
    depth: number,
  ): unknown[] | undefined {
    const items = new Map<string, unknown>();
    for (let index = 0; index < length; index++) {
      const given = givenAt(index);
      const fits = this.#fitsOf(given);
      let isFound = false;
      for (const value of this.#valuesAt({ given, hints: [], depth: depth + 1 })) {
        if (items.has(canonicalJson(value)) || !fits(value)) continue;
        items.set(canonicalJson(value), value);
        isFound = true;
        break;
      }
      if (!isFound) return undefined;
    }
    return [...items.values()];
  }
}

function itemAt(schema: JsonSchemaObject, index: number): unknown {
  const { first, rest } = itemsOf(schema);
  return index < first.length ? first[index] : rest;
}

function scalarsOf(type: string, schemas: Facts): unknown[] {
  if (type === 'null') return [null];
  if (type === 'boolean') return [true, false];
  return type === 'number' ? numberCandidates(schemas) : textCandidates(schemas);
}

/** Returns the names of fields that either side knows, and some names that neither side declares. */
function namesOf(facts: Facts, others: Facts): string[] {
  const both = [...facts, ...others];
  const named = both.flatMap((each) => [
    ...Object.keys(mapIn(each['properties'])),
    ...namesIn(each['required']),
    ...Object.keys(mapIn(each['dependentRequired'])),
    ...Object.keys(mapIn(each['dependencies'])),
  ]);
  const patterns = both.flatMap((each) => [
    ...Object.keys(mapIn(each['patternProperties'])),
    ...[mapIn(each['propertyNames'])['pattern']].filter((pattern) => typeof pattern === 'string'),
  ]);
  const choices = both
    .flatMap((each) => choicesOf(mapIn(each['propertyNames'])))
    .filter((each) => typeof each === 'string');
  const undeclared = ['undeclared', 'a', 'undeclared-field-with-a-long-name'];
  return [...new Set([...named, ...patterns.flatMap(samplePattern), ...choices, ...undeclared])].slice(
    0,
    MAX_NAMES,
  );
}

function withField(fields: ReadonlyMap<string, unknown>, name: string, value: unknown): object {
  return Object.fromEntries([...fields, [name, value]]);
}

/** Whether both sides have the same schemas at a place. No value there can then distinguish the two sides. */
function isEqual(given: readonly JsonSchema[], hints: readonly JsonSchema[]): boolean {
  const [one, other] = [given, hints].map((schemas) =>
    canonicalJson(schemas.filter((schema) => schema !== true)),
  );
  return one === other && !one?.includes('"$ref":');
}
