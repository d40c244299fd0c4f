import { ErrInvalidSchema } from '../errors.js';
import { DefaultValidator } from '../schema/default-validator.js';
import { followPointer, isJsonObject, isSchema } from '../schema/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';
import type { ReadSchema } from '../schema/read-schema.js';
import { isOpen } from './input-validator.js';
import { schemasIn, typesOf } from './value-types.js';

/**
 * Throws unless it is plain that a schema in an author's own words accepts whatever the validator accepts. In doubt
 * it throws: the author can widen the schema, or say that it need not.
 */
export function assertAccepts(advertised: ReadSchema, input: ReadSchema, place: string): void {
  const problem =
    findNarrower(
      { schema: advertised.jsonSchema, root: advertised.jsonSchema },
      { schema: input.jsonSchema, root: input.jsonSchema },
      [],
    ) ?? (isClosed(advertised.jsonSchema) && isOpen(input) ? 'it allows no further fields' : undefined);
  if (problem === undefined) return;
  throw new ErrInvalidSchema(`${place}: ${problem}, and inputSchema is not so narrow.`, {
    hint: 'Let it accept what inputSchema accepts, or set metadata.allowNarrower.',
  });
}

/** A schema and the document that its references lead into. */
interface Part {
  readonly schema: JsonSchema;
  readonly root: JsonSchemaObject;
}
type Path = readonly string[];

const MAX_DEPTH = 32;

/** What a schema refuses though the other accepts it, in words; `undefined` where nothing is. */
function findNarrower(wide: Part, given: Part, path: Path): string | undefined {
  if (path.length > MAX_DEPTH) return `${nameOf(path)} is nested too deeply to compare`;
  const [outer, inner] = [resolve(wide), resolve(given)];
  if (outer.schema === true || inner.schema === false) return undefined;
  if (outer.schema === false) return `${nameOf(path)} accepts nothing`;
  if (isSame(outer.schema, inner.schema) && isSame(wide.root['$defs'], given.root['$defs'])) return undefined;
  const choices = inner.schema === true ? undefined : choicesOf(inner.schema);
  if (choices) return findRefused(outer, choices, path);
  const branches = inner.schema === true ? [] : branchesOf(inner.schema);
  if (branches.length > 0) {
    return firstOf(branches, (schema) => findNarrower(outer, { ...inner, schema }, path));
  }
  const wideBranches = branchesOf(outer.schema);
  if (wideBranches.length > 0) {
    const problems = wideBranches.map((schema) => findNarrower({ ...outer, schema }, inner, path));
    return problems.includes(undefined) ? undefined : problems[0];
  }
  return (
    firstOf(schemasIn(outer.schema['allOf']), (schema) => findNarrower({ ...outer, schema }, inner, path)) ??
    compareKeywords({ ...outer, schema: outer.schema }, inner, path)
  );
}

function onlyInteger({ type }: JsonSchemaObject): boolean {
  return [type].flat().includes('integer') && ![type].flat().includes('number');
}

function compareKeywords(
  { schema: wide, root }: Part & { readonly schema: JsonSchemaObject },
  inner: Part,
  path: Path,
): string | undefined {
  const given: JsonSchemaObject = inner.schema === true ? {} : (inner.schema as JsonSchemaObject);
  const types = typesOf(wide, root);
  const missing = [...typesOf(inner.schema, inner.root)].find((type) => !types.has(type));
  if (missing !== undefined) return `${nameOf(path)} cannot be ${missing}`;
  if (onlyInteger(wide) && !onlyInteger(given) && typesOf(given, inner.root).has('number'))
    return `${nameOf(path)} must be an integer`;
  return (
    firstOf(Object.keys(wide), (keyword) =>
      isNarrowing(keyword, wide[keyword], given) ? `${nameOf(path)} has ${keyword}` : undefined,
    ) ?? compareNested({ schema: wide, root }, { ...inner, schema: given }, path)
  );
}

