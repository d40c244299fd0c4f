/** `toolfold/model`: the nouns of MCP (tools, prompts, resources, groups) and their converters to the wire. */
export { BaseModel } from './model/base-model.js';
export type { BaseModelInit } from './model/base-model.js';
export type {
  Meta,
  Icon,
  McpItem,
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
  McpTool,
  McpToolAnnotations,
  ProtocolVersion,
  Annotations,
  Role,
  ToolExecution,
} from './protocol/mcp-types.js';
export {
  GroupConverterBase,
  PromptConverterBase,
  ResourceConverterBase,
  ToolAnnotationsConverterBase,
  ToolConverterBase,
} from './model/converters/bases.js';
export { ConverterBase } from './model/converters/converter-base.js';
export type { Nullish } from './model/converters/converter-base.js';
export { GroupTreeConverter } from './model/converters/group-tree.js';
export type { GroupTree, SameAs, TreeTool } from './model/converters/group-tree.js';
export { McpPromptConverter } from './model/converters/mcp-prompt.js';
export { McpResourceConverter, McpResourceTemplateConverter } from './model/converters/mcp-resource.js';
export {
  McpToolAnnotationsConverter,
  McpToolConverter,
  fromMCPJSON,
  toMCPJSON,
} from './model/converters/mcp-tool.js';
export type { McpToolConverterOptions } from './model/converters/mcp-tool.js';
export { GroupItem } from './model/group-item.js';
export { Group } from './model/group.js';
export type { GroupChild } from './model/links.js';
export { Prompt, PromptArgument } from './model/prompt.js';
export type { PromptArgumentInit, PromptInit } from './model/prompt.js';
export { Resource, ResourceTemplate } from './model/resource.js';
export type { ResourceInit, ResourceTemplateInit } from './model/resource.js';
export { normalizeTags } from './model/tags.js';
export type { TagStrategy } from './model/tags.js';
export { ToolAnnotations } from './model/tool-annotations.js';
export type { ToolAnnotationsInit } from './model/tool-annotations.js';
export { formatToolID, parseToolID } from './model/tool-id.js';
export type { ToolID } from './model/tool-id.js';
export { Tool } from './model/tool.js';
export type { ToolInit } from './model/tool.js';
