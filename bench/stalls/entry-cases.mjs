// Requests designed to slow down methods other than `tools/call`, and the fields around the arguments of a call.
import * as z from 'zod';

/** @typedef {import('./cases.mjs').StallCase} StallCase */

/** Leaves room for the fields around the arguments. */
const MAX_TEXT = 1024 * 1024 - 1_000;
/** Together with the surrounding values, this reaches the default limit of `maxValues`. */
const MAX_ITEMS = 19_700;

const names = (/** @type {(index: number) => string} */ name, count = MAX_ITEMS) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), 'x']));
const many = names((index) => `an argument ${index}`);

const tools = () => [
  {
    name: 'tool',
    description: 'Takes input',
    inputSchema: z.object({ a: z.any() }),
    handler: () => 'done',
  },
];
const manyTools = () =>
  Array.from({ length: 500 }, (_, index) => ({
    name: `create_invoice_${index}`,
    description: `Creates invoices for customer number ${index}`,
    inputSchema: z.object({}),
    handler: () => 'done',
  }));
const asking = () => [
  {
    name: 'tool',
    description: 'Asks',
    inputSchema: z.object({}),
    handler: async (/** @type {any} */ { context }) => {
      const schema = z.object({ value: z.string() });
      const { what } = await context.requestInput({ what: { message: 'What?', schema } });
      return what.action;
    },
  },
];
const prompts = (/** @type {import('../../packages/toolfold/dist/index.js').ToolRegistry} */ registry) => {
  for (let index = 0; index < 200; index++)
    registry.registerPrompt({
      name: `prompt_${index}`,
      inputSchema: z.object({ topic: z.string(), style: z.string().optional() }),
      complete: { topic: (typed) => [typed.slice(0, 10)] },
      handler: () => 'done',
    });
};
const resources = (/** @type {import('../../packages/toolfold/dist/index.js').ToolRegistry} */ registry) => {
  for (let index = 0; index < 200; index++)
    registry.registerResource({
      name: `resource_${index}`,
      uriTemplate: `files${index}://{a}-{b}-{c}/{+path}`,
      handler: () => 'done',
    });
};
const call = (/** @type {object} */ params) => ({
  method: 'tools/call',
  params: { name: 'tool', ...params },
});
const batch = (/** @type {(index: number) => object} */ message, count = 100) =>
  JSON.stringify(
    Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id: `b${id}`, ...message(id) })),
  );

