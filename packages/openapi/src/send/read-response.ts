import { ErrOutputTooLarge, ErrToolFailed } from 'toolfold/errors';
import { isContentBlock, isResult } from 'toolfold/internal';
import type { CallToolResult, ContentBlock } from 'toolfold';
import { clip, exceededTextLimit, foreignJsonLimits, parseForeignJson } from '@toolfold/schema/internal';
import { isSafe } from './exchange.js';
import type { ApiResponse } from './exchange.js';
import { encodeBase64 } from './files.js';
import { isJsonType } from './serialize.js';

/** Larger binary responses are described instead of embedded. */
const MAX_EMBEDDED = 1024 * 1024;

/** Returns the media type of a response in lower case without parameters, or empty text if it has none. */
export function mediaTypeOf({ headers }: Pick<ApiResponse, 'headers'>): string {
  return (headers.get('content-type') ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

const TEXTS =
  /^(?:text\/|image\/svg\+xml$|application\/(?:xml|yaml|x-yaml|javascript|x-www-form-urlencoded|graphql|x-ndjson|jsonl|toml|sql)|[^/]+\/[^/]+\+(?:xml|yaml)$)/;

/** Returns the text of a response, or `undefined` if it is binary. */
export function textIn(response: ApiResponse): string | undefined {
  const mediaType = mediaTypeOf(response);
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(response.headers.get('content-type') ?? '')?.[1];
  const isText = TEXTS.test(mediaType) || isJsonType(mediaType);
  try {
    // Without a media type for text, only valid UTF-8 without control characters counts as text.
    const decoder = new TextDecoder(isText ? (charset ?? 'utf-8') : 'utf-8', { fatal: !isText });
    const text = decoder.decode(response.bytes);
    // oxlint-disable-next-line no-control-regex -- control characters tell binary data from text
    return isText || !/[\0-\x08\x0E-\x1F]/.test(text) ? text : undefined;
  } catch {
    // The bytes are no UTF-8, or the charset is unknown.
    return isText ? new TextDecoder().decode(response.bytes) : undefined;
  }
}

type ResponseValue = { readonly value: unknown } | { readonly content: ContentBlock };

export function readResponse(response: ApiResponse, method: string): ResponseValue {
  const { bytes, url } = response;
  if (bytes.length === 0) return { content: confirm(response) };
  const mimeType = mediaTypeOf(response);
  if (isJsonType(mimeType)) return { value: readJson(response, method) };
  if (/^image\/(?!svg)/.test(mimeType))
    return { content: { type: 'image', data: encodeBase64(bytes), mimeType } };
  if (mimeType.startsWith('audio/'))
    return { content: { type: 'audio', data: encodeBase64(bytes), mimeType } };
  const text = textIn(response);
  if (text !== undefined) {
    const value = mimeType === '' && /^\s*[[{]/.test(text) ? parseForeignJson(text) : undefined;
    return value === undefined ? { content: { type: 'text', text } } : { value };
  }
  const kind = mimeType === '' ? 'application/octet-stream' : mimeType;
  if (bytes.length > MAX_EMBEDDED)
    return {
      content: {
        type: 'text',
        text: `The API answered with ${bytes.length} bytes of ${kind}. Binary data of more than ${MAX_EMBEDDED} bytes is not shown.`,
      },
    };
  // The query is left out, because it may contain credentials.
  const resource = { uri: `${url.origin}${url.pathname}`, mimeType: kind, blob: encodeBase64(bytes) };
  return { content: { type: 'resource', resource } };
}

function confirm({ status, statusText, headers }: ApiResponse): ContentBlock {
  const reason = statusText === '' ? `${status}` : `${status} ${clip(statusText, 60)}`;
  const location = status === 201 || status === 202 ? headers.get('location') : null;
  const where = location === null ? '' : ` Location: ${clip(location.replace(/[?#].*$/s, ''), 500)}`;
  return { type: 'text', text: `Done. The API answered ${reason} without a body.${where}` };
}

function readJson(response: ApiResponse, method: string): unknown {
  const text = textIn(response) ?? '';
  const value = parseForeignJson(text);
  if (value !== undefined) return value;
  const details = { status: response.status };
  const hint = isSafe(method)
    ? 'The API has an error. Try again later.'
    : 'The call may have taken effect. Check before you try again.';
  const exceeded = exceededTextLimit(text, foreignJsonLimits);
  if (exceeded !== undefined) {
    const { maxDepth, maxValues } = foreignJsonLimits;
    const what =
      exceeded === 'maxDepth'
        ? `is nested deeper than ${maxDepth} levels`
        : `has more than ${maxValues} values`;
    throw new ErrOutputTooLarge(`The answer of the API ${what}.`, { hint, details });
  }
  throw new ErrToolFailed('The API answered with malformed JSON.', { hint, details });
}

/** Makes the result of a handler. A JSON value that looks like MCP content is still treated as data. */
export function toHandlerValue(read: ResponseValue, note: string | undefined): unknown {
  if ('content' in read) return note === undefined ? read.content : [read.content, textBlock(note)];
  const { value } = read;
  if (note === undefined && !looksLikeContent(value)) return value;
  const content = [textBlock(JSON.stringify(value)), ...(note === undefined ? [] : [textBlock(note)])];
  const result: CallToolResult = { content, structuredContent: value };
  return result;
}

const textBlock = (text: string): ContentBlock => ({ type: 'text', text });

function looksLikeContent(value: unknown): boolean {
  return isResult(value) || isContentBlock(value) || (Array.isArray(value) && value.some(isContentBlock));
}
