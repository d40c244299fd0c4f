import { isJsonObject } from '@toolfold/schema/internal';
import type { BodyPlan, BodyProperty, RequestPlan } from '../request-plan.js';
import { MEDIA_TYPE, readFile, tooLarge } from './files.js';
import type { RequestFile } from './files.js';
import {
  contentOf,
  encodeText,
  invalidArgument,
  isMissing,
  ownValue,
  textOf,
  writePairs,
} from './serialize.js';

/** The body of a request as bytes, so that it can be measured, and sent again after a redirect. */
export interface RequestBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mediaType: string;
}

type Input = Readonly<Record<string, unknown>>;

const encodeUtf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

export function buildBody(plan: RequestPlan, input: Input, maxBytes: number): RequestBody | undefined {
  const { body } = plan;
  if (!body) return undefined;
  const made = writeBody(body, input, maxBytes);
  if (made && made.bytes.length > maxBytes) throw tooLarge(body.wholeField ?? 'body', maxBytes);
  return made;
}

function writeBody(body: BodyPlan, input: Input, maxBytes: number): RequestBody | undefined {
  const { wholeField, properties, required, kind } = body;
  const whole = wholeField === undefined ? undefined : ownValue(input, wholeField);
  if (wholeField !== undefined && whole === undefined) {
    if (required) throw invalidArgument(wholeField, 'is required');
    return undefined;
  }
  const given = properties
    .map((property) => [property, ownValue(input, property.field)] as const)
    .filter(([, value]) => value !== undefined);
  if (wholeField === undefined && given.length === 0 && !required) return undefined;
  const field = wholeField ?? 'body';
  switch (kind) {
    case 'json': {
      const value = wholeField === undefined ? objectOf(given) : whole;
      return { bytes: encodeUtf8(JSON.stringify(value)), mediaType: concrete(body, 'application/json') };
    }
    case 'form': {
      const parts = wholeField === undefined ? given : partsOf(field, whole);
      const pairs = parts.flatMap(([property, value]) => writePairs(property, value));
      return {
        bytes: encodeUtf8(pairs.map((pair) => pair.join('=')).join('&')),
        mediaType: concrete(body, 'application/x-www-form-urlencoded'),
      };
    }
    case 'multipart': {
      const parts = wholeField === undefined ? given : partsOf(field, whole);
      return writeMultipart(body, parts, maxBytes);
    }
    case 'text':
      return { bytes: encodeUtf8(textOf(whole)), mediaType: concrete(body, 'text/plain') };
    case 'binary': {
      const { bytes, mediaType } = readFile(field, whole, maxBytes);
      return {
        bytes: Uint8Array.from(bytes),
        mediaType: concrete(body, mediaType ?? 'application/octet-stream'),
      };
    }
  }
}

/** Replaces a range such as `image/*`, which cannot be sent, by the given media type. */
function concrete({ mediaType }: BodyPlan, fallback: string): string {
  return mediaType.includes('*') ? fallback : mediaType;
}

type Part = readonly [property: BodyProperty, value: unknown];

const objectOf = (given: readonly Part[]): object =>
  Object.fromEntries(given.map(([{ name }, value]) => [name, value]));

/** Splits the object of one field into the parts of a form. Their schemas are unknown, so objects in them are written as JSON. */
function partsOf(field: string, whole: unknown): Part[] {
  if (!isJsonObject(whole)) throw invalidArgument(field, 'must be an object');
  return Object.entries(whole).map(([name, value]) => [
    {
      field: `${field}.${name}`,
      name,
      file: undefined,
      mediaType: isJsonObject(value) ? 'application/json' : undefined,
      style: 'form',
      explode: true,
      allowReserved: false,
      schema: {},
    },
    value,
  ]);
}

interface MultipartPart {
  readonly name: string;
  readonly fileName?: string | undefined;
  readonly mediaType?: string | undefined;
  readonly bytes: Uint8Array;
}

/**
 * Writes a multipart body. `FormData` gives every part with a media type a file name, and many servers treat such a
 * part as a file.
 */
function writeMultipart(body: BodyPlan, given: readonly Part[], maxBytes: number): RequestBody {
  const boundary = `toolfold-${crypto.randomUUID()}`;
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (const [property, value] of given) {
    for (const part of multipartParts(property, value, maxBytes)) {
      const head = encodeUtf8(`--${boundary}\r\n${headOf(part)}\r\n\r\n`);
      pieces.push(head, part.bytes, encodeUtf8('\r\n'));
      size += head.length + part.bytes.length + 2;
      if (size > maxBytes) throw tooLarge(property.field, maxBytes);
    }
  }
  const end = encodeUtf8(`--${boundary}--\r\n`);
  const bytes = new Uint8Array(size + end.length);
  let at = 0;
  for (const piece of [...pieces, end]) {
    bytes.set(piece, at);
    at += piece.length;
  }
  const type = concrete(body, 'multipart/form-data').replace(/;\s*boundary=[^;]*/i, '');
  return { bytes, mediaType: `${type}; boundary=${boundary}` };
}

/** Quotes a name as browsers do. */
const quote = (text: string): string =>
  `"${text.replace(/["\r\n]/g, (mark) => encodeText(mark)).replace(/\p{Surrogate}/gu, '\uFFFD')}"`;

function headOf({ name, fileName, mediaType }: MultipartPart): string {
  const file = fileName === undefined ? '' : `; filename=${quote(fileName)}`;
  const type = mediaType === undefined ? '' : `\r\nContent-Type: ${mediaType}`;
  return `Content-Disposition: form-data; name=${quote(name)}${file}${type}`;
}

function multipartParts(property: BodyProperty, value: unknown, maxBytes: number): MultipartPart[] {
  const { field, name, file, mediaType } = property;
  if (isMissing(value)) return [];
  if (file !== undefined) {
    const files = file === 'one' ? [value] : value;
    if (!Array.isArray(files)) throw invalidArgument(field, 'must be a list of files');
    return files.map((each) => fileType(property, readFile(field, each, maxBytes)));
  }
  const type = mediaTypeFor(mediaType);
  // Each entry of a list is a separate part, unless the whole list is written in one media type.
  if (Array.isArray(value) && type === undefined)
    return value
      .filter((item) => !isMissing(item))
      .map((item) => ({ name, ...(typeof item === 'object' ? json : {}), bytes: encodeUtf8(textOf(item)) }));
  const isObject = typeof value === 'object';
  const text = type === undefined ? textOf(value) : contentOf(value, type);
  return [{ name, mediaType: type ?? (isObject ? json.mediaType : undefined), bytes: encodeUtf8(text) }];
}

const json = { mediaType: 'application/json' };

/** `encoding` may list several media types. The first one that is no range is used. */
function mediaTypeFor(mediaType: string | undefined): string | undefined {
  const type = mediaType
    ?.split(',')
    .map((each) => each.trim())
    .find((each) => !each.includes('*'));
  return type !== undefined && MEDIA_TYPE.test(type) ? type : undefined;
}

function fileType({ name, mediaType }: BodyProperty, file: RequestFile): MultipartPart {
  return {
    name,
    // Most servers treat a part without a file name as text.
    fileName: file.fileName ?? 'file',
    mediaType: file.mediaType ?? mediaTypeFor(mediaType) ?? 'application/octet-stream',
    bytes: file.bytes,
  };
}
