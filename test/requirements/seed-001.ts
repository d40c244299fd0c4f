import type { Requirement } from '../requirements.js';

/** Seed 001: a later version of seed 000, which it overrides. */
// Each entry has two or three lines, so that the table stays readable.
// oxfmt-ignore
export const seed001: readonly Requirement[] = [
  { id: 'S001-01', seed: '001', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: 'The cost of a call does not grow with the number of tools and actions.' },
  { id: 'S001-02', seed: '001', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour:
      'Every entity of the model, tools, prompts, resources and prompt arguments included, extends ' +
      '`BaseModel` and answers `getFullyQualifiedName()`.' },
  { id: 'S001-03', seed: '001', tests: ['packages/toolfold/src/model/group.test.ts'],
    behaviour:
      'Tools and groups are linked many-to-many: a group holds many tools, a tool has many groups, and ' +
      'both sides agree.' },
  { id: 'S001-04', seed: '001', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour:
      '`ConverterBase` has `convertFrom` and `convertTo` for one value and `convertFromBatch` and ' +
      '`convertToBatch` for arrays, the latter two dropping null.' },
  { id: 'S001-05', seed: '001', tests: ['packages/toolfold/src/model/converters/mcp.test.ts'],
    behaviour:
      'Every MCP primitive has a converter subclass between model and wire form, in both directions.' },
  { id: 'S001-06', seed: '001', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour:
      'The builder delegates to `ToolDefinitionCompiler`, which orchestrates five strategies: ' +
      '`SchemaGenerator`, `DescriptionGenerator`, `ToonDescriptionGenerator`, `AnnotationAggregator`, ' +
      '`MiddlewareCompiler`.' },
  { id: 'S001-07', seed: '001', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour: '`SchemaGenerator` gives a JSON Schema `inputSchema` that contains the discriminator.' },
  { id: 'S001-08', seed: '001', tests: ['packages/toolfold/src/compile/description-generator.test.ts'],
    behaviour: '`DescriptionGenerator` gives structured Markdown.' },
  { id: 'S001-09', seed: '001', tests: ['packages/toolfold/src/compile/toon-description-generator.test.ts'],
    behaviour: '`ToonDescriptionGenerator` gives a description in TOON with the pipe as delimiter.' },
  { id: 'S001-10', seed: '001', tests: ['packages/toolfold/src/compile/annotation-aggregator.test.ts'],
    behaviour: '`AnnotationAggregator` gives merged MCP `ToolAnnotations`.' },
  { id: 'S001-11', seed: '001', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour:
      '`MiddlewareCompiler` gives a `Map<string, ChainFn>` of closures that are compiled beforehand.' },
  { id: 'S001-12', seed: '001', tests: ['packages/toolfold/src/compile/strategies.test.ts'],
    behaviour: 'Each strategy is a stateless pure function in its own file and can be replaced separately.' },
  { id: 'S001-13', seed: '001', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts', 'test/wire/listed-requirements.test.ts'],
    behaviour:
      'One schema covers all registered actions: the discriminator enum comes first, then the merged ' +
      'fields.' },
  { id: 'S001-14', seed: '001', tests: ['packages/toolfold/src/compile/input-schema/schema-generator.test.ts'],
    behaviour:
      'A required field of `commonSchema` is in the `required` list of the generated schema, for ' +
      'every action.' },
  { id: 'S001-15', seed: '001', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour:
      '`compileMiddlewareChains()` compiles the middleware of all actions into nested closures, right ' +
      'to left, at build time.' },
  { id: 'S001-16', seed: '001', tests: ['packages/toolfold/src/compile/middleware-compiler.test.ts'],
    behaviour:
      'With ten middleware layers, an action still runs by calling one function, with no assembly per ' +
      'request.' },
  { id: 'S001-17', seed: '001', tests: ['packages/toolfold/src/registry/tool-registry.test.ts'],
    behaviour: '`routeCall()` costs one `Map` lookup, for any number of tools.' },
  { id: 'S001-18', seed: '001', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour: '`execute()` builds only when the builder is not frozen yet.' },
  { id: 'S001-19', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: '`parseDiscriminator()` takes the action key out of the arguments.' },
  { id: 'S001-20', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: '`resolveAction()` finds the action by one `Map` lookup of its key.' },
  { id: 'S001-21', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'Validation is strict by default: common and action schema together, and an unknown field is ' +
      'rejected.' },
  { id: 'S001-22', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: 'A failed validation is answered with a structured error that names the fields.' },
  { id: 'S001-23', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour: '`runChain()` passes the validated data through the compiled middleware to the handler.' },
  { id: 'S001-24', seed: '001', tests: ['packages/toolfold/src/engine/pipeline.test.ts'],
    behaviour:
      'The rejection of unknown fields names each of them and says what to send, so that a model can ' +
      'correct itself.' },
  { id: 'S001-25', seed: '001', tests: ['packages/toolfold/src/build/grouped-tool-builder.test.ts'],
    behaviour:
      'What is listed after the build is what runs: neither action nor middleware can be added once it ' +
      'is registered.' },
  { id: 'S001-26', seed: '001', tests: ['test/wire/attach.test.ts'],
    behaviour: '`attachToServer()` finds the server through `ServerResolver`, its own module.' },
  { id: 'S001-27', seed: '001', tests: ['test/wire/attach.test.ts', 'test/wire/attach-matrix.test.ts'],
    behaviour:
      'Any object with the same `setRequestHandler()` is served, from any package or version.' },
];
