import { Ajv, _ } from 'ajv';
import type { ErrorObject, KeywordErrorDefinition, Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Dialect, JsonSchema, JsonSchemaObject } from './json-schema.js';
import { canonicalJson, followData, isMultipleOf, typeName } from './json-value.js';
import { mapSubschemas } from './keywords.js';
import type { NormalSchema } from './normal-schema.js';
import type { SchemaIssue, Validate } from './validation-result.js';

/** Compiles schemas to functions. One Ajv per dialect, made when it is first needed. */
export function createValidatorGenerator(formats: boolean): (schema: NormalSchema) => Validate {
  const instances = new Map<Dialect, Ajv>();

  return (schema) => {
    let ajv = instances.get(schema.dialect);
    if (!ajv) instances.set(schema.dialect, (ajv = createAjv(schema.dialect, formats)));
    const document = toDocument(schema);
    const check = ajv.compile(document);
    // Ajv would keep every schema it has seen; the compiled function does not need it to.
    ajv.removeSchema(document);
    return (value) => {
      if (check(value)) return { ok: true, value };
      return { ok: false, issues: toIssues(check.errors ?? [], value) };
    };
  };
}

function createAjv(dialect: Dialect, formats: boolean): Ajv {
  const options: Options = {
    addUsedSchema: false,
    allErrors: true,
    // Takes half of the time to compile and changes nothing that can be measured in a call.
    code: { optimize: false },
    logger: false,
    ownProperties: true,
    strict: false,
    validateFormats: formats,
    // Normal form is checked already; compiling the meta-schema takes longer than most schemas.
    validateSchema: false,
  };
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  for (const [keyword, type, compile] of exactKeywords) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, ...(type && { type }), compile, errors: false, error: withArgument });
  }
  if (formats) ajvFormats.default(ajv);
  return ajv;
}

/** Puts what the keyword was given into its errors. */
const withArgument: KeywordErrorDefinition = {
  message: '',
  params: ({ schemaValue }) => _`{argument: ${schemaValue}}`,
};

/**
 * Ajv divides in floating point, so that 19.99 would be no multiple of 0.01, and its equality calls
 * `valueOf` on the data, so that {"valueOf": 1} would throw.
 */
const exactKeywords: readonly (readonly [
  keyword: string,
  type: 'number' | 'array' | undefined,
  compile: (argument: unknown) => (value: unknown) => boolean,
])[] = [
  ['multipleOf', 'number', (divisor) => (value) => isMultipleOf(value as number, divisor as number)],
  ['const', undefined, (constant) => isOneOf([constant])],
  ['enum', undefined, (choices) => isOneOf(choices as unknown[])],
  ['uniqueItems', 'array', (unique) => (value) => !unique || allDiffer(value as unknown[])],
];

function isOneOf(choices: readonly unknown[]): (value: unknown) => boolean {
  const scalars = new Set(choices.filter((choice) => typeof choice !== 'object' || choice === null));
  const others = new Set(choices.filter((choice) => typeof choice === 'object').map(canonicalJson));
  return (value) =>
    typeof value === 'object' && value !== null ? others.has(canonicalJson(value)) : scalars.has(value);
}

function allDiffer(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}

function toDocument({ dialect, root, targets }: NormalSchema): JsonSchemaObject {
  const $defs = Object.fromEntries(
    [...targets].map(([name, schema]) => [name.replace('#/$defs/', ''), respell(schema, dialect)]),
  );
  const document = respell(root, dialect);
  return typeof document === 'boolean' ? { allOf: [document] } : { ...document, $defs };
}

/**
 * Says the same in words that Ajv gets right. It skips the key `__proto__` in three keywords, and in a loop it
 * lets an empty array pass `contains` when the array before it passed.
 */
function respell(schema: JsonSchema, dialect: Dialect): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const spelled: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    spelled[keyword] = mapSubschemas(keyword, value, dialect, (child) => respell(child, dialect));
  }
  if (schema['contains'] !== undefined && schema['minContains'] === undefined) {
    spelled['minItems'] = Math.max(1, Number(schema['minItems'] ?? 0));
  }
  const protoOf = (keyword: string): unknown => ownValue(spelled[keyword], '__proto__');
  for (const [keyword, pattern] of [
    ['patternProperties', '(?:__proto__)'],
    ['properties', '^__proto__$'],
  ] as const) {
    const child = protoOf(keyword);
    if (child === undefined) continue;
    const others = (spelled['patternProperties'] ?? {}) as object;
    let unused: string = pattern;
    while (Object.hasOwn(others, unused)) unused = `(?:${unused})`;
    spelled['patternProperties'] = { ...others, [unused]: child };
  }
  const dependency = protoOf('dependencies');
  if (dependency !== undefined) {
    const then = Array.isArray(dependency) ? { required: dependency as unknown } : dependency;
    const conditional = { if: { type: 'object', required: ['__proto__'] }, then };
    spelled['allOf'] = [...((spelled['allOf'] as unknown[] | undefined) ?? []), conditional];
  }
  return spelled;
}

function ownValue(object: unknown, key: string): unknown {
  return typeof object === 'object' && object !== null && Object.hasOwn(object, key)
    ? (object as Record<string, unknown>)[key]
    : undefined;
}

/** Errors that only say that other errors happened. */
const summaries = new Set(['if', 'allOf', '$ref', 'properties', 'items']);

function toIssues(errors: readonly ErrorObject[], value: unknown): SchemaIssue[] {
  const telling = errors.filter((error) => !summaries.has(error.keyword));
  return (telling.length > 0 ? telling : errors).map((error) => toIssue(error, value));
}

function toIssue(error: ErrorObject, value: unknown): SchemaIssue {
  const { path, value: data } = followData(error.instancePath, value);
  const parameters = error.params as Record<string, unknown>;
  const { argument } = parameters;
  switch (error.keyword) {
    case 'required':
      return { path: [...path, String(parameters['missingProperty'])], message: 'is required' };
    case 'additionalProperties':
      return { path: [...path, String(parameters['additionalProperty'])], message: 'is not a known field' };
    case 'unevaluatedProperties':
      return { path: [...path, String(parameters['unevaluatedProperty'])], message: 'is not a known field' };
    case 'type':
      return { path, message: `must be ${[parameters['type']].flat().join(' or ')}, not ${typeName(data)}` };
    case 'const':
      return { path, message: `must be ${JSON.stringify(argument)}` };
    case 'enum':
      return {
        path,
        message: `must be one of ${(argument as unknown[]).map((item) => JSON.stringify(item)).join(', ')}`,
      };
    case 'multipleOf':
      return { path, message: `must be a multiple of ${String(argument)}` };
    case 'uniqueItems':
      return { path, message: 'must not hold the same item twice' };
    default:
      return { path, message: error.message ?? `does not satisfy "${error.keyword}"` };
  }
}
