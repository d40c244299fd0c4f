/** The evidence of a rule, and its lowering in words. */
export interface RuleSource {
  /** What clients do with a tool that breaks the rule. */
  readonly reason: string;
  /** Issue, pull request or page that shows the restriction. */
  readonly source: string;
  /** Month in which the restriction was observed. */
  readonly date: string;
  /** How `lowerTool` rewrites a tool that breaks the rule. */
  readonly lowering: string;
}

/** Sources of all rules by id, in the order of the reference. The checks are in other files, so that servers do not load this text. */
export const ruleSources: Readonly<Record<string, RuleSource>> = {
  'name-pattern': {
    reason: 'A name with other characters than letters, digits, "_" and "-" is rejected, dots included.',
    source: 'loomle#168, orchard-mcp#14, meho#2745',
    date: '2026-08',
    lowering: 'Other characters become "_". Names that become equal get a suffix.',
  },
  'name-start': {
    reason: 'A name must start with a letter or "_" and contain letters, digits, "_", "." and "-" only.',
    source: 'mcp-router#177, KiCAD-MCP-Server#7',
    date: '2026-02',
    lowering: 'The name gets the prefix "_".',
  },
  'name-length': {
    reason: 'A name of more than 64 characters is rejected.',
    source: 'tableau-mcp#494, codex#1289, vscode#243602',
    date: '2026-07',
    lowering: 'The name is cut and ends with a hash of the whole name.',
  },
  'prefixed-name-length-59': {
    reason:
      'The name of the server and the name of the tool must have fewer than 60 characters together; other tools are dropped.',
    source: 'composio#2788',
    date: '2026-02',
    lowering: 'The name is cut and ends with a hash of the whole name.',
  },
  'prefixed-name-length-64': {
    reason: 'The name of the server and the name of the tool must have at most 64 characters together.',
    source: 'microsoft/mcp#842, tableau-mcp#494, codex#46188',
    date: '2026-09',
    lowering: 'The name is cut and ends with a hash of the whole name.',
  },
  'description-length-1024': {
    reason: 'A tool with a description of more than 1,024 characters is rejected.',
    source: 'sentry-mcp#106',
    date: '2025-04',
    lowering:
      'Lines about actions get shorter; warnings and required fields stay longest, and the rest moves to the argument that names the action. Other texts lose sentences from the end.',
  },
  'description-length-2048': {
    reason: 'Claude Code cuts descriptions at 2,048 characters.',
    source: 'Claude Code docs, as quoted by users',
    date: '2026-10',
    lowering:
      'Lines about actions get shorter; warnings and required fields stay longest, and the rest moves to the argument that names the action. Other texts lose sentences from the end.',
  },
  'at-most-128-tools': {
    reason: 'More than 128 tools are rejected.',
    source: 'vscode#294055',
    date: '2026-11',
    lowering: 'None. Use the grouped or the search form.',
  },
  'at-most-40-tools': {
    reason: 'Only the first 40 tools of all servers are offered to the model; later versions allow 80.',
    source: 'composio#2788, fetcher-mcp#7',
    date: '2026-02',
    lowering: 'None. Use the grouped or the search form.',
  },
  'root-object': {
    reason:
      'The root of an input must have `type: "object"`; the official client rejects the whole list otherwise.',
    source: 'MCP 2025-11-25 and 2026-07-28',
    date: '2026-07',
    lowering: 'The root becomes an object with the fields that it accepts.',
  },
  'no-root-composition': {
    reason: '`oneOf`, `anyOf`, `allOf`, `not` and `enum` at the root fail the whole request.',
    source: 'notion-mcp-server#340, claude-code#5973, flywheel_connectors#49',
    date: '2026-05',
    lowering: 'One object with the fields of all branches. The description says which belong together.',
  },
  'property-key': {
    reason:
      'One key outside ^[a-zA-Z0-9_.-]{1,64}$ fails the whole request. Cursor, VS Code and Bedrock offer Claude models too.',
    source: 'claude-code#79418, studio#6874, composio#3500',
    date: '2026-07',
    lowering: 'The key is renamed, its description names the original, and arguments are mapped back.',
  },
  'no-ref': {
    reason: '`$ref` and `$defs` are rejected, or the client reads them as text or drops them.',
    source: 'gemini-cli#13326, fastmcp#2808, codex#22166',
    date: '2026-05',
    lowering: 'References are inlined. Recursion ends after two levels, and deeper values are JSON text.',
  },
  'array-items': {
    reason: 'An array without `items` is rejected.',
    source: 'vscode#284536, n8n-workflow-builder#26, hermes-agent#24158',
    date: '2026-05',
    lowering: '`items: {}` where untyped schemas are accepted, otherwise items as text that may be JSON.',
  },
  'object-properties': {
    reason: 'An object without `properties` is rejected, also that of a tool without arguments.',
    source: 'codex#13768, iwdp-mcp#3',
    date: '2026-05',
    lowering: '`properties: {}` is added.',
  },
  'properties-not-empty': {
    reason: 'A nested object with empty `properties` is rejected.',
    source: 'browser-use#3786',
    date: '2025-12',
    lowering: 'The value is JSON text.',
  },
  'required-defined': {
    reason: 'Every name in `required` must be a property.',
    source: 'kilocode#11950',
    date: '2026-11',
    lowering: 'A property is added.',
  },
  'typed-schemas': {
    reason: 'A schema without `type` is rejected, unless it is an `anyOf`.',
    source: 'opencode#14234, opencode#13148, gemini-cli#5694',
    date: '2026-02',
    lowering: 'The value is text that may be JSON.',
  },
  'no-type-list': {
    reason: 'A list of types is rejected; Cursor rejects valid calls because of it.',
    source: 'LibreChat#13850, opencode#43495, cursor#3778',
    date: '2026-09',
    lowering: '`anyOf` with one type each, or `nullable` for Gemini.',
  },
  'no-any-of-in-items': {
    reason: '`anyOf` in `items` is rejected.',
    source: 'mcp-server-excel#672',
    date: '2026-11',
    lowering: 'Alternatives become one object with all fields, or text that may be JSON.',
  },
  'any-of-as-text': {
    reason: 'Codex shows a union to the model as text. It accepts the tool, so nothing is reported.',
    source: 'codex#13768',
    date: '2026-03',
    lowering: 'The schema stays. JSON text is read as the value where the union accepts no text.',
  },
  'any-of-alone': {
    reason: 'Vertex rejects keywords beside `anyOf`, descriptions included.',
    source: 'ai-memory#450, langchain-google#1216, litellm#11164',
    date: '2026-08',
    lowering: 'The description moves into the first alternative.',
  },
  'object-keywords': {
    reason: '`properties` and `required` are accepted for type "object" only.',
    source: 'opencode#11888',
    date: '2026-02',
    lowering: 'They move to the alternative that is an object.',
  },
  'bounded-schema': {
    reason: 'A schema of more than 24 levels is rejected or cut.',
    source: 'Limits of Toolfold, so that lowering ends soon',
    date: '2026-11',
    lowering: 'Deeper values are JSON text.',
  },
  'no-one-of': {
    reason: '`oneOf` and `allOf` are rejected.',
    source: 'code-assistant#181, pizza-bot#62',
    date: '2026-09',
    lowering: '`oneOf` becomes `anyOf`; the schemas of `allOf` are merged.',
  },
  'no-conditions': {
    reason: 'Conditional keywords are rejected.',
    source: 'LibreChat#13850, OpenAI guide to structured outputs',
    date: '2026-06',
    lowering:
      'The condition is left out; validation still applies it. Dependencies move into the description.',
  },
  'no-exclusive-bounds': {
    reason: '`exclusiveMinimum` and `exclusiveMaximum` are rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering:
      '`minimum` and `maximum`, one higher or lower for integers; the description says "Greater than 0." for others.',
  },
  'no-const': {
    reason: '`const` is rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: '`enum` with one value.',
  },
  'string-enums': {
    reason: '`enum` is accepted for texts only, and they must not be empty.',
    source: '9router#380, mcp-server-excel#607',
    date: '2026-04',
    lowering: 'The values move into the description.',
  },
  'no-multiple-of': {
    reason: '`multipleOf` is rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: '"A multiple of 5." in the description.',
  },
  'no-unique-items': {
    reason: '`uniqueItems` is rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: '"No duplicates." in the description.',
  },
  'no-tuples': {
    reason: '`prefixItems`, and `items` as a list, are rejected, or the array counts as one without `items`.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: '`items` that accepts each of them; the description lists them in order.',
  },
  'no-contains': {
    reason: '`contains` and the `unevaluated` keywords are rejected.',
    source: 'code-assistant#181, OpenAI guide to structured outputs',
    date: '2026-08',
    lowering: 'They are left out; validation still applies them.',
  },
  'no-pattern-properties': {
    reason: '`patternProperties` and `propertyNames` are rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: 'Such fields count as additional fields; the description gives the pattern.',
  },
  'no-additional-properties': {
    reason: '`additionalProperties` is rejected, also as `true` or `false`.',
    source: 'code-assistant#181, LibreChat#13850',
    date: '2026-08',
    lowering: 'It is left out; validation still rejects unknown fields. Maps are JSON text.',
  },
  'known-formats': {
    reason: 'Other formats than `date-time`, `enum`, `float`, `double`, `int32` and `int64` are rejected.',
    source: 'langchain-mcp-tools-ts#36, collmbo#195',
    date: '2025-06',
    lowering: '"Format: email." in the description.',
  },
  'no-examples': {
    reason: '`examples` is rejected.',
    source: 'LibreChat#13850 (probed against both APIs)',
    date: '2026-06',
    lowering: '"Example: …" in the description.',
  },
  'known-keywords': {
    reason:
      'Any other keyword is rejected, such as `$schema`, `$comment`, `deprecated` and keys that begin with `x-`.',
    source: 'LibreChat#13850, freellmapi#65, freellmapi#417',
    date: '2026-06',
    lowering: 'It is left out.',
  },
  'strict-closed': {
    reason: 'Every object must have `additionalProperties: false`.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering:
      'Open objects get the property `additional_fields`, JSON text with the fields that have no property.',
  },
  'strict-required': {
    reason: 'Every property must be required.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering:
      'Optional properties become nullable, and null leaves them out. The text "null" is null where the author accepts null too.',
  },
  'strict-typed': {
    reason: 'A schema without `type` is rejected, unless it is an `anyOf`.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering: 'The value is text that may be JSON.',
  },
  'strict-no-default': {
    reason: '`default` is rejected.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering: '"Default: 10." in the description.',
  },
  'strict-formats': {
    reason:
      'Only the formats date-time, time, date, duration, email, hostname, ipv4, ipv6 and uuid are accepted.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering: '"Format: uri." in the description.',
  },
  'strict-keywords': {
    reason: '`minLength`, `maxLength`, `uniqueItems`, `minProperties` and `maxProperties` are rejected.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering: 'They move into the description.',
  },
  'strict-depth': {
    reason: 'More than 5 levels of nesting are rejected.',
    source: 'ellmer#671, mcpconform 0.2.1',
    date: '2026-06',
    lowering: 'Deeper values are JSON text.',
  },
  'strict-properties': {
    reason: 'More than 100 properties in the whole schema are rejected.',
    source: 'OpenAI guide to structured outputs, mcpconform 0.2.1',
    date: '2026-06',
    lowering:
      'The innermost objects become JSON text; then properties beyond 100 move to `additional_fields`.',
  },
};
