/** `toolfold/model`: the nouns of MCP (tools, prompts, resources, groups) and their converters to the wire. */
export { BaseModel, GroupItem } from './model/base.js';
export type { BaseModelInit, ParentGroup } from './model/base.js';
export type {
  McpPrompt,
  McpPromptArgument,
  McpResource,
  McpResourceTemplate,
  ProtocolVersion,
  Annotations,
  Role,
} from './protocol/mcp-types.js';
export type { Meta, Icon, McpItem, McpTool, McpToolAnnotations, ToolExecution } from '@toolfold/profiles';
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
  McpToolAnnotationsConverter,
  McpToolConverter,
  fromMCPJSON,
  toMCPJSON,
} from './model/converters/mcp-converters.js';
export type { McpToolConverterOptions } from './model/converters/mcp-converters.js';
export { Group } from './model/group.js';
export type { GroupChild } from './model/group.js';
export { Prompt, PromptArgument, Resource, ResourceTemplate } from './model/prompt-resource.js';
export type {
  PromptArgumentInit,
  PromptInit,
  ResourceInit,
  ResourceTemplateInit,
} from './model/prompt-resource.js';
export { normalizeTags, ToolAnnotations, Tool, formatToolID, parseToolID } from './model/tool.js';
export type { TagStrategy, ToolAnnotationsInit, ToolInit, ToolID } from './model/tool.js';
