import type { Requirement } from '../requirements.js';

/** Seed 003: toolsets, modes, sessions. */
// Each entry has two or three lines, so that the table stays readable.
// oxfmt-ignore
export const seed003: readonly Requirement[] = [
  { id: 'S003-01', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour:
      'Existing functions that register tools imperatively become declarative module loaders unchanged.' },
  { id: 'S003-02', seed: '003', tests: ['test/pins/exports.test.ts'],
    behaviour:
      '`ToolCollector`, `createModuleAdapter`, the record of module adapters and `ModeConfigMapper` ' +
      'come from one public entry point.' },
  { id: 'S003-03', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour:
      'A `ModuleLoader` made from a registration function runs it against a `ToolCollector` and returns ' +
      'the definitions captured.' },
  { id: 'S003-04', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour: '`ToolCollector` is a virtual server: registering on it serves nothing and only captures.' },
  { id: 'S003-05', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour:
      'An `McpToolDefinition` has `name`, `description`, `inputSchema`, `handler` and `annotations`.' },
  { id: 'S003-06', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour: 'The `inputSchema` of a captured tool is converted from the Zod schema that was registered.' },
  { id: 'S003-07', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour: 'The `handler` of a captured tool takes the arguments and returns a promise.' },
  { id: 'S003-08', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour:
      'An adapter can mark its tools `readOnlyHint: true`, `destructiveHint: false`, `idempotentHint: ' +
      'true`, `openWorldHint: true`.' },
  { id: 'S003-09', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour:
      '`ToolCollector.tool(name, description, schema, handler)` captures a registration and returns ' +
      'nothing.' },
  { id: 'S003-10', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour:
      '`ToolCollector.getToolDefinitions()` returns every tool captured, in the order of registration.' },
  { id: 'S003-11', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour: '`ToolCollector.getToolCount()` returns how many tools were captured.' },
  { id: 'S003-12', seed: '003', tests: ['packages/toolfold/src/define/tool-collector.test.ts'],
    behaviour: '`ToolCollector.clear()` forgets every tool captured.' },
  { id: 'S003-13', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: '`createModuleAdapter(moduleName, registerFn)` returns a `ModuleLoader`.' },
  { id: 'S003-14', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour:
      '`registerFn` gets the collecting server and, as second argument, the access token if there is ' +
      'one.' },
  { id: 'S003-15', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: 'The session credential in the context is the access token that a module adapter passes on.' },
  { id: 'S003-16', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour:
      'Without a session credential a module adapter passes on the server-level `context.accessToken`.' },
  { id: 'S003-17', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: 'Module adapters are kept in a record from module name to `ModuleLoader`.' },
  { id: 'S003-18', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: '`getModuleNames()` returns the names of all modules.' },
  { id: 'S003-19', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour:
      '`getModuleAdapter(name)` returns the loader of that module, or `undefined` if there is none.' },
  { id: 'S003-20', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: '`getModuleCount()` returns the number of modules.' },
  { id: 'S003-21', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour:
      '`ModeConfigMapper.toToolsetConfig(mode, sessionConfig, enforcer, accessToken?, moduleLoaders?)` ' +
      'is static and returns a `ToolsetConfig`.' },
  { id: 'S003-22', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`toToolsetConfig` takes the state of the `ServerModeEnforcer` into account.' },
  { id: 'S003-23', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`toToolsetConfig` works without `accessToken` and without `moduleLoaders`.' },
  { id: 'S003-24', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`DYNAMIC_TOOL_DISCOVERY` maps to startup mode `DYNAMIC` without toolsets.' },
  { id: 'S003-25', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`STATIC_TOOL_SETS` maps to startup mode `STATIC` with the list of selected toolsets.' },
  { id: 'S003-26', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`ALL_TOOLS` maps to startup mode `STATIC` with toolsets `ALL`.' },
  { id: 'S003-27', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: 'The mapped configuration enables the session context.' },
  { id: 'S003-28', seed: '003',
    tests: ['packages/toolfold/src/callers/session-context.test.ts', 'packages/toolfold/src/toolsets/tenants.test.ts', 'test/wire/session-context.test.ts'],
    behaviour: 'The session context is read from the query parameter `config`.' },
  { id: 'S003-29', seed: '003',
    tests: ['packages/toolfold/src/callers/session-context.test.ts', 'packages/toolfold/src/toolsets/tenants.test.ts', 'test/wire/session-context.test.ts'],
    behaviour: 'The encoding `base64` reads the session context as base64 of JSON.' },
  { id: 'S003-30', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour:
      '`allowedKeys` of the mapped configuration holds the session credential key and nothing else.' },
  { id: 'S003-31', seed: '003',
    tests: ['packages/toolfold/src/callers/session-context.test.ts', 'packages/toolfold/src/toolsets/tenants.test.ts', 'test/wire/session-context.test.ts'],
    behaviour: 'With merge `shallow`, session values replace server-level values key by key.' },
  { id: 'S003-32', seed: '003', tests: ['packages/toolfold/src/toolsets/tenants.test.ts', 'test/wire/session-context.test.ts'],
    behaviour:
      '`?config=` with the base64 of `{"<credential key>":"your_key"}` gives that caller that ' +
      'credential, once the operator allows credentials in the query.' },
  { id: 'S003-33', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour:
      '`namespaceToolsWithSetKey` is false in the mapped configuration: tool names carry no toolset ' +
      'prefix.' },
  { id: 'S003-34', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`maxActiveToolsets` is undefined in the mapped configuration: there is no limit.' },
  { id: 'S003-35', seed: '003',
    tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts', 'packages/toolfold/src/toolsets/toolsets.test.ts'],
    behaviour:
      'In `STATIC_TOOL_SETS` mode the allowlist holds the selected toolsets, and no other can be ' +
      'reached.' },
  { id: 'S003-36', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour:
      'A `ToolsetConfig` has `catalog`, `moduleLoaders`, `startup`, `context`, optional ' +
      '`sessionContext`, and `exposurePolicy`.' },
  { id: 'S003-37', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: 'The `catalog` of the mapped configuration holds the toolsets that the operator declared.' },
  { id: 'S003-38', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`startup` has `mode` (`DYNAMIC` or `STATIC`) and optional `toolsets` (names or `ALL`).' },
  { id: 'S003-39', seed: '003', tests: ['packages/toolfold/src/toolsets/server-mode.mapper.test.ts'],
    behaviour: '`context` holds the server-level `accessToken` if one is given.' },
  { id: 'S003-40', seed: '003', tests: ['test/docs.test.ts'],
    behaviour:
      'A module is added in three steps, a registration function, an adapter, a place in a toolset; a ' +
      'guide shows them.' },
  { id: 'S003-41', seed: '003', tests: ['packages/toolfold/src/toolsets/client-cache.test.ts'],
    behaviour: 'Client bundles are cached under the key `${clientId}:${sessionConfigHash}`.' },
  { id: 'S003-42', seed: '003', tests: ['packages/toolfold/src/toolsets/client-cache.test.ts', 'packages/toolfold/src/toolsets/client-cache.properties.test.ts'],
    behaviour:
      'A request whose client ID or configuration hash differs never gets the cached bundle of the ' +
      'other.' },
  { id: 'S003-43', seed: '003', tests: ['test/wire/session-lifecycle.test.ts', 'test/wire/session-binding.test.ts'],
    behaviour:
      'A session that is unknown or has expired, or was opened with another client ID or session configuration, is ' +
      'answered with `Session not found or expired`.' },
  { id: 'S003-44', seed: '003', tests: ['packages/toolfold/src/toolsets/client-cache.test.ts'],
    behaviour: 'The `mcp-client-id` header is the client ID, and another ID is another cache entry.' },
  { id: 'S003-45', seed: '003', tests: ['packages/toolfold/src/toolsets/client-cache.test.ts'],
    behaviour:
      '`sessionConfigHash` is a hash of the session configuration sent, and another configuration is ' +
      'another entry.' },
  { id: 'S003-46', seed: '003', tests: ['packages/toolfold/src/callers/client-identity.test.ts'],
    behaviour:
      'Without the header the client ID is `auto-` and the first 16 hex digits of sha256 over ' +
      '`ip|user-agent|accept`.' },
  { id: 'S003-47', seed: '003', tests: ['test/wire/session-lifecycle.test.ts'],
    behaviour: 'Clients that never send `mcp-client-id` keep their session from request to request.' },
  { id: 'S003-48', seed: '003', tests: ['packages/toolfold/src/toolsets/tenants.test.ts', 'test/wire/session-context.test.ts'],
    behaviour: 'The session credential always overrides the server-level token, in every mode.' },
  { id: 'S003-49', seed: '003', tests: ['packages/toolfold/src/callers/session-context.test.ts'],
    behaviour: 'A key that is not allowed in the session configuration is rejected.' },
  { id: 'S003-50', seed: '003', tests: ['packages/toolfold/src/toolsets/module-adapter.test.ts'],
    behaviour: 'All tools of an adapter have identical annotations if the adapter sets them.' },
  { id: 'S003-51', seed: '003', tests: ['packages/toolfold/src/toolsets/tool-set-catalog.test.ts'],
    behaviour:
      'Module names of adapters and toolsets must match: a toolset of an unknown module and a module of ' +
      'no toolset are build errors.' },
  { id: 'S003-52', seed: '003', tests: ['packages/toolfold/src/callers/client-identity.test.ts'],
    behaviour: 'Equal IP, user agent and accept header give the same generated client ID each time.' },
];
