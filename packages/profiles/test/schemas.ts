// Schemas in the styles of real servers, and values that fit them, for property tests of the profiles.

type Schema = Record<string, unknown> | boolean;
type Json = unknown;

/** Numbers from a seed (mulberry32), so that a failing case can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }
}

const keys = [
  'name',
  'id',
  'limit',
  'filter[name]',
  'a.b',
  'a_b',
  'a b',
  '@type',
  '$ref2',
  'content-type',
  '名称',
  '__proto__',
  'constructor',
  'x/y',
  'x~y',
  'user[email][0]',
  'null',
  'additional_fields',
  'action',
  'kind',
  'k'.repeat(70),
  'é',
  'filter_name',
  'filter_name_',
];
const texts = [
  '',
  'a',
  'abc',
  'null',
  'true',
  '5',
  '-1.5',
  '"quoted"',
  '"5"',
  '{}',
  '[]',
  '{"a":1}',
  '[1,"2"]',
  ' 7 ',
  '1e3',
  '01',
  'NaN',
  '{not json',
  '日本語',
  '\\"',
  '"\\"x\\""',
  '2026-01-01',
  'x@y.example',
  'a\nb',
  '12345678901234567890',
  '"{}"',
  'nul',
  'tru',
  '\uD83D\uDE00',
];
const formats = ['email', 'uri', 'date-time', 'date', 'uuid', 'int32', 'binary'];

/** A whole input schema. */
export function inputSchema(random: Random): Record<string, unknown> {
  const names = ['Node', 'Item', 'Filter'];
  const isDraft7 = random.chance(0.3);
  const group = isDraft7 ? 'definitions' : '$defs';
  const maker = new SchemaMaker(
    random,
    random.chance(0.5) ? names.map((name) => `#/${group}/${name}`) : [],
    isDraft7,
  );
  const root = maker.object(3);
  const definitions =
    maker.refs.length > 0 ? { [group]: Object.fromEntries(names.map((name) => [name, maker.any(2)])) } : {};
  const dialect = isDraft7
    ? { $schema: 'http://json-schema.org/draft-07/schema#' }
    : random.chance(0.4)
      ? { $schema: 'https://json-schema.org/draft/2020-12/schema' }
      : {};
  const composition: Record<string, unknown> = {};
  if (random.chance(0.15))
    composition[random.pick(['oneOf', 'anyOf'])] = [maker.object(2), maker.object(2), maker.tagged()];
  if (random.chance(0.08)) composition['anyOf'] = [{ required: ['name'] }, { required: ['id'] }];
  if (random.chance(0.08)) composition['allOf'] = [maker.object(1)];
  return { ...dialect, ...root, ...composition, ...definitions, type: 'object' };
}

class SchemaMaker {
  readonly random: Random;
  readonly refs: readonly string[];
  readonly isDraft7: boolean;

  constructor(random: Random, refs: readonly string[], isDraft7: boolean) {
    this.random = random;
    this.refs = refs;
    this.isDraft7 = isDraft7;
  }

  any(depth: number): Schema {
    const { random } = this;
    const schema = this.plain(depth);
    if (typeof schema === 'boolean' || '$ref' in schema) return schema;
    if (random.chance(0.3))
      schema['description'] = random.pick(['A field', '字段。', 'Ends.', 'Name of it!']);
    if (random.chance(0.2)) schema['title'] = 'Title';
    return schema;
  }

