import { ErrExternalRef, ErrInvalidSchema, ErrUnsupportedSchema } from '../errors.js';
import type { Trail } from '../visit/json-pointer.js';
import type { Dialect, JsonSchema, JsonSchemaObject, SchemaLimits } from '../values/json-schema.js';
import { decodeFragment, followPointer, toPath, toPointer } from '../visit/json-pointer.js';
import { isSchema } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';
import { forEachSubschema, foreignKeywords, formProblem, holdsSchemas, keywords } from './keywords.js';
import { toUnicodePattern } from '../patterns/patterns.js';

export interface SchemaSurvey {
  readonly dialect: Dialect;
  readonly places: ReadonlyMap<JsonSchema, Place>;
  readonly hasReferences: boolean;
}

interface Place {
  readonly trail: Trail;
  readonly resource: Resource;
  references: readonly Reference[];
}

/** A schema resource: a root and the anchors below it. A nested `$id` starts another resource. */
interface Resource {
  readonly root: JsonSchema;
  readonly anchors: Map<string, JsonSchemaObject>;
  readonly dynamicAnchors: Map<string, JsonSchemaObject>;
}

interface Reference {
  readonly target: JsonSchema;
  /** The anchor of a `$dynamicRef`. Its target is in the outermost resource on the way that has this anchor. */
  readonly dynamicAnchor?: string;
}

const none: readonly Reference[] = [];

/** Keywords that need checks beyond their form. */
const needsMore = new Set(['$schema', 'patternProperties']);

const referenceKeywords = { '2020-12': ['$ref', '$dynamicRef'], 'draft-07': ['$ref'] } as const;

/** Visits every subschema once, checks its keywords and resolves its references. Never fetches anything. */
export function surveySchema(schema: JsonSchema, limits: SchemaLimits): SchemaSurvey {
  const dialect =
    isJsonObject(schema) && schema['$schema'] !== undefined
      ? dialectOf(schema['$schema'], undefined)
      : '2020-12';
  const places = new Map<JsonSchemaObject, Place>();
  let count = 0;
  let hasIdentifiers = false;

  function visit(node: JsonSchema, trail: Trail, above: Resource | undefined): void {
    // A reference may lead to a schema that contains schemas which were visited before.
    if (places.has(node as JsonSchemaObject)) return;
    if (++count > limits.subschemas) throw tooManySubschemas(limits);
    let resource = above;
    if (!resource || startsResource(node, dialect)) {
      resource = { root: node, anchors: new Map(), dynamicAnchors: new Map() };
    }
    if (typeof node === 'boolean') return;
    places.set(node, { trail, resource, references: none });
    if ('$id' in node || '$anchor' in node || '$dynamicAnchor' in node) {
      hasIdentifiers = true;
      noteAnchors(node, trail, resource, dialect);
    }
    for (const keyword of Object.keys(node)) {
      const value = node[keyword];
      let form = keywords[dialect].get(keyword);
      if (form !== undefined) {
        const problem = formProblem(form, value);
        if (problem !== undefined || needsMore.has(keyword)) {
          assertKeyword(keyword, problem, value, { above: trail, key: keyword }, dialect);
        }
      } else {
        form = foreignKeywords[dialect].get(keyword);
        if (form === undefined || formProblem(form, value) !== undefined) {
          assertNoForeignReference(keyword, value, { above: trail, key: keyword });
          continue;
        }
      }
      if (!holdsSchemas.has(form)) continue;
      const here = { above: trail, key: keyword };
      forEachSubschema(form, value, (child, key) => {
        visit(child, key === undefined ? here : { above: here, key }, resource);
      });
    }
  }

  visit(schema, undefined, undefined);
  let hasReferences = false;
  // The loop adds entries to the map, because a reference may lead to a place that no keyword leads to.
  for (const [node, place] of places) {
    const { trail, resource } = place;
    for (const keyword of referenceKeywords[dialect]) {
      if (node[keyword] === undefined) continue;
      hasReferences = true;
      const here = { above: trail, key: keyword };
      const reference = String(node[keyword]);
      const target = resolve(reference, resource, here);
      if (isJsonObject(target) && !places.has(target)) visit(target, here, resource);
      const dynamicAnchor = decodeFragment(reference.slice(1)) ?? '';
      const isDynamic = keyword === '$dynamicRef' && resource.dynamicAnchors.has(dynamicAnchor);
      place.references = [...place.references, isDynamic ? { target, dynamicAnchor } : { target }];
    }
  }
  if (!hasReferences && !hasIdentifiers && dialect === '2020-12' && isJsonObject(schema))
    standaloneSchemas.add(schema);
  return { dialect, places, hasReferences };
}

/** The survey of a 2020-12 schema without references, except for its places, which only references need. */
export const surveyWithoutReferences: SchemaSurvey = {
  dialect: '2020-12',
  places: new Map(),
  hasReferences: false,
};

/** The survey of a schema that was written without mistakes, references and identifiers. */
export function surveyPlain(schema: JsonSchemaObject): SchemaSurvey {
  standaloneSchemas.add(schema);
  return surveyWithoutReferences;
}

