import type { JsonSchemaObject } from '../values/json-schema.js';

/** The protocol revisions whose wire forms differ here. */
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

/** What every listed item has. */
export interface McpItem {
  /** What programs call it. */
  name: string;
  /** What people read in place of the name. */
  title?: string;
  /** What it is for. */
  description?: string;
  /** Pictures that a client may show. */
  icons?: Icon[];
  /** Facts for programs. */
  _meta?: Meta;
}

/** A tool's hints as MCP carries them. */
export interface McpToolAnnotations {
  /** What people read in place of the name. */
  title?: string;
  /** The tool does not change its environment. */
  readOnlyHint?: boolean;
  /** The tool may destroy something. */
  destructiveHint?: boolean;
  /** Repeating a call changes nothing more. */
  idempotentHint?: boolean;
  /** The tool reaches beyond a closed set of things. */
  openWorldHint?: boolean;
  /** Not MCP's; present only when asked for. */
  returnDirect?: boolean;
}

/** A tool as `tools/list` carries it. */
export interface McpTool extends McpItem {
  /** What its arguments are. */
  inputSchema: JsonSchemaObject & { type: 'object' };
  /** What its `structuredContent` is. */
  outputSchema?: JsonSchemaObject;
  /** What a call of it does to the world. */
  annotations?: McpToolAnnotations;
  /** 2025-11-25 only. */
  execution?: ToolExecution;
}

/** An argument of a prompt, as MCP writes it. */
export interface McpPromptArgument {
  /** What programs call it. */
  name: string;
  /** What people read in place of the name. */
  title?: string;
  /** What to fill in. */
  description?: string;
  /** Whether the prompt cannot be filled without it. */
  required?: boolean;
}

/** A prompt as `prompts/list` carries it. */
export interface McpPrompt extends McpItem {
  /** What can be filled in. */
  arguments?: McpPromptArgument[];
}

/** A resource as `resources/list` carries it. */
export interface McpResource extends McpItem {
  /** Where it is. */
  uri: string;
  /** The type of its contents. */
  mimeType?: string;
  /** In bytes, before any encoding. */
  size?: number;
  /** For whom it is, how much it matters, and when it changed. */
  annotations?: Annotations;
}

/** A template as `resources/templates/list` carries it. */
export interface McpResourceTemplate extends McpItem {
  /** The addresses of its resources, as RFC 6570 writes them. */
  uriTemplate: string;
  /** The type of the contents, where it is the same for all of its resources. */
  mimeType?: string;
  /** For whom they are, how much they matter, and when they changed. */
  annotations?: Annotations;
}

/** A picture a client may show beside an item. */
export interface Icon {
  /** An address of the picture: `https:` or `data:`. */
  src: string;
  /** The type of the picture, where its address does not tell. */
  mimeType?: string;
  /** Such as `48x48`, or `any` for a scalable picture. */
  sizes?: string[];
  /** The background that it was drawn for. Default: any. */
  theme?: 'light' | 'dark';
}

/** Data that MCP carries as `_meta`, kept key by key. */
export type Meta = Record<string, unknown>;

/** Who says something, or is meant by it. */
export type Role = 'user' | 'assistant';

/** Who content is for, how much it matters (0 to 1), and when it last changed (ISO 8601). */
export interface Annotations {
  /** For whom it is meant. */
  audience?: Role[];
  /** From 0, not needed, to 1, indispensable. */
  priority?: number;
  /** A point in time as ISO 8601 has it. */
  lastModified?: string;
}

/** How a tool may run, for clients of 2025-11-25. */
export interface ToolExecution {
  /** Whether calls are, may be or must be answered with a task. */
  taskSupport?: 'forbidden' | 'optional' | 'required';
}
