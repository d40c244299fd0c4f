import { interpret } from '../validate/interpret-schema.js';
import { defaultSchemaLimits, isSchema, schemasIn } from '../values/json-schema.js';
import { canonicalJson, typeName } from '../values/json-value.js';
import { ErrInvalidSchema, ToolfoldError } from '../errors.js';
import type { ReadSchema } from '../read/checked-schema.js';
import { isOpen } from '../validate/input-validator.js';
import { mapIn, namesIn, typesOf } from '../visit/own-facts.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import {
  allowsType,
  choicesIn,
  expand,
  isBounded,
  itemsOf,
  schemaForMatches,
  schemaForOthers,
  schemasFor,
  structuralKeywords,
  togetherKeywords,
  typeFacts,
  typeOfKeyword,
  typesIn,
} from './schema-facts.js';
import type { Facts, TypeName } from './schema-facts.js';

/**
 * Throws unless the advertised schema certainly accepts every value that the validator accepts. If in doubt it throws, because
 * the author can widen the schema or set `allowNarrower`. Schemas that only the author's own `SchemaValidator` can read are not
 * compared.
 */
export function assertAccepts(advertised: ReadSchema, input: ReadSchema, place: string): void {
  const problem = findProblem(advertised, input);
  if (problem === undefined) return;
  throw new ErrInvalidSchema(`${place}: ${problem}, but inputSchema accepts more.`, {
    hint: 'Widen it until it accepts everything that inputSchema accepts, or set metadata.allowNarrower.',
  });
}

function findProblem(advertised: ReadSchema, input: ReadSchema): string | undefined {
  if (canonicalJson(advertised.jsonSchema) === canonicalJson(input.jsonSchema)) return undefined;
  const [outer, inner] = [normalize(advertised.jsonSchema), normalize(input.jsonSchema)];
  if (!outer || !inner) return undefined;
  const facts: JsonSchema[] = [inner.root, { type: 'object' }];
  // Undeclared fields never reach the validator.
  if (!isOpen(input)) {
    const known = Array.from(input.fields ?? [], ([name]): [string, JsonSchema] => [name, true]);
    facts.push({ properties: Object.fromEntries(known), additionalProperties: false });
  }
  return new SchemaComparison(outer, inner).findNarrower(outer.root, facts);
}

/** Sorts the keys first, so that equal schemas with keys in another order number their references equally. */
function normalize(schema: JsonSchemaObject): NormalSchema | undefined {
  try {
    const sorted = JSON.parse(canonicalJson(schema)) as JsonSchemaObject;
    return normalizeSchema(sorted, { limits: defaultSchemaLimits, formats: true });
  } catch (error) {
    // The author's own validator may understand a schema that is not supported here.
    if (error instanceof ToolfoldError) return undefined;
    throw error;
  }
}

type Path = readonly string[];
type Problem = string | undefined;

const MAX_STEPS = 20_000;
const MAX_DEPTH = 128;
/** Maximum levels of fields in which the comparison searches for a difference between alternatives. */
const MAX_EXCLUSION = 3;

/** Types whose values can be enumerated. */
const finite: Partial<Record<TypeName, readonly unknown[]>> = { null: [null], boolean: [true, false] };

/**
 * Decides whether an outer schema accepts every value that an inner schema accepts. The inner schema is a list of facts that all
 * hold for a value, and is split case by case at `anyOf` and `oneOf`. Every demand of the outer schema must follow from the
 * facts; if that cannot be shown, the outer schema counts as narrower.
 */
export class SchemaComparison {
  readonly #outer: NormalSchema;
  readonly #inner: NormalSchema;
  readonly #tables = new Map<NormalSchema, string>();
  readonly #ids = new Map<object, number>();
  /** Comparisons in progress. A recursive schema leads back to one of them, which then counts as proven. */
  readonly #open = new Set<string>();
  /** Cached, because the same nodes are compared many times. */
  readonly #texts = new WeakMap<object, string>();
  #steps = MAX_STEPS;
  readonly #isOver: () => boolean;

  /** `isOver` ends the comparison as too involved, because hostile schemas can make single steps slow. */
  constructor(outer: NormalSchema, inner: NormalSchema, isOver: () => boolean = () => false) {
    this.#outer = outer;
    this.#inner = inner;
    this.#isOver = isOver;
  }

