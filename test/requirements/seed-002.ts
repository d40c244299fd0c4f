import type { Requirement } from '../requirements.js';

/** Seed 002: tool identity, tags, safe schemas. */
// Each entry has two or three lines, so that the table stays readable.
// oxfmt-ignore
export const seed002: readonly Requirement[] = [
  { id: 'S002-01', seed: '002', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour: 'A `Tool` has MCP\'s own fields under MCP\'s own JSON names, one to one.' },
  { id: 'S002-02', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour:
      'A `Tool` takes any value as `inputSchema` and `outputSchema`: building one validates no schema.' },
  { id: 'S002-03', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'Beside what MCP defines, a tool carries `namespace`, `version` and `tags`, and nothing else.' },
  { id: 'S002-04', seed: '002', tests: ['packages/toolfold/src/model/converters/mcp.test.ts', 'packages/toolfold/src/engine/identity.test.ts'],
    behaviour:
      'The wire form of a tool does not show `namespace`, `version` and `tags` unless an option ' +
      'includes them.' },
  { id: 'S002-05', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'The model reads no meaning into `namespace`, `version` and `tags`; layers above do.' },
  { id: 'S002-06', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts', 'packages/toolfold/src/engine/identity.test.ts'],
    behaviour: '`toolID()` is `namespace:name`, and only `name` without a namespace.' },
  { id: 'S002-07', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour:
      'A tool ID depends on namespace and name only, so that it stays the same across backends and ' +
      'versions.' },
  { id: 'S002-08', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: '`Tool.validate()` checks name and required fields only: a broken JSON Schema passes it.' },
  { id: 'S002-09', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'JSON Schema validation belongs to `SchemaValidator`; `Tool` does none.' },
  { id: 'S002-10', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour:
      'The default validator rejects an external `$ref` without any network access and with the same ' +
      'answer each time.' },
  { id: 'S002-11', seed: '002', tests: ['packages/schema/src/errors.test.ts'],
    behaviour:
      'Each kind of failure has its own error, which callers distinguish by class or `code`, never ' +
      'by text.' },
  { id: 'S002-12', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'An empty tool ID is `ErrInvalidToolID`.' },
  { id: 'S002-13', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'A tool ID with surplus `:` separators is `ErrInvalidToolID`.' },
  { id: 'S002-14', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'A tool ID with a missing part, before or after the `:`, is `ErrInvalidToolID`.' },
  { id: 'S002-15', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'A tool without name is `ErrInvalidTool`.' },
  { id: 'S002-16', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'A tool name with invalid characters is `ErrInvalidTool`.' },
  { id: 'S002-17', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: 'A tool without input schema is `ErrInvalidTool`.' },
  { id: 'S002-18', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'A schema that is not valid JSON Schema is `ErrInvalidSchema`.' },
  { id: 'S002-19', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'A schema that cannot be parsed is `ErrInvalidSchema`.' },
  { id: 'S002-20', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'A schema of another dialect than 2020-12 and draft-07 is `ErrUnsupportedSchema`.' },
  { id: 'S002-21', seed: '002', tests: ['packages/schema/src/read/dialects.test.ts'],
    behaviour: 'Schemas of 2020-12 and of draft-07 are accepted.' },
  { id: 'S002-22', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'An external `$ref` is `ErrExternalRef` by default.' },
  { id: 'S002-23', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: '`Tool.validate()` enforces the name format: 1 to 128 characters of `[A-Za-z0-9_.-]`.' },
  { id: 'S002-24', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: '`Tool.validate()` passes a tool that has a well-formed name and any input schema.' },
  { id: 'S002-25', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour:
      '`DefaultValidator.validateInput` fails with `ErrInvalidSchema` or `ErrUnsupportedSchema` when ' +
      'the input schema cannot be parsed or is of another dialect.' },
  { id: 'S002-26', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour:
      '`DefaultValidator.validateOutput` fails with `ErrInvalidSchema` or `ErrUnsupportedSchema` when ' +
      'the output schema cannot be parsed or is of another dialect.' },
  { id: 'S002-27', seed: '002', tests: ['packages/schema/src/validate/default-validator.test.ts'],
    behaviour: 'A tool may have no output schema; its output is then not validated.' },
  { id: 'S002-28', seed: '002', tests: ['packages/toolfold/src/registry/custom-validator.test.ts', 'packages/schema/src/read/read-schema.test.ts'],
    behaviour:
      'A custom `SchemaValidator` (other dialects, format checks, external references) can replace ' +
      'the default.' },
  { id: 'S002-29', seed: '002', tests: ['packages/toolfold/src/views/view-selection.test.ts'],
    behaviour: '`normalizeTags` can be replaced by another tag strategy.' },
  { id: 'S002-30', seed: '002', tests: ['packages/toolfold/src/model/converters/mcp.test.ts', 'packages/toolfold/src/compile/from-model.test.ts'],
    behaviour:
      '`fromMCPJSON` reads MCP tool JSON into a `Tool` that can be given namespace and tags afterwards.' },
  { id: 'S002-31', seed: '002', tests: ['test/docs.test.ts'],
    behaviour:
      'The advice to keep `namespace` stable while backend endpoints change is in `docs/reference`.' },
  { id: 'S002-32', seed: '002', tests: ['test/docs.test.ts'],
    behaviour: 'The advice to use short, searchable tags is in `docs/reference`.' },
  { id: 'S002-33', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: '`normalizeTags` keeps at most 20 tags.' },
  { id: 'S002-34', seed: '002', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour: '`normalizeTags` keeps at most 64 characters of each tag.' },
  { id: 'S002-35', seed: '002', tests: ['test/docs.test.ts'],
    behaviour:
      'The advice to write JSON Schema 2020-12 with explicit `type` and `required` is in ' +
      '`docs/reference`.' },
];
