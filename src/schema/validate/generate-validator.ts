import { Ajv } from 'ajv';
import type { Options } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { Dialect, JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson, isMultipleOf, isOneOf } from '../../values/json-value.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { toMatcher } from '../patterns/patterns.js';
import { PatternTooSlow, renewPatternSteps } from '../patterns/pattern.js';

/** Whether a value fits, as fast as can be; it says nothing more. */
export type Check = (value: unknown) => boolean;

/** Ajv keeps a part of everything it has compiled, so it is replaced now and then. */
const SCHEMAS_PER_AJV = 500;
/** Larger schemas take Ajv seconds. */
const MAX_LENGTH = 50_000;

const instances = new Map<string, { ajv: Ajv; compiled: number }>();

/** Compiles a schema to a function, unless Ajv gets it wrong, cannot, or takes too long for it. */
export function generateValidator(schema: NormalSchema, formats: boolean): Check | undefined {
  if (!isSafe(schema)) return undefined;
  const kind = `${schema.dialect} ${formats}`;
  let instance = instances.get(kind);
  if (!instance || instance.compiled >= SCHEMAS_PER_AJV) {
    instances.set(kind, (instance = { ajv: createAjv(schema.dialect, formats), compiled: 0 }));
  }
  instance.compiled++;
  const document = toDocument(schema);
  try {
    return withPatternSteps(instance.ajv.compile(document));
  } catch {
    // The schema is known to be right, and can be walked.
    return undefined;
  } finally {
    instance.ajv.removeSchema(document);
  }
}

/** A pattern that takes too long fails here. The interpreter then reports why. */
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
 * Ajv accepts what it should not around `contains`, `unevaluated…`, the names `__proto__` and "", and its time has no
 * bound where a schema is recursive. These are walked.
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

/** Ajv wants the name that generated files would call it by. */
const regExp = Object.assign((pattern: string) => toMatcher(pattern), { code: 'toMatcher' });

function createAjv(dialect: Dialect, formats: boolean): Ajv {
  const options: Options = {
    addUsedSchema: false,
    // Takes half of the time to compile and changes nothing that can be measured in a call.
    code: { optimize: false, regExp },
    // Inlined, references multiply the code: 300 to a schema of 300 fields took seconds.
    inlineRefs: false,
    logger: false,
    messages: false,
    ownProperties: true,
    strict: false,
    strictNumbers: true,
    validateFormats: formats,
    // Normal form is checked already; compiling the meta-schema takes longer than most schemas.
    validateSchema: false,
  };
  const ajv = dialect === '2020-12' ? new Ajv2020(options) : new Ajv(options);
  // Tracking what has been evaluated makes Ajv throw on some values, and nothing here asks for it.
  (ajv.opts as { unevaluated?: boolean }).unevaluated = false;
  for (const [keyword, type, compile] of exactKeywords) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, ...(type && { type }), compile, errors: false });
  }
  if (formats) for (const [name, format] of Object.entries(fullFormats)) ajv.addFormat(name, format);
  return ajv;
}

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

function allDiffer(items: readonly unknown[]): boolean {
  return new Set(items.map((item) => canonicalJson(item))).size === items.length;
}

function toDocument({ root, targets }: NormalSchema): JsonSchemaObject {
  const $defs = Object.fromEntries(
    [...targets].map(([name, schema]) => [name.replace('#/$defs/', ''), schema]),
  );
  return typeof root === 'boolean' ? { allOf: [root] } : { ...root, $defs };
}