  plain(depth: number): Schema {
    const { random } = this;
    const kind = random.below(depth > 0 ? 25 : 11);
    if (kind === 0) return this.text();
    if (kind === 1) return this.number();
    if (kind === 2) return { type: 'boolean' };
    if (kind === 3) return { type: 'string', enum: random.chance(0.5) ? ['a', 'b', 'null'] : ['x', ''] };
    if (kind === 4)
      return random.pick<Schema>([
        { const: 'a' },
        { const: 5 },
        { const: null },
        { type: 'string', const: 'b' },
        { const: { a: 1 } },
      ]);
    if (kind === 5) return random.pick<Schema>([{}, true, { description: 'Anything' }]);
    if (kind === 6)
      return random.pick<Schema>([
        { enum: [1, 2, 3] },
        { enum: ['a', null] },
        { enum: [1, 'a', true, null, [1]] },
        { type: 'integer', enum: [1] },
      ]);
    if (kind === 7)
      return {
        type: random.pick([
          ['string', 'null'],
          ['integer', 'string'],
          ['number', 'null'],
          ['object', 'array'],
          ['boolean', 'null', 'string'],
        ]),
      };
    if (kind === 8) return { anyOf: [this.number(), { type: 'null' }], default: null };
    if (kind === 9) return { anyOf: [this.text(), { type: 'null' }], default: null };
    if (kind === 10) return this.refs.length > 0 ? { $ref: random.pick(this.refs) } : this.text();
    if (kind < 14) return this.object(depth - 1);
    if (kind < 17) return this.array(depth - 1);
    if (kind === 17) return { [random.pick(['anyOf', 'oneOf'])]: [this.any(depth - 1), this.any(depth - 1)] };
    if (kind === 18) return { type: 'object', additionalProperties: this.any(depth - 1) };
    if (kind === 19) return { anyOf: [this.object(depth - 1), { type: 'null' }] };
    if (kind === 20)
      return {
        oneOf: [
          this.tagged(),
          {
            ...this.tagged(),
            properties: { kind: { const: 'z' }, 'odd key': this.any(depth - 1) },
            required: ['kind'],
          },
        ],
      };
    if (kind === 21) return { allOf: [this.any(depth - 1), this.any(depth - 1)] };
    if (kind === 22) return { properties: { a: this.any(depth - 1) } };
    if (kind === 23) return { not: { type: 'null' } };
    return { anyOf: [this.text(), this.array(depth - 1), this.object(depth - 1)] };
  }

  text(): Schema {
    const { random } = this;
    const schema: Record<string, unknown> = { type: 'string' };
    if (random.chance(0.15)) schema['minLength'] = 1;
    if (random.chance(0.15)) schema['maxLength'] = 6;
    if (random.chance(0.15)) schema['pattern'] = '^[a-z0-9]*$';
    if (random.chance(0.2)) schema['format'] = random.pick(formats);
    if (random.chance(0.1)) schema['examples'] = ['a'];
    if (random.chance(0.1)) schema['x-vendor'] = 1;
    return schema;
  }

  number(): Schema {
    const { random } = this;
    const schema: Record<string, unknown> = { type: random.pick(['number', 'integer']) };
    if (random.chance(0.2)) schema['exclusiveMinimum'] = random.pick([0, 0.5, -1]);
    if (random.chance(0.2)) schema['minimum'] = 0;
    if (random.chance(0.2)) schema['exclusiveMaximum'] = 100;
    if (random.chance(0.1)) schema['multipleOf'] = random.pick([1, 0.5, 5]);
    if (random.chance(0.1)) schema['default'] = 1;
    return schema;
  }

  object(depth: number): Record<string, unknown> {
    const { random } = this;
    const names = Array.from({ length: random.below(5) }, () => random.pick(keys));
    const properties = Object.fromEntries([...new Set(names)].map((name) => [name, this.any(depth)]));
    const schema: Record<string, unknown> = { type: 'object', properties };
    if (names.length === 0 && random.chance(0.5)) delete schema['properties'];
    const required = [...new Set(names)].filter(() => random.chance(0.4));
    if (required.length > 0) schema['required'] = required;
    if (random.chance(0.05)) schema['required'] = ['name'];
    if (random.chance(0.4)) schema['additionalProperties'] = random.chance(0.7) ? false : this.any(0);
    if (random.chance(0.1)) schema['patternProperties'] = { '^x-': this.any(0) };
    if (random.chance(0.05)) schema['propertyNames'] = { pattern: '^[a-z]' };
    if (random.chance(0.05)) schema['minProperties'] = 1;
    if (random.chance(0.08)) schema[this.isDraft7 ? 'dependencies' : 'dependentRequired'] = { 'a.b': ['id'] };
    if (random.chance(0.05))
      Object.assign(schema, { if: { required: ['id'] }, then: { required: ['name'] } });
    return schema;
  }

  array(depth: number): Schema {
    const { random } = this;
    const schema: Record<string, unknown> = { type: 'array' };
    if (random.chance(0.8)) schema['items'] = this.any(depth);
    if (random.chance(0.25)) {
      const first = [this.any(depth), this.any(depth)];
      if (this.isDraft7)
        Object.assign(schema, { items: first, ...(random.chance(0.5) ? { additionalItems: false } : {}) });
      else Object.assign(schema, { prefixItems: first, ...(random.chance(0.5) ? { items: false } : {}) });
    }
    if (random.chance(0.1)) schema['uniqueItems'] = true;
    if (random.chance(0.1)) schema['maxItems'] = 2;
    if (random.chance(0.05)) schema['contains'] = { type: 'string' };
    return schema;
  }

