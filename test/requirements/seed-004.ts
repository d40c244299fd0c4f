import type { Requirement } from '../requirements.js';

/** Seed 004: one registry, one execution flow. */
// Each entry has two or three lines, so that the table stays readable.
// oxfmt-ignore
export const seed004: readonly Requirement[] = [
  { id: 'S004-01', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour: 'The registry collects the metadata of every tool through one `ToolDefinition` contract.' },
  { id: 'S004-02', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'Every tool runs through one execution flow, which delegates to security wrapper, error handler ' +
      'and response formatter.' },
  { id: 'S004-03', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'The registry emits `name`, `description` and `inputSchema` as MCP requires them, with no JSON ' +
      'Schema written by hand.' },
  { id: 'S004-04', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      '`withSecurityWrapper`, `ErrorHandler`, `responseFormatter` and cache helpers are passed to the ' +
      'constructor of the registry.' },
  { id: 'S004-05', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour:
      'Tools are added with `register()`, and a server needs `listTools`, `getToolDefinitions` and ' +
      '`executeTool` only.' },
  { id: 'S004-06', seed: '004', tests: ['packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour:
      'A definition without `name`, `description`, `inputSchema` or `handler` is rejected at ' +
      'registration.' },
  { id: 'S004-07', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`name` is the identifier under which MCP clients see and call the tool.' },
  { id: 'S004-08', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: '`description` is the text that `listTools` shows.' },
  { id: 'S004-09', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      '`inputSchema`, a Zod schema for example, is what the arguments of a call are validated against.' },
  { id: 'S004-10', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`handler` is called with `{ input, context }` and may be async.' },
  { id: 'S004-11', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`input` is the validated payload.' },
  { id: 'S004-12', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`context.accessToken` is the access token of the call.' },
  { id: 'S004-13', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`context.rawArguments` holds the raw arguments.' },
  { id: 'S004-14', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`context.operation` is the operation label of the tool.' },
  { id: 'S004-15', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`context` gives the shared cache helpers.' },
  { id: 'S004-16', seed: '004', tests: ['packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour: '`security` replaces the namespace and operation labels that `withSecurityWrapper` gets.' },
  { id: 'S004-17', seed: '004', tests: ['packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour:
      'Without `security` the labels are the namespace of the tool, else of the server, and the name of ' +
      'the tool.' },
  { id: 'S004-18', seed: '004', tests: ['packages/toolfold/src/registry/definition-contract.test.ts'],
    behaviour: '`metadata.inputJsonSchema` replaces the generated schema in lists, as written.' },
  { id: 'S004-19', seed: '004', tests: ['packages/toolfold/src/registry/definition-contract.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: 'Annotations in `metadata` reach MCP clients.' },
  { id: 'S004-20', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`defaultArgumentResolver` supplies missing arguments before validation.' },
  { id: 'S004-21', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`defaultArgumentResolver` is lazy: it runs when its tool is called, and at no other time.' },
  { id: 'S004-22', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'What the resolver returns is merged with the explicit arguments, and the explicit ones win.' },
  { id: 'S004-23', seed: '004', tests: ['packages/schema/src/read/read-schema.test.ts'],
    behaviour:
      'Zod schemas become JSON Schema through Zod 4\'s own `toJSONSchema`; no walker of ours takes part.' },
  { id: 'S004-24', seed: '004', tests: ['packages/schema/src/read/read-schema.test.ts', 'packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      '`$schema`, `minimum`, `maximum` and other annotations that Zod\'s converter emits are kept.' },
  { id: 'S004-25', seed: '004', tests: ['packages/schema/src/read/read-schema.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: 'A converted schema is valid JSON Schema 2020-12, the dialect that OpenAPI 3.1 shares.' },
  { id: 'S004-26', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'A call first looks its tool up; an unknown tool is answered with ' +
      '`ErrorHandler.createValidationError`.' },
  { id: 'S004-27', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Resolved defaults and raw arguments are merged before anything is validated.' },
  { id: 'S004-28', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      '`minify`, `_minify` and `__minify` among the arguments are read as minify hints of this call.' },
  { id: 'S004-29', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'A call runs inside `responseFormatter.runWithMinifyOverride`, so that formatting follows its ' +
      'hint or explicit override.' },
  { id: 'S004-30', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      '`withSecurityWrapper(namespace, operation, inputSchema)` is called for every call, before its ' +
      'handler.' },
  { id: 'S004-31', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'The security wrapper validates the parameters before the handler runs.' },
  { id: 'S004-32', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'The security wrapper applies the rate limit before the handler runs.' },
  { id: 'S004-33', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'The security wrapper logs the request before the handler runs.' },
  { id: 'S004-34', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'The handler is called with the validated input and the execution context.' },
  { id: 'S004-35', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'What a handler throws goes through `ErrorHandler.handleError`.' },
  { id: 'S004-36', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'A validation failure of the security layer, an injected one too, is answered in the shape of ' +
      '`createValidationError`.' },
  { id: 'S004-37', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'Rate limiting, validation and logging are in the security wrapper alone: another wrapper ' +
      'replaces all three.' },
  { id: 'S004-38', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Validation, security and handler errors all come out through the one `ErrorHandler`.' },
  { id: 'S004-39', seed: '004',
    tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'packages/toolfold/src/engine/isolation.properties.test.ts'],
    behaviour: 'The minify override of a call never affects another call that runs at the same time.' },
  { id: 'S004-40', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Handlers reach the cache through their context and import no singleton.' },
  { id: 'S004-41', seed: '004', tests: ['packages/toolfold/src/engine/isolation.test.ts'],
    behaviour: 'Two registries share no state: there are no hidden globals.' },
  { id: 'S004-42', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Equal calls with equal services give equal results in tests.' },
  { id: 'S004-43', seed: '004',
    tests: ['packages/toolfold/src/engine/execution-flow.test.ts', 'packages/toolfold/src/engine/isolation.test.ts'],
    behaviour:
      'Any service can be exchanged without a change to the registry, the security wrapper for ' +
      'example.' },
  { id: 'S004-44', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Each tool is registered exactly once: a second registration of its name throws.' },
  { id: 'S004-45', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Lists and calls both go through the registry, so that they never disagree about a tool.' },
  { id: 'S004-46', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'A further tool needs nothing but a definition that satisfies the contract.' },
  { id: 'S004-47', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'The registry runs alone with plain mock objects as services, on its validation, security ' +
      'and error paths.' },
  { id: 'S004-48', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'What is common to all calls can be observed and added at one place, for every tool at once.' },
  { id: 'S004-49', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'The resolver is called with `{ rawArguments }` and may be async.' },
  { id: 'S004-50', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'A resolver that returns `undefined` adds nothing.' },
  { id: 'S004-51', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour:
      'A budget tool with a resolver runs with the default budget when `budget_id` is missing, and else ' +
      'with the one given.' },
  { id: 'S004-52', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'A handler may return a full result with `content` blocks, which is sent unchanged.' },
  { id: 'S004-53', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: '`responseFormatter.format(value)` returns the text of a value for a text block.' },
  { id: 'S004-54', seed: '004', tests: ['packages/toolfold/src/engine/execution-flow.test.ts'],
    behaviour: 'Validation, security and formatting are the same for every tool, from any source.' },
];