/** @type {readonly StallCase[]} */
export const entryCases = [
  {
    title: 'a call of a tool with a name of 1 MB, among 500 tools',
    tools: manyTools,
    request: () => ({
      headers: { 'mcp-name': 'x' },
      method: 'tools/call',
      params: { name: 'create_invoice '.repeat(MAX_TEXT / 15) },
    }),
    answer: /error/,
  },
  {
    title: '`prompts/get` with 19,700 unknown arguments',
    tools,
    prepare: prompts,
    request: () => ({ method: 'prompts/get', params: { name: 'prompt_1', arguments: many } }),
    answer: /error/,
  },
  {
    title: '`prompts/get` with 19,700 arguments that look like credentials',
    tools,
    prepare: prompts,
    request: () => ({
      method: 'prompts/get',
      params: { name: 'prompt_1', arguments: names((index) => `apiTokenCount ${index} x`) },
    }),
    answer: /error/,
  },
  {
    title: '`prompts/get` with an unknown name of 1 MB, in a session',
    tools,
    prepare: prompts,
    session: '2025-11-25',
    request: () => ({ method: 'prompts/get', params: { name: 'prompt '.repeat(MAX_TEXT / 7) } }),
    answer: /error/,
  },
  {
    title: '`completion/complete` with 1 MB of text',
    tools,
    prepare: prompts,
    request: () => ({
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/prompt', name: 'prompt_1' },
        argument: { name: 'topic', value: 'x'.repeat(MAX_TEXT) },
      },
    }),
    answer: /values/,
  },
  {
    title: '`completion/complete` with 19,700 arguments filled in',
    tools,
    prepare: prompts,
    request: () => ({
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/prompt', name: 'prompt_1' },
        argument: { name: 'topic', value: 'x' },
        context: { arguments: many },
      },
    }),
    answer: /values/,
  },
  {
    title: '`completion/complete` for an unknown prompt with a name of 1 MB',
    tools,
    prepare: prompts,
    request: () => ({
      method: 'completion/complete',
      params: {
        ref: { type: 'ref/prompt', name: 'prompt '.repeat(MAX_TEXT / 7) },
        argument: { name: 'topic', value: 'x' },
      },
    }),
    answer: /error/,
  },
  {
    title: '`resources/read` of a URI of 1 MB, among 200 templates, in a session',
    tools,
    prepare: resources,
    session: '2025-11-25',
    request: () => ({
      method: 'resources/read',
      params: { uri: `files199://${'a-'.repeat(MAX_TEXT / 2 - 100)}` },
    }),
    answer: /error/,
  },
  {
    title: '`resources/read` of a URI of 4,096 characters with escapes of escapes',
    tools,
    prepare: resources,
    session: '2025-11-25',
    request: () => ({
      method: 'resources/read',
      params: { uri: `files199://a-b-c/${`%${'25'.repeat(8)}2e/`.repeat(190)}` },
    }),
    answer: /error|done/,
  },
  {
    title: '`_meta` with 19,700 fields that look like credentials, and invalid arguments',
    tools,
    request: () => call({ _meta: names((index) => `apiTokenCount ${index} x`), arguments: { b: 1 } }),
    answer: /isError/,
  },
  {
    title: '`_meta` with 19,700 passwords, and invalid arguments',
    tools,
    request: () =>
      call({
        _meta: { list: Array.from({ length: MAX_ITEMS / 2 }, (_, index) => ({ password: `aaaa-${index}` })) },
        arguments: { b: 1 },
      }),
    answer: /isError/,
  },
  {
    title: '`X-MCP-Tools` with 500 unknown names, among 500 tools',
    tools: manyTools,
    request: () => ({
      headers: { 'x-mcp-tools': Array.from({ length: 500 }, (_, index) => `create_inv_${index}`).join(',') },
      method: 'tools/list',
      params: {},
    }),
    answer: /error|tools/,
  },
  {
    title: '`X-MCP-Exclude-Tools` with 500 names, among 500 tools',
    tools: manyTools,
    request: () => ({
      headers: {
        'x-mcp-exclude-tools': Array.from({ length: 500 }, (_, index) => `create_invoice_${index}`).join(','),
      },
      method: 'tools/list',
      params: {},
    }),
    answer: /error|tools/,
  },
  {
    title: 'a batch of 100 calls with 19,700 unknown fields in all, in a session',
    tools,
    session: '2025-03-26',
    request: () => ({
      body: batch((id) => call({ arguments: names((index) => `unknown ${id} ${index}`, 180) })),
    }),
    answer: /isError/,
  },
  {
    title: 'a batch of 100 calls that echo passwords in errors, in a session',
    tools,
    session: '2025-03-26',
    request: () => ({
      body: batch((id) =>
        call({
          arguments: {
            list: Array.from({ length: 80 }, (_, index) => ({ password: `aaaa-${id}-${index}-secret` })),
            [`aaaa-${id}-`.repeat(800)]: 'x',
          },
        }),
      ),
    }),
    answer: /isError/,
  },
  {
    title: 'a batch of 100 calls of unknown tools with long names, in a session',
    tools: manyTools,
    session: '2025-03-26',
    request: () => ({
      body: batch((id) => ({
        method: 'tools/call',
        params: { name: `create_invoice_${id} `.repeat(450), arguments: {} },
      })),
    }),
    answer: /error/i,
  },
  {
    title: 'a batch of 100 calls of unknown tools with short names, among 500 tools',
    tools: manyTools,
    session: '2025-03-26',
    request: () => ({
      body: batch((id) => ({
        method: 'tools/call',
        params: { name: `craete_invioce_${id}x`, arguments: {} },
      })),
    }),
    answer: /error/i,
  },
  {
    title: 'a batch of 100 lists of 500 tools, in a session',
    tools: manyTools,
    session: '2025-03-26',
    request: () => ({ body: batch(() => ({ method: 'tools/list', params: {} })) }),
    answer: /tools/,
  },
  {
    title: '`initialize` with 19,700 capabilities',
    tools,
    request: () => ({
      headers: { 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-11-25',
          capabilities: {
            experimental: Object.fromEntries(Object.keys(many).map((name) => [name, {}])),
          },
          clientInfo: { name: 'bench', version: '1' },
        },
      }),
    }),
    answer: /serverInfo|Invalid params/,
  },
  {
    title: 'an answer to a question with 19,700 fields that look like credentials',
    tools: asking,
    request: () =>
      call({
        _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
        arguments: {},
        inputResponses: {
          what: { action: 'accept', content: names((index) => `apiTokenCount ${index} x`) },
        },
      }),
    answer: /result|error/,
  },
];
