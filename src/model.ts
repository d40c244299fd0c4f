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
  ConverterBase,
} from './model/converters/converter-base.js';
export type { Nullish } from './model/converters/converter-base.js';
export { GroupTreeConverter } from './model/converters/group-tree.js';
export type { GroupTree, SameAs, TreeTool } from './model/converters/group-tree.js';
export {
  McpPromptConverter,
  McpResourceConverter,
  McpResourceTemplateConverter,
} from './model/converters/mcp-prompt-resource.js';
export {
  McpToolAnnotationsConverter,
  McpToolConverter,
  fromMCPJSON,
  toMCPJSON,
} from './model/converters/mcp-tool.js';
export type { McpToolConverterOptions } from './model/converters/mcp-tool.js';
export { GroupItem } from './model/group-item.js';
export type { ParentGroup } from './model/group-item.js';
export { Group } from './model/group.js';
export type { GroupChild } from './model/group.js';
export { Prompt, PromptArgument } from './model/prompt.js';
export type { PromptArgumentInit, PromptInit } from './model/prompt.js';
export { Resource, ResourceTemplate } from './model/resource.js';
export type { ResourceInit, ResourceTemplateInit } from './model/resource.js';
export { normalizeTags, ToolAnnotations, Tool, formatToolID, parseToolID } from './model/tool.js';
export type { TagStrategy, ToolAnnotationsInit, ToolInit, ToolID } from './model/tool.js';
