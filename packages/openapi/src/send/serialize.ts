import { isJsonObject, validationFailed } from '@toolfold/schema/internal';
import type { ErrValidationFailed } from 'toolfold/errors';
import type { BodyProperty, ParameterPlan } from '../request-plan.js';

/** A name and a value of a query or a form, both percent-encoded. */
export type Pair = readonly [name: string, value: string];

/** The part of a plan that defines how a value is written. */
type Written = Pick<
  ParameterPlan | BodyProperty,
  'field' | 'name' | 'style' | 'explode' | 'allowReserved' | 'mediaType'
>;

/** The error for an argument that no request can carry. */
export function invalidArgument(field: string, message: string): ErrValidationFailed {
  return validationFailed([{ path: [field], message }]);
}

/** Percent-encodes every character except the unreserved ones: letters, digits, `-`, `.`, `_` and `~`. */
export function encodeText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\uFFFD')).replace(
    /[!'()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The reserved characters that `allowReserved` keeps. `&`, `#` and `+` are missing, because a server would read them as the end of the
 * value, the end of the query and a space.
 */
const RESERVED = /%(?:2F|3A|3F|40|5B|5D|21|24|28|29|2A|2C|3B|3D)/g;

function encodeReserved(text: string): string {
  return encodeText(text).replace(RESERVED, (code) => String.fromCharCode(parseInt(code.slice(1), 16)));
}

/** Reads a field of the input, but not of its prototype. */
export function ownValue(input: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(input, field) ? input[field] : undefined;
}

/** Parameters and forms omit null and undefined, also in lists and objects. */
export function isMissing(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** Writes a value as text. The standard gives nested lists and objects no form, so they are written as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'bigint')
    return String(value);
  return JSON.stringify(value);
}

export function contentOf(value: unknown, mediaType: string): string {
  return isJsonType(mediaType) || typeof value === 'object' ? JSON.stringify(value) : textOf(value);
}

/** Whether a media type is JSON: `application/json`, `application/problem+json` and the like. */
export function isJsonType(mediaType: string): boolean {
  return /^[^;]*[/+]json\s*(?:;|$)/i.test(mediaType);
}

const itemsOf = (list: readonly unknown[]): string[] => list.filter((item) => !isMissing(item)).map(textOf);

const entriesOf = (object: object): [name: string, value: string][] =>
  Object.entries(object)
    .filter(([, value]) => !isMissing(value))
    .map(([name, value]) => [name, textOf(value)]);

/** Writes a path parameter in one of the styles `simple`, `label` and `matrix`. */
export function writePathValue(parameter: Written, value: unknown): string {
  const { style, explode, mediaType } = parameter;
  const name = encodeText(parameter.name);
  if (mediaType !== undefined) return encodeText(contentOf(value, mediaType));
  // In the exploded style `label`, the dot separates, so a dot in a value is encoded.
  const encode = (text: string): string =>
    style === 'label' && explode ? encodeText(text).replaceAll('.', '%2E') : encodeText(text);
  const separator = !explode || style === 'simple' ? ',' : style === 'label' ? '.' : ';';
  const named = (text: string): string => (text === '' ? name : `${name}=${text}`);
  if (Array.isArray(value)) {
    const items = itemsOf(value).map(encode);
    if (items.length === 0) return '';
    if (style === 'matrix') return `;${explode ? items.map(named).join(';') : `${name}=${items.join(',')}`}`;
    return `${style === 'label' ? '.' : ''}${items.join(separator)}`;
  }
  if (isJsonObject(value)) {
    const entries = entriesOf(value).map(([key, text]) => [encode(key), encode(text)]);
    if (entries.length === 0) return '';
    const joined = entries.map((entry) => entry.join(explode ? '=' : ',')).join(separator);
    if (style === 'matrix') return explode ? `;${joined}` : `;${name}=${joined}`;
    return `${style === 'label' ? '.' : ''}${joined}`;
  }
  const text = encodeText(textOf(value));
  if (style === 'matrix') return `;${named(text)}`;
  return `${style === 'label' ? '.' : ''}${text}`;
}

const delimiters: Readonly<Partial<Record<Written['style'], readonly [raw: string, encoded: string]>>> = {
  spaceDelimited: [' ', '%20'],
  pipeDelimited: ['|', '%7C'],
};

/** Writes a query parameter, a cookie, or a property of a form, as names and values. */
export function writePairs(parameter: Written, value: unknown): Pair[] {
  const { style, explode, mediaType, allowReserved } = parameter;
  if (isMissing(value)) return [];
  const encode = allowReserved ? encodeReserved : encodeText;
  const name = encodeText(parameter.name);
  if (mediaType !== undefined) return [[name, encode(contentOf(value, mediaType))]];
  if (style === 'deepObject')
    return writeDeep(parameter.name, value).map(([key, text]) => [key, encode(text)]);
  if (typeof value !== 'object') return [[name, encode(textOf(value))]];
  if (explode)
    return Array.isArray(value)
      ? itemsOf(value).map((item): Pair => [name, encode(item)])
      : entriesOf(value).map(([key, text]): Pair => [encodeText(key), encode(text)]);
  const texts = Array.isArray(value) ? itemsOf(value) : entriesOf(value).flat();
  if (texts.length === 0) return [];
  const [raw, encoded] = delimiters[style] ?? [',', ','];
  // An encoded comma differs from the comma that separates; an encoded space or bar does not.
  if (raw !== ',' && texts.some((text) => text.includes(raw)))
    throw invalidArgument(parameter.field, `no entry may contain "${raw}", which separates the entries`);
  return [[name, texts.map((text) => encode(text).replaceAll(',', '%2C')).join(encoded)]];
}

/** Writes `a[b][c]` for every value in an object. The entries of lists have their index as the name, as in `a[b][0]`. */
function writeDeep(name: string, value: unknown): Pair[] {
  if (isMissing(value)) return [];
  if (typeof value !== 'object') return [[encodeText(name), textOf(value)]];
  return Object.entries(value).flatMap(([key, inner]) => writeDeep(`${name}[${key}]`, inner));
}

/** Writes a header parameter in the style `simple`. Headers are not percent-encoded. */
export function writeHeaderValue(parameter: Written, value: unknown): string {
  const { field, explode, mediaType } = parameter;
  if (mediaType !== undefined) return contentOf(value, mediaType);
  if (typeof value !== 'object' || value === null) return textOf(value);
  const texts = Array.isArray(value) ? itemsOf(value) : entriesOf(value).flat();
  if (texts.some((text) => text.includes(',')))
    throw invalidArgument(field, 'no entry may contain ",", which separates the entries');
  if (Array.isArray(value) || !explode) return texts.join(',');
  return entriesOf(value)
    .map((entry) => entry.join('='))
    .join(',');
}