const lower = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const upper = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);
/** Others that refuse values. What they mean is not compared: they must be the same in both. */
const others = new Set([
  'const',
  'contains',
  'dependentRequired',
  'dependentSchemas',
  'else',
  'enum',
  'format',
  'if',
  'maxContains',
  'minContains',
  'multipleOf',
  'not',
  'pattern',
  'patternProperties',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
  'uniqueItems',
]);

function isNarrowing(keyword: string, limit: unknown, given: JsonSchemaObject): boolean {
  const own = given[keyword];
  if (lower.has(keyword)) return !isAtLeast(own ?? (/^min[A-Z]/.test(keyword) ? 0 : undefined), limit);
  if (upper.has(keyword)) return !isAtLeast(limit, own);
  if (keyword === 'uniqueItems' && limit === false) return false;
  return others.has(keyword) && !isSame(limit, own);
}

function isAtLeast(left: unknown, right: unknown): boolean {
  return typeof left === 'number' && typeof right === 'number' && left >= right;
}

function compareNested(
  wide: Part & { readonly schema: JsonSchemaObject },
  given: Part & { readonly schema: JsonSchemaObject },
  path: Path,
): string | undefined {
  const surplus = namesIn(wide.schema['required']).find(
    (name) => !namesIn(given.schema['required']).includes(name),
  );
  if (surplus !== undefined) return `${nameOf([...path, surplus])} is required`;
  const { additionalProperties: further = true, items = true } = wide.schema;
  const own = propertiesOf(wide.schema);
  return (
    firstOf(Object.entries(propertiesOf(given.schema)), ([name, schema]) => {
      const place = [...path, name];
      const target = Object.hasOwn(own, name) ? own[name] : further;
      if (!isSchema(target) || !isSchema(schema)) return undefined;
      if (target === false) return `${nameOf(place)} has no place`;
      return findNarrower({ schema: target, root: wide.root }, { schema, root: given.root }, place);
    }) ??
    (isSchema(items) && typesOf(given.schema, given.root).has('array')
      ? findNarrower(
          { schema: items, root: wide.root },
          { schema: isSchema(given.schema['items']) ? given.schema['items'] : true, root: given.root },
          [...path, '[]'],
        )
      : undefined)
  );
}

/** A choice of values is compared value by value. */
function findRefused({ schema, root }: Part, choices: readonly unknown[], path: Path): string | undefined {
  const defs = isJsonObject(root['$defs']) ? { $defs: root['$defs'] } : {};
  const validate = new DefaultValidator().compile(
    typeof schema === 'object' ? { ...defs, ...schema } : schema,
  );
  const refused = choices.find((choice) => !validate(choice).ok);
  return refused === undefined ? undefined : `${nameOf(path)} cannot be ${JSON.stringify(refused)}`;
}

function resolve({ schema, root }: Part): Part {
  let target = schema;
  for (
    let step = 0;
    step < MAX_DEPTH && typeof target === 'object' && typeof target['$ref'] === 'string';
    step++
  ) {
    const next = followPointer(root, target['$ref']);
    if (!isSchema(next)) break;
    target = next;
  }
  return { schema: target, root };
}

function choicesOf(schema: JsonSchemaObject): readonly unknown[] | undefined {
  if ('const' in schema) return [schema['const']];
  return Array.isArray(schema['enum']) ? (schema['enum'] as readonly unknown[]) : undefined;
}

function branchesOf(schema: JsonSchema): JsonSchema[] {
  return typeof schema === 'boolean' ? [] : [...schemasIn(schema['anyOf']), ...schemasIn(schema['oneOf'])];
}

function propertiesOf({ properties }: JsonSchemaObject): Readonly<Record<string, unknown>> {
  return isJsonObject(properties) ? properties : {};
}

function namesIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? (value as readonly string[]) : [];
}

function isClosed({ additionalProperties }: JsonSchemaObject): boolean {
  return additionalProperties === false;
}

function isSame(left: unknown, right: unknown): boolean {
  return canonicalJson(left) === canonicalJson(right);
}

function nameOf(path: Path): string {
  return path.length === 0 ? 'it' : `"${path.join('.')}"`;
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