  tagged(): Record<string, unknown> {
    const { random } = this;
    const tag = random.pick(['a', 'b', 'c']);
    return {
      type: 'object',
      properties: { kind: { const: tag }, [random.pick(keys)]: this.any(1) },
      required: ['kind'],
      ...(random.chance(0.5) ? { additionalProperties: false } : {}),
    };
  }
}

/** A value that probably fits a schema. */
export function valueFor(schema: Schema, root: unknown, random: Random, depth = 0): Json {
  if (typeof schema === 'boolean' || depth > 12) return anyValue(random, 1);
  const { $ref, allOf, anyOf, oneOf, type, properties } = schema;
  if (typeof $ref === 'string') return valueFor(follow($ref, root), root, random, depth + 1);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as Json[]);
  const branches = [anyOf, oneOf].find(Array.isArray) as Schema[] | undefined;
  const isPlain = type === undefined && properties === undefined;
  if (branches && (isPlain || random.chance(0.7))) {
    const branch = random.pick(branches);
    const value = valueFor(branch, root, random, depth + 1);
    if (isPlain || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return {
      ...(valueFor(
        { ...schema, anyOf: undefined, oneOf: undefined } as Schema,
        root,
        random,
        depth + 1,
      ) as object),
      ...value,
    };
  }
  if (Array.isArray(allOf) && isPlain) {
    const values = (allOf as Schema[]).map((part) => valueFor(part, root, random, depth + 1));
    return values.every((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
      ? Object.assign({}, ...(values as object[]))
      : values[0];
  }
  const types = Array.isArray(type)
    ? (type as string[])
    : typeof type === 'string'
      ? [type]
      : properties === undefined
        ? []
        : ['object', 'object', 'string'];
  if (types.length === 0) return anyValue(random, 2);
  return typedValue(random.pick(types), schema, root, random, depth);
}

function typedValue(
  type: string,
  schema: Record<string, unknown>,
  root: unknown,
  random: Random,
  depth: number,
): Json {
  if (type === 'string') return random.pick(texts);
  if (type === 'number') return random.pick([0, 1, 1.5, -1, 5, 50, 1e21, 0.5]);
  if (type === 'integer') return random.pick([0, 1, 2, 5, 10, -1]);
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'null') return null;
  if (type === 'array') return arrayValue(schema, root, random, depth);
  const { properties, required, additionalProperties } = schema;
  const names = Object.keys((properties ?? {}) as object);
  const needed = new Set(Array.isArray(required) ? (required as string[]) : []);
  const entries: [string, Json][] = [];
  for (const name of names) {
    if (!needed.has(name) && random.chance(depth > 4 ? 0.9 : 0.4)) continue;
    entries.push([
      name,
      valueFor((properties as Record<string, Schema>)[name] ?? true, root, random, depth + 1),
    ]);
  }
  for (const name of needed) if (!names.includes(name)) entries.push([name, anyValue(random, 1)]);
  if (additionalProperties !== false && random.chance(0.4)) {
    const name = random.pick([...keys, 'extra', 'x-a', 'filter_name__', 'limit_other', 'field_1']);
    if (!names.includes(name))
      entries.push([name, valueFor((additionalProperties ?? true) as Schema, root, random, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

function arrayValue(schema: Record<string, unknown>, root: unknown, random: Random, depth: number): Json {
  const { items, prefixItems } = schema;
  const first = (Array.isArray(items) ? items : Array.isArray(prefixItems) ? prefixItems : []) as Schema[];
  const rest = (Array.isArray(items) || items === undefined ? true : items) as Schema;
  const length = depth > 4 ? random.below(2) : random.below(4);
  return Array.from({ length }, (_, index) => valueFor(first[index] ?? rest, root, random, depth + 1));
}

export function anyValue(random: Random, depth: number): Json {
  const kind = random.below(depth > 0 ? 8 : 5);
  if (kind < 2) return random.pick(texts);
  if (kind === 2) return random.pick([0, 1, -2.5, 1e21]);
  if (kind === 3) return random.chance(0.5);
  if (kind === 4) return null;
  if (kind === 5) return Array.from({ length: random.below(3) }, () => anyValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length: random.below(3) }, () => [random.pick(keys), anyValue(random, depth - 1)] as const),
  );
}

function follow(ref: string, root: unknown): Schema {
  let at = root as Record<string, unknown>;
  for (const part of ref.slice(2).split('/'))
    at = at[part.replaceAll('~1', '/').replaceAll('~0', '~')] as Record<string, unknown>;
  return at as Schema;
}
