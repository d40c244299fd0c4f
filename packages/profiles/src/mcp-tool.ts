import type { JsonSchemaObject } from '@toolfold/schema';

/** Fields of every tool, prompt and resource in a list. */
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

/** MCP's hints about a tool, as sent to clients. */
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
  /** The result goes to the user unchanged. An extension of Toolfold, which is sent only on request. */
  returnDirect?: boolean;
}

/** A tool in the result of `tools/list`. */
export interface McpTool extends McpItem {
  /** JSON Schema of the arguments. */
  inputSchema: JsonSchemaObject & { type: 'object' };
  /** JSON Schema of `structuredContent`. */
  outputSchema?: JsonSchemaObject;
  /** Hints about the effects of a call. */
  annotations?: McpToolAnnotations;
  /** Whether calls can run as tasks. Sent to 2025-11-25 clients only. */
  execution?: ToolExecution;
}

/** A picture that a client may show beside an item. */
export interface Icon {
  /** URL of the picture: `https:` or `data:`. */
  src: string;
  /** MIME type of the picture, if its URL does not tell. */
  mimeType?: string;
  /** Sizes of the picture, such as `48x48`, or `any` for a scalable one. */
  sizes?: string[];
  /** The background for which the picture was drawn. Default: any. */
  theme?: 'light' | 'dark';
}

/** Data for programs in the `_meta` field of an MCP object. */
export type Meta = Record<string, unknown>;

/** How a tool may run. Only 2025-11-25 clients read it. */
export interface ToolExecution {
  /** Whether a call must not, may or must run as a task. */
  taskSupport?: 'forbidden' | 'optional' | 'required';
}
