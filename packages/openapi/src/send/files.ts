import { isJsonObject } from '@toolfold/schema/internal';
import { invalidArgument } from './serialize.js';

/** A file of a request: its bytes, and the headers of its part in a multipart body. */
export interface RequestFile {
  readonly bytes: Uint8Array;
  readonly fileName: string | undefined;
  readonly mediaType: string | undefined;
}

/** Matches a media type with its parameters, which cannot contain a line break. */
export const MEDIA_TYPE = /^[\w!#$&\-^.+]+\/[\w!#$&\-^.+]+(?:\s*;\s*[\w-]+=(?:[\w.+-]+|"[^"\r\n]*"))*$/;
const FORM = 'must be { base64 } or { text }, with an optional fileName and mediaType';

/** Reads a file from an argument: `{ base64 }` or `{ text }`, with `fileName` and `mediaType`. */
export function readFile(field: string, value: unknown, maxBytes: number): RequestFile {
  if (!isJsonObject(value)) throw invalidArgument(field, FORM);
  const { base64, text, fileName, mediaType } = value;
  if ((base64 === undefined) === (text === undefined)) throw invalidArgument(field, FORM);
  if (fileName !== undefined && (typeof fileName !== 'string' || fileName.length > 255))
    throw invalidArgument(`${field}.fileName`, 'must be text of at most 255 characters');
  if (
    mediaType !== undefined &&
    (typeof mediaType !== 'string' || mediaType.length > 255 || !MEDIA_TYPE.test(mediaType))
  )
    throw invalidArgument(`${field}.mediaType`, 'must be a media type such as image/png');
  return { bytes: bytesOf(field, { base64, text }, maxBytes), fileName, mediaType };
}

function bytesOf(
  field: string,
  { base64, text }: { readonly base64: unknown; readonly text: unknown },
  maxBytes: number,
): Uint8Array {
  if (typeof text === 'string') return new TextEncoder().encode(text);
  if (typeof base64 !== 'string') throw invalidArgument(field, FORM);
  // This check precedes decoding, because decoding takes more memory than the text.
  if (base64.length * 0.75 > maxBytes + 3) throw tooLarge(field, maxBytes);
  try {
    return decodeBase64(base64);
  } catch {
    throw invalidArgument(`${field}.base64`, 'must be valid Base64');
  }
}

export function tooLarge(field: string, maxBytes: number): Error {
  return invalidArgument(field, `makes the request larger than ${maxBytes} bytes, which is the limit`);
}

/** Decodes Base64, also in its URL form. Throws if it is invalid. */
function decodeBase64(base64: string): Uint8Array {
  const codes = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(codes.length);
  for (let at = 0; at < codes.length; at++) bytes[at] = codes.charCodeAt(at);
  return bytes;
}

/** One function call can take this many arguments. */
const STEP = 8_190;

export function encodeBase64(bytes: Uint8Array): string {
  let codes = '';
  for (let at = 0; at < bytes.length; at += STEP)
    codes += String.fromCharCode(...bytes.subarray(at, at + STEP));
  return btoa(codes);
}
