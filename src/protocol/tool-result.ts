import { ErrInvalidResult } from '../errors.js';
import type { Meta, McpResource, Annotations } from './mcp-types.js';
import { isJsonObject } from '../values/json-value.js';
import { toText, toToon } from '../values/value-text.js';

/** What every content may have. */
interface Block {
  /** For whom it is, how much it matters, and when it changed. */
  annotations?: Annotations;
  /** Facts for programs. */
  _meta?: Meta;
}

/** Text. */
export interface TextContent extends Block {
  /** Marks it as this kind of content. */
  type: 'text';
  /** The text itself. */
  text: string;
}
/** A picture. */
export interface ImageContent extends Block {
  /** Marks it as this kind of content. */
  type: 'image';
  /** Its bytes as base64. */
  data: string;
  /** The type of the picture. */
  mimeType: string;
}
/** A sound. */
export interface AudioContent extends Block {
  /** Marks it as this kind of content. */
  type: 'audio';
  /** Its bytes as base64. */
  data: string;
  /** The type of the sound. */
  mimeType: string;
}
/** A resource that the client may read. */
export interface ResourceLink extends McpResource {
  /** Marks it as this kind of content. */
  type: 'resource_link';
}
/** A resource with its contents. */
export interface EmbeddedResource extends Block {
  /** Marks it as this kind of content. */
  type: 'resource';
  /** The address and the contents, as text or as base64 in `blob`. */
  resource: { uri: string; mimeType?: string; _meta?: Meta } & ({ text: string } | { blob: string });
}
/** Every kind of content that MCP knows. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** What a tool call answers with. */
export interface CallToolResult {
  /** What a model reads. */
  content: ContentBlock[];
  /** The same as data, where the tool has an output schema. */
  structuredContent?: unknown;
  /** Whether the call failed. */
  isError?: boolean;
  /** `input_required` when the answer is a question, `task` when it comes later; otherwise absent. */
  resultType?: 'input_required' | 'task' | 'complete';
  /** The questions, by the keys under which their answers are to come back. */
  inputRequests?: Readonly<Record<string, object>>;
  /** What the client sends back with its answers, unread. */
  requestState?: string;
  /** Facts for programs. */
  _meta?: Meta;
}

/** How a value is written as text. */
type Write = (value: unknown) => string;

/** A result that says something went well: text as it is, anything else as JSON. */
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
 * What a handler's value becomes, by its shape alone:
 * 1. an object whose `content` is a list of content blocks and that has no key but those of a result: itself;
 * 2. a content block, or a list of at least one and nothing else: the content;
 * 3. nothing: no content;
 * 4. text: a text block;
 * 5. any other JSON value: a text block, of compact JSON unless something else is asked for.
 * What JSON cannot say is an error.
 */
export function toCallToolResult(value: unknown, write: Write = toText): CallToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  if (isResult(value)) return assertBlocks(value);
  if (isContentBlock(value)) return assertBlocks({ content: [value] });
  if (Array.isArray(value) && value.length > 0 && value.every(isContentBlock))
    return assertBlocks({ content: value });
  return value === undefined ? { content: [] } : { content: [{ type: 'text', text: write(value) }] };
}

/** What looks like content and is none would make clients refuse the answer. */
function assertBlocks(result: CallToolResult): CallToolResult {
  const wrong = result.content.find((block) => {
    const { annotations, _meta, data } = block as { annotations?: unknown; _meta?: unknown; data?: unknown };
    const isBinary = block.type === 'image' || block.type === 'audio';
    if (!isObject(annotations) || !isObject(_meta)) return true;
    return (isBinary && !isBase64(String(data))) || !hasRightFields(block);
  });
  if (wrong === undefined && isObject(result._meta)) return result;
  throw new ErrInvalidResult(
    `The handler returned ${wrong ? `a block of type ${wrong.type}` : 'a result'} that is not valid.`,
    {
      hint: 'annotations and _meta are objects, data is base64.',
    },
  );
}

/** What a link or an embedded resource may say of itself. */
function hasRightFields(block: ContentBlock): boolean {
  const { title, description, mimeType, size } = (
    block.type === 'resource' ? block.resource : block
  ) as Readonly<Record<string, unknown>>;
  const areTexts = [title, description, mimeType].every(
    (field) => field === undefined || typeof field === 'string',
  );
  return areTexts && (size === undefined || typeof size === 'number');
}

function isObject(part: unknown): boolean {
  return part === undefined || isJsonObject(part);
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

/** The result of a tool with an output schema: its value is data, also given as text. */
export function toStructuredResult(value: unknown, write: Write = toText): CallToolResult {
  return { content: [{ type: 'text', text: write(value) }], structuredContent: value };
}

/** Whether a value of such a tool is a result already: one that says it failed, or brings its structured content. */
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

/** The keys a block of each type must have, as text, and those it may have. */
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
  if (value['type'] === 'resource' && !isEmbedded(value['resource'])) return false;
  return Object.keys(value).every(
    (key) =>
      key === 'type' || key === 'annotations' || key === '_meta' || texts.includes(key) || others.has(key),
  );
}

function isEmbedded(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    typeof value['uri'] === 'string' &&
    (typeof value['text'] === 'string' || typeof value['blob'] === 'string')
  );
}
