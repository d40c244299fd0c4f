import { isJsonObject } from '@toolfold/schema/internal';
import type { BodyPlan, BodyProperty, ParameterStyle } from '../request-plan.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, listOf, NotOffered, resolveObject } from '../read/resolve.js';
import { mergeAllOf } from '../schema/merge-all-of.js';
import { chooseMediaType, kindOf } from './media-types.js';

export interface ReadProperty extends Omit<BodyProperty, 'field' | 'schema'> {
  readonly schema: unknown;
  readonly required: boolean;
}

export interface ReadBody extends Pick<BodyPlan, 'mediaType' | 'kind' | 'required'> {
  readonly description: unknown;
  /** The schema of the whole body, if its properties do not become fields. */
  readonly whole: { readonly schema: unknown; readonly isFile: boolean } | undefined;
  readonly properties: readonly ReadProperty[];
}

export const WHOLE_BODY = 'body';

export function readBody(document: SpecObject, requestBody: unknown): ReadBody | undefined {
  const { content, required, description } = resolveObject(document, requestBody);
  const mediaTypes = entriesOf(content);
  if (mediaTypes.length === 0) return undefined;
  const mediaType = chooseMediaType(mediaTypes.map(([name]) => name));
  if (mediaType === undefined) {
    if (required !== true) return undefined;
    throw new NotOffered(`takes only bodies of ${mediaTypes.map(([name]) => name).join(', ')}`.slice(0, 200));
  }
  const media = resolveObject(document, new Map(mediaTypes).get(mediaType));
  const schema = media['schema'];
  const kind = bodyKind(document, mediaType, schema);
  const base = { mediaType: mediaType.includes('*') ? concreteType(kind) : mediaType, kind, description };
  const isWhole = { ...base, required: required === true, properties: [] };
  if (kind === 'text') return { ...isWhole, whole: { schema: { type: 'string' }, isFile: false } };
  if (kind === 'binary') return { ...isWhole, whole: { schema, isFile: true } };
  const merged = objectOf(document, schema);
  if (!merged) return { ...isWhole, whole: { schema, isFile: false } };
  const names = new Set(listOf(merged['required']));
  // Many specifications leave out `required` although the body has required properties.
  const isRequired = required === true || (required === undefined && names.size > 0);
  const properties = entriesOf(merged['properties']).map(([name, each]) =>
    readProperty(document, name, each, { kind, encoding: media['encoding'], isRequired: names.has(name) }),
  );
  return { ...base, required: isRequired, whole: undefined, properties };
}

/** Treats a wildcard as JSON if its schema describes data. */
function bodyKind(document: SpecObject, mediaType: string, schema: unknown): BodyPlan['kind'] {
  const kind = kindOf(mediaType) ?? 'binary';
  if (kind !== 'binary' || !mediaType.includes('*')) return kind;
  const { type, properties, items } = (isJsonObject(schema) && mergeAllOf(document, schema)) || {};
  const isData = properties !== undefined || items !== undefined || [type].flat().includes('object');
  return isData ? 'json' : 'binary';
}

function concreteType(kind: BodyPlan['kind']): string {
  return kind === 'json' ? 'application/json' : kind === 'text' ? 'text/plain' : 'application/octet-stream';
}

/**
 * Returns the object whose properties become fields. Returns `undefined` if the body must stay whole: it is no object, has alternatives, or
 * accepts properties with any name.
 */
function objectOf(document: SpecObject, schema: unknown): SpecObject | undefined {
  const merged = isJsonObject(schema) ? mergeAllOf(document, schema) : undefined;
  if (!merged || entriesOf(merged['properties']).length === 0) return undefined;
  const { type, additionalProperties } = merged;
  if (type !== undefined && ![type].flat().includes('object')) return undefined;
  if (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0) return undefined;
  const alternatives = [...listOf(merged['oneOf']), ...listOf(merged['anyOf'])];
  // Alternatives that only require other properties are left to the API.
  const isFlat = alternatives.every(
    (each) => isJsonObject(each) && Object.keys(each).every((keyword) => keyword === 'required'),
  );
  return isFlat ? merged : undefined;
}

interface PropertyPlace {
  readonly kind: BodyPlan['kind'];
  readonly encoding: unknown;
  readonly isRequired: boolean;
}

function readProperty(
  document: SpecObject,
  name: string,
  schema: unknown,
  { kind, encoding, isRequired }: PropertyPlace,
): ReadProperty {
  const given = new Map(entriesOf(encoding)).get(name);
  const { contentType, style, explode, allowReserved } = isJsonObject(given) ? given : {};
  const known = (['spaceDelimited', 'pipeDelimited', 'deepObject'] as const).find((each) => each === style);
  const used: ParameterStyle = known ?? 'form';
  // In a form, a style takes precedence over a media type, and an object without either is written as JSON.
  const isStyled =
    kind === 'form' && [style, explode, allowReserved].some((keyword) => keyword !== undefined);
  const byDefault = kind === 'form' && isObject(document, schema) ? 'application/json' : undefined;
  return {
    name,
    file: kind === 'multipart' ? fileOf(document, schema) : undefined,
    mediaType: isStyled ? undefined : (typeIn(contentType) ?? byDefault),
    style: used,
    explode: typeof explode === 'boolean' ? explode : used === 'form',
    allowReserved: allowReserved === true,
    schema,
    required: isRequired,
  };
}

/** The first of several media types is the preferred one; a pattern such as image/* names none. */
function typeIn(contentType: unknown): string | undefined {
  return typeof contentType === 'string' && !contentType.includes('*')
    ? contentType.split(',')[0]?.trim()
    : undefined;
}

function isObject(document: SpecObject, schema: unknown): boolean {
  const { type, properties } = (isJsonObject(schema) && mergeAllOf(document, schema)) || {};
  const types = [type].flat();
  return types.includes('object') || (type === undefined && properties !== undefined);
}

/** Whether a part of a multipart body is a file or a list of files. */
function fileOf(document: SpecObject, schema: unknown): ReadProperty['file'] {
  const merged = (isJsonObject(schema) && mergeAllOf(document, schema)) || {};
  if (isFile(merged)) return 'one';
  const items = [merged['type']].flat().includes('array') ? merged['items'] : undefined;
  const item = isJsonObject(items) ? mergeAllOf(document, items) : undefined;
  return item && isFile(item) ? 'list' : undefined;
}

function isFile({ type, format, contentMediaType, contentEncoding, ...others }: SpecObject): boolean {
  if (format === 'binary') return true;
  if (contentMediaType !== undefined && contentEncoding === undefined)
    return type === undefined || [type].flat().includes('string');
  const isData = ['properties', 'items', 'enum', 'const', 'anyOf', 'oneOf'].some(
    (name) => others[name] !== undefined,
  );
  // In OpenAPI 3.1, a part without a type is a file.
  return type === undefined && !isData && contentEncoding === undefined;
}