/** Schemas without references and identifiers. Their subschemas mean the same in any other document. */
const standaloneSchemas = new WeakSet<object>();

/** Whether a survey found that this object has no references and identifiers. */
export function isKnownStandalone(schema: JsonSchemaObject): boolean {
  return standaloneSchemas.has(schema);
}

export function tooManySubschemas(limits: SchemaLimits): ErrInvalidSchema {
  return new ErrInvalidSchema(
    `The schema has, or its references multiply to, more than ${limits.subschemas} subschemas.`,
    {
      hint: 'Simplify it or raise limits.subschemas.',
      details: { limit: 'subschemas', max: limits.subschemas },
    },
  );
}

function dialectOf(uri: unknown, trail: Trail): Dialect {
  if (typeof uri !== 'string') {
    throw new ErrInvalidSchema(`"$schema" at ${toPointer(trail)} must be a string.`, {
      details: { path: toPath(trail) },
    });
  }
  const match = /^https?:\/\/json-schema\.org\/(?:draft\/(2020-12)|(draft-07))\/schema#?$/.exec(uri);
  const dialect = match?.[1] ?? match?.[2];
  if (!dialect) {
    throw new ErrUnsupportedSchema(`The schema dialect "${uri}" at ${toPointer(trail)} is not supported.`, {
      hint: 'Use JSON Schema 2020-12 or draft-07, or pass a SchemaValidator that supports it.',
      details: { path: toPath(trail), dialect: uri },
    });
  }
  return dialect as Dialect;
}

function startsResource(node: JsonSchema, dialect: Dialect): boolean {
  if (typeof node === 'boolean' || typeof node['$id'] !== 'string') return false;
  return dialect === '2020-12' || (node['$ref'] === undefined && !node['$id'].startsWith('#'));
}

function noteAnchors(node: JsonSchemaObject, trail: Trail, resource: Resource, dialect: Dialect): void {
  const names =
    dialect === '2020-12'
      ? [node['$anchor'], node['$dynamicAnchor']]
      : [node['$ref'] === undefined && /^#(.+)/.exec(String(node['$id']))?.[1]];
  for (const name of names) {
    if (typeof name !== 'string') continue;
    if (resource.anchors.has(name)) {
      throw new ErrInvalidSchema(`The anchor "${name}" at ${toPointer(trail)} is already taken.`, {
        details: { path: toPath(trail) },
      });
    }
    resource.anchors.set(name, node);
    if (node['$dynamicAnchor'] === name) resource.dynamicAnchors.set(name, node);
  }
}

function assertKeyword(
  keyword: string,
  formIssue: string | undefined,
  value: unknown,
  trail: Trail,
  dialect: Dialect,
): void {
  let problem = formIssue;
  if (keyword === 'patternProperties' && !problem) {
    const wrong = Object.keys(value as object).find((pattern) => toUnicodePattern(pattern) === undefined);
    if (wrong !== undefined) problem = `has the key "${wrong}", which is not a regular expression`;
  }
  if (problem) {
    throw new ErrInvalidSchema(`"${keyword}" at ${toPointer(trail)} ${problem}.`, {
      details: { path: toPath(trail), keyword },
    });
  }
  if (keyword === '$schema' && dialectOf(value, trail) !== dialect) {
    throw new ErrUnsupportedSchema(`The schema changes its dialect at ${toPointer(trail)}.`, {
      hint: `Use ${dialect} throughout.`,
      details: { path: toPath(trail), dialect: value },
    });
  }
}

/**
 * Rejects external references in `$dynamicRef` of draft-07 and in `$recursiveRef`. Toolfold ignores these keywords, but another
 * reader might follow them.
 */
function assertNoForeignReference(keyword: string, value: unknown, trail: Trail): void {
  if (keyword !== '$dynamicRef' && keyword !== '$recursiveRef') return;
  if (typeof value === 'string' && value !== '' && !value.startsWith('#')) throw external(value, trail);
}

function external(reference: string, trail: Trail): ErrExternalRef {
  return new ErrExternalRef(`The schema refers to "${reference}" at ${toPointer(trail)}, outside itself.`, {
    hint: 'Copy the target under $defs and refer to it as "#/$defs/…"; nothing is fetched.',
    details: { path: toPath(trail), reference },
  });
}

function resolve(reference: string, resource: Resource, trail: Trail): JsonSchema {
  if (reference !== '' && !reference.startsWith('#')) throw external(reference, trail);
  const fragment = decodeFragment(reference.slice(1));
  const isPointer = fragment === undefined || fragment === '' || fragment.startsWith('/');
  const target = isPointer ? followPointer(resource.root, reference) : resource.anchors.get(fragment);
  if (!isSchema(target)) {
    throw new ErrInvalidSchema(`"${reference}" at ${toPointer(trail)} does not point to a schema.`, {
      details: { path: toPath(trail), reference },
    });
  }
  return target;
}
