import type { JsonSchemaObject } from '../../schema/json-schema.js';
import type { Meta } from '../base-model.js';
import type { Icon } from '../icon.js';
import type { Annotations } from '../resource.js';
import type { ToolExecution } from '../tool.js';

/** The protocol revisions whose wire forms differ here. */
export type ProtocolVersion = '2025-11-25' | '2026-07-28';

/** What every listed item has. */
export interface McpItem {
  name: string;
  title?: string;
  description?: string;
  icons?: Icon[];
  _meta?: Meta;
}

/** A tool's hints as MCP carries them. */
export interface McpToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
  /** Not MCP's; present only when asked for. */
  returnDirect?: boolean;
}

/** A tool as `tools/list` carries it. */
export interface McpTool extends McpItem {
  inputSchema: JsonSchemaObject & { type: 'object' };
  outputSchema?: JsonSchemaObject;
  annotations?: McpToolAnnotations;
  /** 2025-11-25 only. */
  execution?: ToolExecution;
}

export interface McpPromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/** A prompt as `prompts/list` carries it. */
export interface McpPrompt extends McpItem {
  arguments?: McpPromptArgument[];
}

/** A resource as `resources/list` carries it. */
export interface McpResource extends McpItem {
  uri: string;
  mimeType?: string;
  size?: number;
  annotations?: Annotations;
}

/** A template as `resources/templates/list` carries it. */
export interface McpResourceTemplate extends McpItem {
  uriTemplate: string;
  mimeType?: string;
  annotations?: Annotations;
}
