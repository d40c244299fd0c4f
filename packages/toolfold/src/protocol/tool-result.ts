import { ErrInvalidResult } from '@toolfold/schema/errors';
import type { McpResource, Annotations } from './mcp-types.js';
import type { Meta } from '@toolfold/profiles';
import { isJsonObject } from '@toolfold/schema/internal';
import { assertSpeakable, toText, toToon } from '../values/value-text.js';

/** Fields of every content block. */
interface Block {
  /** Audience, priority and time of the last change. */
  annotations?: Annotations;
  /** Data for programs. */
  _meta?: Meta;
}

/** Text for the model. */
export interface TextContent extends Block {
  /** Discriminator of the content type. */
  type: 'text';
  /** The text. */
  text: string;
}
/** An image. */
export interface ImageContent extends Block {
  /** Discriminator of the content type. */
  type: 'image';
  /** Bytes of the image as Base64. */
  data: string;
  /** MIME type of the image. */
  mimeType: string;
}
/** A recording or another sound. */
export interface AudioContent extends Block {
  /** Discriminator of the content type. */
  type: 'audio';
  /** Bytes of the sound as Base64. */
  data: string;
  /** MIME type of the sound. */
  mimeType: string;
}
/** A link to a resource that the client may read. */
export interface ResourceLink extends McpResource {
  /** Discriminator of the content type. */
  type: 'resource_link';
}
/** A resource together with its contents. */
export interface EmbeddedResource extends Block {
  /** Discriminator of the content type. */
  type: 'resource';
  /** URI and contents of the resource. `text` or `blob`, as Base64, holds the contents. */
  resource: { uri: string; mimeType?: string; _meta?: Meta } & ({ text: string } | { blob: string });
}
/** Every kind of content that MCP knows. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** The result of a tool call. */
export interface CallToolResult {
  /** Content for the model. */
  content: ContentBlock[];
  /** The result as data, if the tool has an output schema. */
  structuredContent?: unknown;
  /** Whether the call failed. */
  isError?: boolean;
  /** `input_required` if the result is a question, `task` if the result comes later; otherwise absent or `complete`. */
  resultType?: 'input_required' | 'task' | 'complete';
  /** Questions by key. The client returns each answer under the key of its question. */
  inputRequests?: Readonly<Record<string, object>>;
  /** Opaque state that the client returns with its answers. */
  requestState?: string;
  /** Data for programs. */
  _meta?: Meta;
}

type Write = (value: unknown) => string;

/** A successful result: text unchanged, any other value as JSON. */
export function success(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: toText(value) }] };
}

/** A result that the model reads as a failure. */
export function error(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

/** A result in TOON, which takes fewer tokens than JSON for rows of equal shape. */
export function toonSuccess(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: toToon(value) }] };
}

/**
 * Turns the return value of a handler into a result, by its shape alone:
 * 1. an object whose `content` is a list of content blocks and that has no key but those of a result: itself;
 * 2. a content block, or a list of at least one and nothing else: the content;
 * 3. nothing: no content;
 * 4. text: a text block;
 * 5. any other JSON value: a text block, of compact JSON unless `write` says otherwise.
 * A value that JSON cannot represent is an error.
 */
export function toCallToolResult(value: unknown, write: Write = toText): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isResult(value)) return assertBlocks(value);
  if (isContentBlock(value)) return assertBlocks({ content: [value] });
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock))
    return assertBlocks({ content: value });
  return value === undefined ? { content: [] } : { content: [{ type: 'text', text: write(value) }] };
}

/** Throws on invalid content blocks, because clients would reject the whole result. */
function assertBlocks(result: CallToolResult): CallToolResult {
  const wrong = result.content.find((block) => {
    const { annotations, _meta, data } = block as { annotations?: unknown; _meta?: unknown; data?: unknown };
    const isBinary = block.type === 'image' || block.type === 'audio';
    if (!isObjectIfGiven(annotations) || !isObjectIfGiven(_meta)) return true;
    return (isBinary && !isBase64(String(data))) || !hasRightFields(block);
  });
  if (wrong === undefined && isObjectIfGiven(result._meta)) {
    if (result.structuredContent !== undefined) assertSpeakable(result.structuredContent);
    return result;
  }
  throw new ErrInvalidResult(
    `The handler returned ${wrong ? `a block of type ${wrong.type}` : 'a result'} that is not valid.`,
    {
      hint: 'annotations and _meta are objects, data is base64.',
    },
  );
}

/** Whether the descriptive fields of a link or an embedded resource have the right types. */
function hasRightFields(block: ContentBlock): boolean {
  const { title, description, mimeType, size, blob } = (
    block.type === 'resource' ? block.resource : block
  ) as Readonly<Record<string, unknown>>;
  const areTexts = [title, description, mimeType].every(
    (field) => field === undefined || typeof field === 'string',
  );
  const isEncoded = blob === undefined || (typeof blob === 'string' && isBase64(blob));
  return areTexts && isEncoded && (size === undefined || typeof size === 'number');
}

function isObjectIfGiven(part: unknown): boolean {
  return part === undefined || isJsonObject(part);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** Returns the result of a tool with an output schema: the value as data and as text. */
export function toStructuredResult(value: unknown, write: Write = toText): CallToolResult {
  return { content: [{ type: 'text', text: write(value) }], structuredContent: value };
}

/** Whether a tool with an output schema returned a whole result: a failed one, or one with structured content. */
export function isFinishedResult(value: unknown): value is CallToolResult {
  return isResult(value) && (value.isError === true || value.structuredContent !== undefined);
}

const resultKeys = new Set(['content', 'structuredContent', 'isError', 'resultType', '_meta']);

export function isResult(value: unknown): value is CallToolResult {
  return (
    isJsonObject(value) &&
    Array.isArray(value['content']) &&
    value['content'].every(isContentBlock) &&
    Object.keys(value).every((key) => resultKeys.has(key) || value[key] === undefined) &&
    (value['resultType'] ?? 'complete') === 'complete' &&
    (value['isError'] === undefined || typeof value['isError'] === 'boolean')
  );
}

/** The required text fields and the optional fields of each type of block. */
const blocks: ReadonlyMap<unknown, readonly [texts: readonly string[], others: ReadonlySet<string>]> =
  new Map([
    ['text', [['text'], new Set<string>()]],
    ['image', [['data', 'mimeType'], new Set<string>()]],
    ['audio', [['data', 'mimeType'], new Set<string>()]],
    ['resource_link', [['uri', 'name'], new Set(['title', 'description', 'mimeType', 'size', 'icons'])]],
    ['resource', [[], new Set(['resource'])]],
  ]);

export function isContentBlock(value: unknown): value is ContentBlock {
  if (!isJsonObject(value)) return false;
  const form = blocks.get(value['type']);
  if (!form) return false;
  const [texts, others] = form;
  if (!texts.every((key) => typeof value[key] === 'string')) return false;
  if (value['type'] === 'resource' && !isResourceContents(value['resource'])) return false;
  return Object.keys(value).every(
    (key) =>
      key === 'type' || key === 'annotations' || key === '_meta' || texts.includes(key) || others.has(key),
  );
}

/** Whether a value has the form of a resource's contents: a URI, and text or Base64. */
export function isResourceContents(
  value: unknown,
): value is { uri: string } & ({ text: string } | { blob: string }) {
  return (
    isJsonObject(value) &&
    typeof value['uri'] === 'string' &&
    (typeof value['text'] === 'string' || typeof value['blob'] === 'string')
  );
}