  /** Describes a value that the facts allow and the outer schema rejects; `undefined` if there is none. */
  findNarrower(
    outer: JsonSchema,
    given: readonly JsonSchema[],
    path: Path = [],
    chosen: ReadonlySet<unknown> = new Set(),
  ): Problem {
    if (--this.#steps < 0 || path.length > MAX_DEPTH || this.#isOver())
      return `${nameOf(path)} is too involved to compare`;
    const facts = expand(given, this.#inner);
    if (!facts) return undefined;
    const known = new Set(facts.map((fact) => this.#textOf(fact, this.#inner)));
    const demands = expand([outer], this.#outer, (node) => known.has(this.#textOf(node, this.#outer)));
    if (!demands) return `${nameOf(path)} accepts nothing`;
    if (demands.length === 0) return undefined;

    const branches = facts
      .flatMap((fact) => [fact['anyOf'], fact['oneOf']])
      .find((each) => each !== undefined && !chosen.has(each));
    if (branches !== undefined) {
      const next = new Set([...chosen, branches]);
      return firstOf(schemasIn(branches), (branch) =>
        this.findNarrower(outer, [...facts, branch], path, next),
      );
    }
    const types = typesIn(facts);
    const choices = choicesIn(facts)?.filter((choice) => types.includes(typeName(choice) as TypeName));
    if (choices) return this.#findRejected(outer, choices, path);
    return firstOf(types, (type) => {
      const values = finite[type];
      if (values) return this.#findRejected(outer, values, path);
      const narrowed = facts.includes(typeFacts[type]) ? facts : [...facts, typeFacts[type]];
      return firstOf(demands, (demand) => this.#compare(demand, narrowed, type, path, chosen));
    });
  }

  #findRejected(outer: JsonSchema, values: readonly unknown[], path: Path): Problem {
    const validate = interpret({ ...this.#outer, root: outer }, defaultSchemaLimits.steps);
    const rejected = values.find((value) => !validate(value).ok);
    return rejected === undefined ? undefined : `${nameOf(path)} cannot be ${JSON.stringify(rejected)}`;
  }

  /** Compares one demand with the facts for values of one type. */
  #compare(
    demand: JsonSchemaObject,
    facts: Facts,
    type: TypeName,
    path: Path,
    chosen: ReadonlySet<unknown>,
  ): Problem {
    if (!allowsType(demand, type, facts)) {
      const isInteger = type === 'number' && typesOf(demand)?.includes('integer') === true;
      return `${nameOf(path)} ${isInteger ? 'must be an integer' : `cannot be ${type}`}`;
    }
    const keyword = Object.keys(demand).find((each) => !this.#follows(each, demand, facts, type));
    if (keyword !== undefined) return `${nameOf(path)} has ${keyword}`;
    if (demand['anyOf'] !== undefined) {
      const problems: Problem[] = [];
      for (const branch of schemasIn(demand['anyOf'])) {
        const problem = this.findNarrower(branch, facts, path, chosen);
        if (problem === undefined) {
          problems.length = 0;
          break;
        }
        problems.push(problem);
      }
      if (problems.length > 0) return problems[0];
    }
    if (demand['oneOf'] !== undefined && !this.#hasEqual('oneOf', demand, facts)) {
      const problem = this.#compareOneOf(schemasIn(demand['oneOf']), facts, path, chosen);
      if (problem !== undefined) return problem;
    }
    if (type === 'object') return this.#compareObjects(demand, facts, path);
    return type === 'array' ? this.#compareArrays(demand, facts, path) : undefined;
  }

  /** At least one branch must accept all values that the facts allow, and the facts must exclude all others. */
  #compareOneOf(
    branches: readonly JsonSchema[],
    facts: Facts,
    path: Path,
    chosen: ReadonlySet<unknown>,
  ): Problem {
    const others = branches.filter((branch) => !this.#excludes(branch, facts));
    if (others.length > 1) return `${nameOf(path)} has oneOf`;
    return this.findNarrower(others[0] ?? false, facts, path, chosen);
  }

  /** Whether the facts certainly exclude a schema, because types or choices of the value or of its fields differ. */
  #excludes(schema: JsonSchema, facts: Facts, depth = 0): boolean {
    const demands = expand([schema], this.#outer);
    if (!demands) return true;
    const types = typesIn(demands);
    if (!typesIn(facts).some((type) => types.includes(type))) return true;
    const [choices, others] = [choicesIn(demands), choicesIn(facts)];
    if (choices && others) {
      const texts = new Set(choices.map(canonicalJson));
      if (!others.some((choice) => texts.has(canonicalJson(choice)))) return true;
    }
    if (depth >= MAX_EXCLUSION || !typesIn(facts).every((type) => type === 'object')) return false;
    const fieldOf = (name: string): Facts | undefined =>
      expand(facts.flatMap((fact) => schemasFor(name, fact)).filter(isSchema), this.#inner);
    const needed = demands.flatMap((demand) => namesIn(demand['required']));
    if (needed.some((name) => fieldOf(name) === undefined)) return true;
    const required = new Set(facts.flatMap((fact) => namesIn(fact['required'])));
    return [...required].some((name) => {
      const known = fieldOf(name);
      return (
        known !== undefined &&
        demands.some((demand) =>
          schemasFor(name, demand).some((each) => isSchema(each) && this.#excludes(each, known, depth + 1)),
        )
      );
    });
  }

  #hasEqual(keyword: string, demand: JsonSchemaObject, facts: Facts): boolean {
    return facts.some((fact) =>
      (togetherKeywords[keyword] ?? [keyword]).every(
        (each) => this.#textOf(demand[each], this.#outer) === this.#textOf(fact[each], this.#inner),
      ),
    );
  }

  /** Whether a keyword accepts all values of the type that the facts allow. Structural keywords are compared separately. */
  #follows(keyword: string, demand: JsonSchemaObject, facts: Facts, type: TypeName): boolean {
    if (structuralKeywords.has(keyword) || (typeOfKeyword[keyword] ?? type) !== type) return true;
    const limit = demand[keyword];
    if (typeof limit === 'number' && isBounded(keyword, limit, facts)) return true;
    if (keyword === 'uniqueItems' && limit === false) return true;
    // The effect of these keywords depends on all keywords beside them.
    if (keyword.startsWith('unevaluated')) return limit === true;
    return this.#hasEqual(keyword, demand, facts);
  }

  #compareObjects(demand: JsonSchemaObject, facts: Facts, path: Path): Problem {
    const missing = namesIn(demand['required']).find(
      (name) => !facts.some((fact) => namesIn(fact['required']).includes(name)),
    );
    if (missing !== undefined) return `${nameOf([...path, missing])} is required`;
    const names = new Set([demand, ...facts].flatMap((each) => Object.keys(mapIn(each['properties']))));
    const patterns = Object.keys(mapIn(demand['patternProperties']));
    const { additionalProperties: further = true, propertyNames } = demand;
    return (
      firstOf([...names], (name) => {
        const place = [...path, name];
        const known = facts.flatMap((fact) => schemasFor(name, fact));
        return firstOf(schemasFor(name, demand), (schema) => {
          const problem = this.#descend(schema, known, place);
          return problem !== undefined && schema === false ? `${nameOf(place)} has no place` : problem;
        });
      }) ??
      firstOf(patterns, (pattern) =>
        this.#descend(
          mapIn(demand['patternProperties'])[pattern],
          facts.map((fact) => schemaForMatches(pattern, fact)),
          [...path, pattern],
        ),
      ) ??
      (this.#descend(
        further,
        facts.map((fact) => schemaForOthers(patterns, fact)),
        [...path, '*'],
      ) === undefined
        ? undefined
        : `${nameOf(path)} allows ${further === false ? 'no' : 'not all'} further fields`) ??
      this.#descend(propertyNames, [typeFacts.string, ...facts.map((fact) => fact['propertyNames'])], path)
    );
  }

  #compareArrays(demand: JsonSchemaObject, facts: Facts, path: Path): Problem {
    const place = [...path, '[]'];
    const longest = Math.max(0, ...[demand, ...facts].map((each) => itemsOf(each).first.length));
    const limit = Math.min(...facts.map((fact) => Number(fact['maxItems'] ?? Infinity)));
    for (let index = 0; index <= longest && index < limit; index++) {
      const itemAt = (schema: JsonSchemaObject): unknown => {
        const { first, rest } = itemsOf(schema);
        return index < first.length ? first[index] : rest;
      };
      const problem = this.#descend(itemAt(demand), facts.map(itemAt), place);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }

  /**
   * Compares the schemas of fields or items. A comparison in progress may be assumed to hold, because JSON values have finite
   * depth.
   */
  #descend(outer: unknown, given: readonly unknown[], path: Path): Problem {
    if (!isSchema(outer) || outer === true) return undefined;
    const facts = [...new Set(given.filter(isSchema))].filter((fact) => fact !== true);
    const key = [outer, ...facts].map((each) => this.#idOf(each)).join(' ');
    if (this.#open.has(key)) return undefined;
    this.#open.add(key);
    const problem = this.findNarrower(outer, facts, path);
    this.#open.delete(key);
    return problem;
  }

  #idOf(schema: JsonSchema): string {
    if (typeof schema === 'boolean') return String(schema);
    let id = this.#ids.get(schema);
    if (id === undefined) this.#ids.set(schema, (id = this.#ids.size));
    return String(id);
  }

  /**
   * Returns text that is equal for equal parts of both schemas. If the part has references, the text includes all targets of its
   * schema.
   */
  #textOf(part: unknown, side: NormalSchema): string {
    if (typeof part !== 'object' || part === null) return canonicalJson(part);
    const known = this.#texts.get(part);
    if (known !== undefined) return known;
    let text = canonicalJson(part);
    if (text.includes('"$ref":')) text = `${side.dialect} ${this.#tableOf(side)} ${text}`;
    this.#texts.set(part, text);
    return text;
  }

  #tableOf(side: NormalSchema): string {
    let table = this.#tables.get(side);
    if (table === undefined) this.#tables.set(side, (table = canonicalJson([...side.targets])));
    return table;
  }
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'it' : `"${path.join('.')}"`;
}

function firstOf<T>(items: readonly T[], find: (item: T) => Problem): Problem {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
