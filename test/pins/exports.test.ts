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
      "ErrDuplicateName",
      "ErrExternalRef",
      "ErrGroupCycle",
      "ErrInvalidModel",
      "ErrInvalidSchema",
      "ErrInvalidTool",
      "ErrInvalidToolID",
      "ErrUnsupportedSchema",
      "Group",
      "GroupConverterBase",
      "GroupItem",
      "GroupTreeConverter",
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
      "ToolfoldError",
      "errorTable",
      "formatToolID",
      "fromMCPJSON",
      "normalizeTags",
      "parseToolID",
      "readSchema",
      "toMCPJSON",
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
      "Annotations",
      "Audience",
      "BaseModelInit",
      "DefaultValidatorOptions",
      "ErrorCode",
      "ErrorOptions",
      "GroupChild",
      "GroupTree",
      "Icon",
      "JsonSchema",
      "JsonSchemaObject",
      "MaybeAsyncValidate",
      "McpItem",
      "McpPrompt",
      "McpPromptArgument",
      "McpResource",
      "McpResourceTemplate",
      "McpTool",
      "McpToolAnnotations",
      "McpToolConverterOptions",
      "Meta",
      "Nullish",
      "PromptArgumentInit",
      "PromptInit",
      "ProtocolVersion",
      "ReadSchema",
      "ReadSchemaOptions",
      "ResourceInit",
      "ResourceTemplateInit",
      "Role",
      "SameAs",
      "SchemaField",
      "SchemaIssue",
      "SchemaLimits",
      "SchemaSource",
      "SchemaValidator",
      "TagStrategy",
      "ToolAnnotationsInit",
      "ToolExecution",
      "ToolID",
      "ToolInit",
      "TreeTool",
      "Validate",
      "ValidationResult",
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
