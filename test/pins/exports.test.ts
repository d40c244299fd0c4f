import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import * as toolfold from '../../src/index.js';

// The public surface. The default answer to a new line here is no.
it('exports these values', () => {
  expect(Object.keys(toolfold).toSorted()).toMatchInlineSnapshot(`
    [
      "BaseModel",
      "ConverterBase",
      "DefaultValidator",
      "ErrActionRequired",
      "ErrCancelled",
      "ErrDuplicateName",
      "ErrExternalRef",
      "ErrFieldConflict",
      "ErrFrozen",
      "ErrGroupCycle",
      "ErrInvalidBuilder",
      "ErrInvalidModel",
      "ErrInvalidResult",
      "ErrInvalidSchema",
      "ErrInvalidServer",
      "ErrInvalidTool",
      "ErrInvalidToolID",
      "ErrNextCalledTwice",
      "ErrOverloaded",
      "ErrTimeout",
      "ErrToolFailed",
      "ErrUnknownAction",
      "ErrUnknownTool",
      "ErrUnsupportedSchema",
      "ErrValidationFailed",
      "Group",
      "GroupConverterBase",
      "GroupItem",
      "GroupTreeConverter",
      "GroupedToolBuilder",
      "McpPromptConverter",
      "McpResourceConverter",
      "McpResourceTemplateConverter",
      "McpToolAnnotationsConverter",
      "McpToolConverter",
      "Prompt",
      "PromptArgument",
      "PromptConverterBase",
      "Resource",
      "ResourceConverterBase",
      "ResourceTemplate",
      "Tool",
      "ToolAnnotations",
      "ToolAnnotationsConverterBase",
      "ToolConverterBase",
      "ToolRegistry",
      "ToolfoldError",
      "error",
      "errorTable",
      "formatToolID",
      "fromMCPJSON",
      "normalizeTags",
      "parseToolID",
      "readSchema",
      "success",
      "toMCPJSON",
      "toonSuccess",
    ]
  `);
});

it('exports these types', () => {
  const index = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');
  const types = [...index.matchAll(/export type \{([^}]+)\}/g)].flatMap(
    ([, names = '']) => names.match(/\w+/g) ?? [],
  );
  expect(types.toSorted()).toMatchInlineSnapshot(`
    [
      "ActionGroup",
      "ActionMetadata",
      "Annotations",
      "Audience",
      "BaseModelInit",
      "CallToolResult",
      "Caller",
      "ChainFn",
      "CompilableTool",
      "CompiledForm",
      "ConcurrencyOptions",
      "ContentBlock",
      "DefaultValidatorOptions",
      "DescriptionGenerator",
      "DescriptionInput",
      "DetachFn",
      "ErrorCode",
      "ErrorOptions",
      "ErrorReport",
      "ExecuteRequest",
      "GroupChild",
      "GroupTree",
      "Handler",
      "Hints",
      "Icon",
      "InferInput",
      "JsonSchema",
      "JsonSchemaObject",
      "MaybeAsyncValidate",
      "McpItem",
      "McpPrompt",
      "McpPromptArgument",
      "McpResource",
      "McpResourceTemplate",
      "McpServerLike",
      "McpTool",
      "McpToolAnnotations",
      "McpToolConverterOptions",
      "Meta",
      "Middleware",
      "Nullish",
      "PromptArgumentInit",
      "PromptInit",
      "ProtocolVersion",
      "ReadSchema",
      "ReadSchemaOptions",
      "ReportProgress",
      "ResourceInit",
      "ResourceTemplateInit",
      "Role",
      "SameAs",
      "SchemaField",
      "SchemaGenerator",
      "SchemaInput",
      "SchemaIssue",
      "SchemaLimits",
      "SchemaSource",
      "SchemaValidator",
      "Strategies",
      "TagStrategy",
      "ToolAnnotationsInit",
      "ToolCall",
      "ToolContext",
      "ToolDefinition",
      "ToolExecution",
      "ToolID",
      "ToolInit",
      "ToolRegistryOptions",
      "TreeTool",
      "UnknownFields",
      "Validate",
      "ValidationResult",
      "View",
      "ViewPolicy",
    ]
  `);
});

it('exports nothing but names', () => {
  const index = readFileSync(new URL('../../src/index.ts', import.meta.url), 'utf8');
  expect(index).not.toMatch(/export \*|export default/);
});

it('has these entry points', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    exports: object;
  };
  expect(Object.keys(manifest.exports)).toEqual(['.', './package.json']);
});
