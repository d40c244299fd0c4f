import type { JsonSchemaObject } from '../values/json-schema.js';

/** The protocol revisions whose wire forms differ here. */
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

/** The first stateless revision of MCP. Earlier revisions have sessions. */
export const MODERN = '2026-07-28';

export function isModern(protocolVersion: string | undefined): boolean {
  return protocolVersion !== undefined && protocolVersion >= MODERN;
}

/** Fields of every listed item. */
export interface McpItem {
  /** Name for programs. */
  name: string;
  /** Name for people. */
  title?: string;
  /** Purpose of the item, for models and people. */
  description?: string;
  /** Pictures that a client may show. */
  icons?: Icon[];
  /** Data for programs. */
  _meta?: Meta;
}

/** The annotations of a tool. */
export interface McpToolAnnotations {
  /** Name for people. */
  title?: string;
  /** The tool does not change its environment. */
  readOnlyHint?: boolean;
  /** The tool may destroy something. */
  destructiveHint?: boolean;
  /** Repeating a call with the same arguments has no further effect. */
  idempotentHint?: boolean;
  /** The tool interacts with an open world, such as the web. */
  openWorldHint?: boolean;
  /** An extension of Toolfold. It is listed only on request. */
  returnDirect?: boolean;
}

/** A tool as `tools/list` carries it. */
export interface McpTool extends McpItem {
  /** JSON Schema of the arguments. */
  inputSchema: JsonSchemaObject & { type: 'object' };
  /** JSON Schema of `structuredContent`. */
  outputSchema?: JsonSchemaObject;
  /** Hints about the effects of a call. */
  annotations?: McpToolAnnotations;
  /** 2025-11-25 only. */
  execution?: ToolExecution;
}

/** An argument of a prompt, as MCP writes it. */
export interface McpPromptArgument {
  /** Name for programs. */
  name: string;
  /** Name for people. */
  title?: string;
  /** Description of the value. */
  description?: string;
  /** Whether the argument is required. */
  required?: boolean;
}

/** A prompt as `prompts/list` carries it. */
export interface McpPrompt extends McpItem {
  /** Arguments of the prompt. */
  arguments?: McpPromptArgument[];
}

/** A resource as `resources/list` carries it. */
export interface McpResource extends McpItem {
  /** URI of the resource. */
  uri: string;
  /** The type of its contents. */
  mimeType?: string;
  /** Size in bytes, before any encoding. */
  size?: number;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations;
}

/** A template as `resources/templates/list` carries it. */
export interface McpResourceTemplate extends McpItem {
  /** The addresses of its resources, as RFC 6570 writes them. */
  uriTemplate: string;
  /** The type of the contents, where it is the same for all of its resources. */
  mimeType?: string;
  /** Audience, priority and time of the last change. */
  annotations?: Annotations;
}

/** A picture a client may show beside an item. */
export interface Icon {
  /** An address of the picture: `https:` or `data:`. */
  src: string;
  /** The type of the picture, where its address does not tell. */
  mimeType?: string;
  /** Sizes of the icon, such as `48x48`, or `any` for a scalable picture. */
  sizes?: string[];
  /** The background that it was drawn for. Default: any. */
  theme?: 'light' | 'dark';
}

/** Data that MCP carries as `_meta`, kept key by key. */
export type Meta = Record<string, unknown>;

/** The speaker of a message, or the audience of content. */
export type Role = 'user' | 'assistant';

/** Audience, priority and time of the last change of content. */
export interface Annotations {
  /** Intended audience. */
  audience?: Role[];
  /** From 0, not needed, to 1, indispensable. */
  priority?: number;
  /** Time of the last change, in ISO 8601. */
  lastModified?: string;
}

/** How a tool may run, for 2025-11-25 clients. */
export interface ToolExecution {
  /** Whether calls are, may be or must be answered with a task. */
  taskSupport?: 'forbidden' | 'optional' | 'required';
}

/** MCP's levels of log messages, from the least to the most severe. */
export type LoggingLevel =
  | 'debug'
  | 'info'
  | 'notice'
  | 'warning'
  | 'error'
  | 'critical'
  | 'alert'
  | 'emergency';

const levels: readonly LoggingLevel[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

export function isLoggingLevel(value: unknown): value is LoggingLevel {
  return (levels as readonly unknown[]).includes(value);
}

/** Whether a client with this threshold gets messages of `level`. A client without a threshold gets all messages. */
export function isLogged(level: LoggingLevel, threshold: LoggingLevel | undefined): boolean {
  return threshold === undefined || levels.indexOf(level) >= levels.indexOf(threshold);
}
