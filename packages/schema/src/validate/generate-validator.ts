import { Ajv } from '#ajv';
import { Ajv2020 } from '#ajv-2020';
import type { Options } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Dialect, JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { canonicalJson, isMultipleOf, isOneOf } from '../values/json-value.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { toMatcher } from '../patterns/patterns.js';
import { PatternTooSlow, renewPatternSteps } from '../patterns/pattern.js';

/** A fast check that does not report issues. */
export type Check = (value: unknown) => boolean;

/** Ajv keeps part of everything it has compiled, so it is replaced after this many schemas. */
const SCHEMAS_PER_AJV = 500;
/** Maximum length of a schema's JSON. Larger schemas take Ajv seconds. */
const MAX_LENGTH = 50_000;

const instances = new Map<string, { ajv: Ajv; compiled: number }>();

/** Compiles a schema to a function; `undefined` if Ajv gets it wrong, cannot compile it or takes too long. */
export function generateValidator(schema: NormalSchema, formats: boolean): Check | undefined {
  if (!isSafe(schema)) return undefined;
  const kind = `${schema.dialect} ${formats}`;
  const document = toDocument(schema);
  let instance = instances.get(kind);
  try {
    if (!instance || instance.compiled >= SCHEMAS_PER_AJV) {
      instances.set(kind, (instance = { ajv: createAjv(schema.dialect, formats), compiled: 0 }));
    }
    instance.compiled++;
    return withPatternSteps(instance.ajv.compile(document));
  } catch {
    // The schema is known to be valid, so the interpreter can handle it.
    return undefined;
  } finally {
    instance?.ajv.removeSchema(document);
  }
}

/** Rejects a value if a pattern takes too many steps. The interpreter then reports why. */
function withPatternSteps(check: Check): Check {
  return (value) => {
    renewPatternSteps();
    try {
      return check(value);
    } catch (error) {
      if (error instanceof PatternTooSlow) return false;
      throw error;
    }
  };
}

/**
 * Whether Ajv handles a schema correctly. It accepts invalid values with `contains`, `unevaluated…` and the names `__proto__` and
 * "", and its time is unlimited for recursive schemas. The interpreter handles these.
 */
function isSafe({ root, targets }: NormalSchema): boolean {
  const text = JSON.stringify([root, ...targets.values()]);
  return (
    text.length <= MAX_LENGTH && !/"(contains|unevaluated\w+|__proto__|)"/.test(text) && !isRecursive(targets)
  );
}

function isRecursive(targets: ReadonlyMap<string, JsonSchema>): boolean {
  const references = new Map(
    [...targets].map(([name, schema]) => [
      name,
      [...JSON.stringify(schema).matchAll(/"\$ref":"(#\/\$defs\/\d+)"/g)].map(
        ([, reference]) => reference ?? '',
      ),
    ]),
  );
  const done = new Set<string>();
  const open = new Set<string>();
  const visit = (name: string): boolean => {
    if (done.has(name)) return false;
    if (open.has(name) || open.size > 100) return true;
    open.add(name);
    const found = references.get(name)?.some(visit) ?? false;
    open.delete(name);
    done.add(name);
    return found;
  };
  return [...targets.keys()].some(visit);
}

/** Ajv requires `code`, the name that standalone code would use. */
const regExp = Object.assign((pattern: string) => toMatcher(pattern), { code: 'toMatcher' });

function createAjv(dialect: Dialect, formats: boolean): Ajv {
  const options: Options = {
    addUsedSchema: false,
    // Optimizing takes half of the compile time and has no measurable effect on calls.
    code: { optimize: false, regExp },
    // Inlined references multiply the code: a schema with 300 references to a schema of 300 fields took seconds.
    inlineRefs: false,
    logger: false,
    messages: false,
    ownProperties: true,
    strict: false,
    strictNumbers: true,
    validateFormats: formats,
    // Normal form is already checked, and compiling the meta-schema takes longer than most schemas.
    validateSchema: false,
  };
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  // Tracking evaluated properties makes Ajv throw on some values, and no schema here needs it.
  (ajv.opts as { unevaluated?: boolean }).unevaluated = false;
  for (const [keyword, type, compile] of exactKeywords) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, ...(type && { type }), compile, errors: false });
  }
  if (formats) for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  return ajv;
}

/**
 * Replacements of Ajv's keywords: Ajv divides in floating point, where 19.99 is no multiple of 0.01, and its equality calls
 * `valueOf` of the data, which throws for {"valueOf": 1}.
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

function allDiffer(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => canonicalJson(item))).size === items.length;
}

function toDocument({ root, targets }: NormalSchema): JsonSchemaObject {
  const $defs = Object.fromEntries(
    [...targets].map(([name, schema]) => [name.replace('#/$defs/', ''), schema]),
  );
  return typeof root === 'boolean' ? { allOf: [root] } : { ...root, $defs };
}
