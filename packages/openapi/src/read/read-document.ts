import { upgrade } from '@scalar/openapi-upgrader';
import { LineCounter, parseDocument, visit } from 'yaml';
import { ErrInvalidOptions } from 'toolfold/errors';
import { clip, describeKind, isJsonObject, isPlainObject } from '@toolfold/schema/internal';
import { prepareSwagger } from './prepare-swagger.js';

/** An object of the specification, whose fields are unchecked. */
export type SpecObject = Readonly<Record<string, unknown>>;

/** Limits a specification. The largest published ones, with thousands of operations, reach about a third of these limits. */
const documentLimits = { characters: 64_000_000, values: 6_000_000, depth: 200 } as const;

/** The parser compares each alias with all anchors and aliases before it, so the time is quadratic. */
const MAX_ALIASES = 5_000;

/** Reads a specification as OpenAPI 3.1. It fetches nothing and does not change the given object. */
export function readDocument(spec: unknown): SpecObject {
  const value = typeof spec === 'string' ? parseText(spec) : spec;
  if (!isJsonObject(value))
    throw invalid(`must be an object, or JSON or YAML text, but is ${describeKind(value)}`);
  const copy = copyJson(value, { left: documentLimits.values, above: new Set() }, 1) as Record<
    string,
    unknown
  >;
  const version = versionOf(copy);
  if (version === '2.0') prepareSwagger(copy);
  // YAML reads `3.1` without quotes as a number, which the converter does not recognize.
  copy[version === '2.0' ? 'swagger' : 'openapi'] = version;
  try {
    return upgrade(copy, '3.1') as SpecObject;
  } catch (cause) {
    throw invalid('cannot be converted to OpenAPI 3.1', { cause });
  }
}

/** Whether a parsed file looks like a specification of any version. */
export function isSpecification(value: unknown): boolean {
  return isJsonObject(value) && ['openapi', 'swagger'].some((name) => /^\d/.test(String(value[name] ?? '')));
}

function invalid(problem: string, options: { readonly cause?: unknown } = {}): ErrInvalidOptions {
  return new ErrInvalidOptions(`The OpenAPI specification ${problem}.`, options);
}

export function parseText(text: string): unknown {
  if (text.length > documentLimits.characters)
    throw invalid(`has more than ${documentLimits.characters} characters`);
  const isJson = /^\uFEFF?\s*\{/.test(text);
  try {
    return isJson ? (JSON.parse(text.replace(/^\uFEFF/, '')) as unknown) : parseYaml(text);
  } catch (cause) {
    if (cause instanceof ErrInvalidOptions) throw cause;
    // YAML includes JSON-like text such as `{ openapi: 3.1.0 }`.
    const reason = cause instanceof Error ? clip(cause.message, 200) : '';
    throw invalid(`is not valid ${isJson ? 'JSON' : 'YAML'}: ${reason}`, { cause });
  }
}

function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  const parsed = parseDocument(text, { lineCounter, prettyErrors: false, uniqueKeys: false });
  const [error] = parsed.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw invalid(`is not valid YAML, at line ${line}, column ${col}: ${clip(error.message, 200)}`);
  }
  let aliases = 0;
  visit(parsed, {
    Alias: () => {
      if (++aliases > MAX_ALIASES) throw invalid(`has more than ${MAX_ALIASES} aliases of YAML`);
    },
  });
  // Aliases share one object, and copying it counts every use. The parser itself limits nested aliases.
  return parsed.toJS({ maxAliasCount: 10_000 }) as unknown;
}

interface CopyState {
  left: number;
  readonly above: Set<object>;
}

/** Copies JSON within the limits. Leaves out keys named `__proto__`, which would change the prototype of a copy. */
function copyJson(value: unknown, state: CopyState, depth: number): unknown {
  if (--state.left < 0) throw invalid(`has more than ${documentLimits.values} values`);
  if (typeof value !== 'object' || value === null) return isScalar(value) ? value : null;
  if (depth > documentLimits.depth) throw invalid(`is nested more than ${documentLimits.depth} levels deep`);
  if (state.above.has(value))
    throw new ErrInvalidOptions('The OpenAPI specification contains itself.', {
      hint: 'Pass the specification with its references ($ref), not a dereferenced one.',
    });
  state.above.add(value);
  let copy: unknown;
  if (Array.isArray(value)) copy = value.map((item) => copyJson(item, state, depth + 1));
  else if (!isPlainObject(value)) copy = value instanceof Date ? value.toISOString() : null;
  else {
    const fields: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const field = (value as SpecObject)[key];
      if (key !== '__proto__' && field !== undefined) fields[key] = copyJson(field, state, depth + 1);
    }
    copy = fields;
  }
  state.above.delete(value);
  return copy;
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function versionOf({ openapi, swagger }: SpecObject): string {
  if (swagger === '2.0' || swagger === 2) return '2.0';
  if (openapi === 3) return '3.0.0';
  const version = typeof openapi === 'number' ? `${openapi}.0` : openapi;
  if (typeof version === 'string' && /^3\.[012](?:\.|$)/.test(version)) return version;
  const given = openapi ?? swagger;
  throw new ErrInvalidOptions(
    given === undefined
      ? 'The OpenAPI specification has neither "openapi" nor "swagger".'
      : `The version ${clip(JSON.stringify(given), 40)} of the OpenAPI specification is not supported.`,
    { hint: 'Use OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0.' },
  );
}
