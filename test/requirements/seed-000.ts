import type { Requirement } from '../requirements.js';

/** Seed 000: domain model and build-time engine. */
// Each entry has two or three lines, so that the table stays readable.
// oxfmt-ignore
export const seed000: readonly Requirement[] = [
  { id: 'S000-01', seed: '000', tests: ['test/pins/imports.test.ts'],
    behaviour: 'The domain model works on its own: it loads no module of the build-time engine.' },
  { id: 'S000-02', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts', 'packages/toolfold/src/views/view-tree.test.ts'],
    behaviour: 'Tools, prompts and resources can all be placed in one hierarchy of groups.' },
  { id: 'S000-03', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `BaseModel` carries name, title, description, meta, icons and a fully qualified name.' },
  { id: 'S000-04', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: '`Group`, `GroupItem` and `PromptArgument` are kinds of `BaseModel`.' },
  { id: 'S000-05', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: '`Tool`, `Prompt` and `Resource` are kinds of `GroupItem`.' },
  { id: 'S000-06', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour:
      'A `Group` knows its parent and lists `childGroups`, `childTools`, `childPrompts` and ' +
      '`childResources`.' },
  { id: 'S000-07', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `GroupItem` lists the groups that hold it as `parentGroups`.' },
  { id: 'S000-08', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `GroupItem` finds the roots above it by walking up from its parent groups.' },
  { id: 'S000-09', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts', 'packages/toolfold/src/compile/from-model.test.ts'],
    behaviour: 'A `Tool` holds `inputSchema`, `outputSchema` and `ToolAnnotations`.' },
  { id: 'S000-10', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `Prompt` holds its `PromptArgument`s as a list.' },
  { id: 'S000-11', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `Resource` holds `uri`, `size`, `mimeType` and `Annotations`.' },
  { id: 'S000-12', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'The `Annotations` of a resource hold `audience`, `priority` and `lastModified`.' },
  { id: 'S000-13', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'A `PromptArgument` has a flag for whether it is required.' },
  { id: 'S000-14', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts', 'packages/toolfold/src/views/view-tree.test.ts'],
    behaviour:
      'One `Tool` can be in several groups at the same time, and its `parentGroups` name every one of ' +
      'them.' },
  { id: 'S000-15', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'One `Prompt` or one `Resource` can be in several groups at the same time, as a `Tool` can.' },
  { id: 'S000-16', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour:
      'A `search` tool put into `user-facing` and into `admin` is the same object among the ' +
      '`childTools` of both.' },
  { id: 'S000-17', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts', 'packages/toolfold/src/views/view-tree.test.ts'],
    behaviour:
      '`Group.getFullyQualifiedName()` walks up recursively: three nested groups give ' +
      '`platform.users.management`.' },
  { id: 'S000-18', seed: '000', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour: 'The separator of fully qualified names is `.` unless another one is set.' },
  { id: 'S000-19', seed: '000', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour:
      '`ConverterBase<TSource, TTarget>` converts batches in both directions and omits values ' +
      'that convert to null.' },
  { id: 'S000-20', seed: '000', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour:
      '`ToolConverterBase`, `GroupConverterBase`, `PromptConverterBase`, `ResourceConverterBase` and ' +
      '`ToolAnnotationsConverterBase` extend `ConverterBase`, so that every primitive is adapted in the ' +
      'same way.' },
  { id: 'S000-21', seed: '000', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour:
      'Each of the five converter bases adds typed aliases that give what the generic methods give.' },
  { id: 'S000-22', seed: '000', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour: 'Batch logic is written once: none of the five converter bases has its own batch loop.' },
  { id: 'S000-23', seed: '000', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour:
      '`ToolAnnotations` holds `readOnlyHint`, `destructiveHint`, `idempotentHint`, `openWorldHint`, ' +
      '`returnDirect` and `title`.' },
  { id: 'S000-24', seed: '000', tests: ['packages/toolfold/src/model/tool.test.ts'],
    behaviour:
      'Every annotation that MCP defines for tools is a field of the same name in `ToolAnnotations`.' },
  { id: 'S000-25', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts'],
    behaviour:
      'The record of `AnnotationAggregator` fits `ToolAnnotations` field by field, without renaming.' },
  { id: 'S000-26', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: '`GroupedToolBuilder` turns any number of actions into one MCP tool definition.' },
  { id: 'S000-27', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'Description, merged schema, aggregated annotations and middleware chains are computed once, at ' +
      'build time, for any number of calls.' },
  { id: 'S000-28', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      '`execute()` finds its action in constant time and calls a function that was compiled beforehand.' },
  { id: 'S000-29', seed: '000', tests: [], supersededBy: 'S001-06',
    behaviour: 'The builder orchestrates six strategy modules.' },
  { id: 'S000-30', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'The builder registers actions either flat or in groups.' },
  { id: 'S000-31', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'The builder builds its tool definition once and hands out the cached one from then on.' },
  { id: 'S000-32', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'The builder validates the arguments of a call and routes it to the handler of its action.' },
  { id: 'S000-33', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'The builder answers questions about its names, tags and actions without running any of them.' },
  { id: 'S000-34', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: 'A `ToolRegistry` holds several `GroupedToolBuilder` instances side by side.' },
  { id: 'S000-35', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: 'A `ToolRegistry` routes each call to the builder that the call names.' },
  { id: 'S000-36', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: 'Tools can be filtered to those that carry given tags.' },
  { id: 'S000-37', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: 'Tools that carry given tags can be filtered out.' },
  { id: 'S000-38', seed: '000', tests: ['test/wire/attach.test.ts'],
    behaviour: 'A `ToolRegistry` attaches to an MCP SDK server that it recognises by shape, not by class.' },
  { id: 'S000-39', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour: 'No strategy keeps state between two calls of it.' },
  { id: 'S000-40', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour: 'Each strategy runs on a hand-made array of actions, with neither builder nor registry.' },
  { id: 'S000-41', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour:
      'Another description format takes one replaced function; all other strategies stay unchanged.' },
  { id: 'S000-42', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour: 'No strategy changes its inputs or what another strategy sees.' },
  { id: 'S000-43', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour: 'A strategy called twice with equal inputs returns equal outputs.' },
  { id: 'S000-44', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts'],
    behaviour:
      '`SchemaGenerator` takes actions, discriminator name, `hasGroup` flag and `commonSchema`, and ' +
      'returns a JSON Schema `inputSchema`.' },
  { id: 'S000-45', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: 'The discriminator is an enum field that holds all action keys.' },
  { id: 'S000-46', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts'],
    behaviour: 'A field of `commonSchema` counts as used by every action key in the `fieldActions` map.' },
  { id: 'S000-47', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts'],
    behaviour: 'For each field of an action schema, `fieldActions` tells which actions use it.' },
  { id: 'S000-48', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts'],
    behaviour:
      'Of several declarations of one field the first supplies its definition, description and place; ' +
      'shapes that do not fit it are kept beside it.' },
  { id: 'S000-49', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: 'A required field of `commonSchema` is marked `(always required)`.' },
  { id: 'S000-50', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'A field required in every action that uses it is marked in the form `Required for: create, ' +
      'update`.' },
  { id: 'S000-51', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'A field required in some actions and optional in others is marked in the form `Required for: ' +
      'create. For: update`.' },
  { id: 'S000-52', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: 'A field optional in all actions that use it is marked in the form `For: list, search`.' },
  { id: 'S000-53', seed: '000', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'The mark is appended to the description that the author gave the field, in the input schema ' +
      'itself.' },
  { id: 'S000-54', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      '`DescriptionGenerator` takes actions, tool name, description and `hasGroup` flag, and returns ' +
      'text of several lines.' },
  { id: 'S000-55', seed: '000', tests: ['packages/toolfold/src/compile/strategies.test.ts', 'test/wire/listed-descriptions.test.ts'],
    behaviour:
      'The model reads three layers: the summary, the workflow lines, and the marks on the fields of ' +
      'the input schema.' },
  { id: 'S000-56', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour: 'The summary is the description of the tool followed by the list of its actions.' },
  { id: 'S000-57', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour:
      'The summary of a grouped tool lists `Modules: users (list,create,ban) | billing ' +
      '(invoices,refund)`.' },
  { id: 'S000-58', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour: 'The summary of a flat tool lists `Actions: list, create, delete`.' },
  { id: 'S000-59', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts', 'test/wire/listed-descriptions.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'The workflow has a line per action with its description, its required fields and a warning where ' +
      'it destroys.' },
  { id: 'S000-60', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour: 'An action without description, required fields and destructive flag has no workflow line.' },
  { id: 'S000-61', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour:
      '`getGroupSummaries()` collects the actions by `groupName` into the compact list of modules.' },
  { id: 'S000-62', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'The workflow line of a destructive action ends in `⚠️ DESTRUCTIVE`, and no other line does.' },
  { id: 'S000-63', seed: '000', tests: ['packages/toolfold/src/compile/toon-description-generator.test.ts'],
    behaviour:
      '`ToonDescriptionGenerator` takes what `DescriptionGenerator` takes and returns a readable ' +
      'summary line followed by a TOON table.' },
  { id: 'S000-64', seed: '000', tests: ['packages/toolfold/src/compile/toon-description-generator.test.ts'],
    behaviour:
      'For a flat tool the TOON part is an array of `ActionRow`: action, desc, required, destructive.' },
  { id: 'S000-65', seed: '000', tests: ['packages/toolfold/src/compile/toon-description-generator.test.ts'],
    behaviour: 'For a grouped tool the TOON part is a record from group name to `ActionRow[]`.' },
  { id: 'S000-66', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts'],
    behaviour:
      '`AnnotationAggregator` takes the actions and explicit annotations, if any, and returns one ' +
      'aggregated record.' },
  { id: 'S000-67', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: '`destructiveHint` is true as soon as one action is destructive.' },
  { id: 'S000-68', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: '`readOnlyHint` is true only when all actions are read-only.' },
  { id: 'S000-69', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: '`idempotentHint` is true only when all actions are idempotent.' },
  { id: 'S000-70', seed: '000', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts'],
    behaviour:
      'Explicit annotations override the actions; aggregation fills only missing ones.' },
  { id: 'S000-71', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour:
      '`MiddlewareCompiler` takes actions and global middleware and returns a `Map<string, ChainFn>` ' +
      'with an entry per action key.' },
  { id: 'S000-72', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour: 'The handler is the innermost function of its chain.' },
  { id: 'S000-73', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour: 'Group and action middleware wrap the handler right to left, inside all global middleware.' },
  { id: 'S000-74', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour: 'Global middleware wraps right to left, outside of everything else.' },
  { id: 'S000-75', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour: 'The order of a call is global 1, global 2, group, handler.' },
  { id: 'S000-76', seed: '000', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour:
      'Each wrapper holds its `nextFn`: a chain is one function, and calling it builds and iterates ' +
      'nothing.' },
  { id: 'S000-77', seed: '000', tests: ['packages/schema/src/read/read-schema.test.ts'],
    behaviour: '`SchemaUtils` gives the names of the required fields of an action.' },
  { id: 'S000-78', seed: '000', tests: ['packages/schema/src/read/read-schema.test.ts'],
    behaviour:
      'A field is required unless it may be left out: optional fields and fields with a default are not ' +
      'in the list.' },
  { id: 'S000-79', seed: '000', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour: 'The workflow lines take their required fields from `SchemaUtils`.' },
  { id: 'S000-80', seed: '000', tests: ['packages/toolfold/src/compile/toon-description-generator.test.ts'],
    behaviour: 'The `required` column of the TOON table comes from `SchemaUtils`.' },
  { id: 'S000-81', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: '`getActionMetadata()` reports the required fields that `SchemaUtils` finds.' },
  { id: 'S000-82', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: '`routeCall()` finds the tool of a `tools/call` by its name in a `Map`.' },
  { id: 'S000-83', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'The first `execute()` builds by itself: `buildToolDefinition()` need not be called before.' },
  { id: 'S000-84', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'The discriminator field of the arguments (`action` by default) selects the action, ' +
      '`users.create` for example.' },
  { id: 'S000-85', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'Arguments without discriminator give the error `action is required. Available: …` with all ' +
      'action keys.' },
  { id: 'S000-86', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'A discriminator that matches no key gives the error `Unknown action. Available: …` with all ' +
      'action keys.' },
  { id: 'S000-87', seed: '000', tests: [], supersededBy: 'S001-21',
    behaviour: 'Arguments are validated against common and action schema with unknown fields stripped.' },
  { id: 'S000-88', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: 'The discriminator is taken out before validation.' },
  { id: 'S000-89', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'Arguments that fail give the error `Validation failed: path: message; …` with every failing ' +
      'path.' },
  { id: 'S000-90', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: 'The handler gets the parsed data of the validator, not the raw arguments.' },
  { id: 'S000-91', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour:
      'The compiled chain of an action is found with one `Map.get()` of its key, and nothing is ' +
      'assembled.' },
  { id: 'S000-92', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: 'A call runs global middleware, then group middleware, then the handler.' },
  { id: 'S000-93', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'An error thrown in the chain is answered as `[platform/users.create] message`: tool name, slash, ' +
      'action key.' },
  { id: 'S000-94', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'After validation the discriminator is there again for the framework, and the handler does not ' +
      'find it in its input.' },
  { id: 'S000-95', seed: '000', tests: [], supersededBy: 'S001-21',
    behaviour: 'Unknown fields are removed silently.' },
  { id: 'S000-96', seed: '000', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: 'No field that the schemas do not declare reaches a handler, for any arguments of the caller.' },
  { id: 'S000-97', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: '`buildToolDefinition()` freezes the builder.' },
  { id: 'S000-98', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      '`buildToolDefinition()` freezes the array of actions, so that even direct changes of the array ' +
      'fail.' },
  { id: 'S000-99', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'A second `buildToolDefinition()` returns the same object as the first.' },
  { id: 'S000-100', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'On a frozen builder `.action()`, `.group()`, `.use()`, `.description()`, `.commonSchema()`, ' +
      '`.tags()`, `.annotations()`, `.discriminator()` and `.toonDescription()` throw.' },
  { id: 'S000-101', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'A frozen builder throws `Builder "platform" is frozen after buildToolDefinition(). Cannot modify ' +
      'a built tool.` with its own name.' },
  { id: 'S000-102', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'A module that shares a builder can add neither action nor middleware to it once another module ' +
      'has registered it.' },
  { id: 'S000-103', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'A builder is in exactly one mode, flat or hierarchical.' },
  { id: 'S000-104', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'The first `.action()` makes a builder flat: its keys are plain names such as `list`, `create`, ' +
      '`delete`.' },
  { id: 'S000-105', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'The first `.group()` makes a builder hierarchical: its keys are compound, such as `users.list`, ' +
      '`billing.refund`.' },
  { id: 'S000-106', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'Mixing throws at once, in either order: `Cannot use .action() and .group() on the same builder ' +
      '"platform".`, next line `Use .action() for flat tools OR .group() for hierarchical tools.`' },
  { id: 'S000-107', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'An action name that contains a dot throws.' },
  { id: 'S000-108', seed: '000', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: 'A group name that contains a dot throws.' },
  { id: 'S000-109', seed: '000', tests: ['test/wire/attach.test.ts', 'test/wire/attach-matrix.test.ts'],
    behaviour: '`attachToServer()` takes `unknown` and finds the low-level server at run time.' },
  { id: 'S000-110', seed: '000', tests: ['test/wire/attach.test.ts'],
    behaviour: 'Given a high-level `McpServer`, `attachToServer()` uses its `.server`.' },
  { id: 'S000-111', seed: '000', tests: ['test/wire/attach.test.ts'],
    behaviour: 'Given a low-level `Server`, `attachToServer()` uses it unchanged.' },
  { id: 'S000-112', seed: '000', tests: ['test/wire/attach.test.ts'],
    behaviour: 'Given anything else, `attachToServer()` throws an error with its requirements.' },
  { id: 'S000-113', seed: '000', tests: ['test/wire/attach.test.ts', 'test/wire/attach-matrix.test.ts'],
    behaviour: '`McpServerLike` asks for `setRequestHandler()` and nothing else.' },
  { id: 'S000-114', seed: '000', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour:
      'The registry and its attachment import no value from the MCP SDK, so that a change of its ' +
      'exports breaks nothing.' },
  { id: 'S000-115', seed: '000', tests: ['test/wire/attach.test.ts'],
    behaviour: 'The same code serves `Server` and `McpServer`, without conditional imports.' },
  { id: 'S000-116', seed: '000', tests: ['test/wire/attach.test.ts', 'test/wire/attach-matrix.test.ts'],
    behaviour:
      '`attachToServer()` returns a `DetachFn` that resets both handlers: the list is empty, and calls are rejected.' },
  { id: 'S000-117', seed: '000', tests: ['test/wire/attach.test.ts', 'test/wire/attach-matrix.test.ts'],
    behaviour: 'After detaching, another registry can be attached to the same server.' },
];
