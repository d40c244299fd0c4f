/** 2026-07-28 requests for each method, with valid and invalid parameters. */
import { FAIL_KEY } from './catalog.js';
import { CAPABILITIES_KEY, LOG_LEVEL_KEY, modern, withHeader } from './http-case.js';
import type { HttpCase, HttpRequest, Json } from './http-case.js';

const call = (params: Json, meta?: Json): HttpRequest => modern('tools/call', params, meta);
const elicitation = { [CAPABILITIES_KEY]: { elicitation: { form: {} } } };
const routed = (args: Json, headers: Readonly<Record<string, string>>): HttpRequest => {
  let request = call({ name: 'route', arguments: args });
  for (const [name, value] of Object.entries(headers)) request = withHeader(request, name, value);
  return request;
};
const complete = (ref: unknown, argument: unknown): HttpRequest =>
  modern('completion/complete', { ref, argument });
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;

const requests: Readonly<Record<string, HttpRequest>> = {
  discover: modern('server/discover'),
  'discover with parameters': modern('server/discover', { more: 1 }),
  'list tools': modern('tools/list'),
  'list tools, unknown cursor': modern('tools/list', { cursor: 'nowhere' }),
  'list tools, empty cursor': modern('tools/list', { cursor: '' }),
  'list tools, cursor that is a number': modern('tools/list', { cursor: 5 }),
  'list tools, cursor null': modern('tools/list', { cursor: null }),
  'list prompts, cursor that is an object': modern('prompts/list', { cursor: {} }),
  'list resources, cursor true': modern('resources/list', { cursor: true }),
  'list templates, cursor an array': modern('resources/templates/list', { cursor: [] }),
  'list prompts': modern('prompts/list'),
  'list prompts, unknown cursor': modern('prompts/list', { cursor: 'nowhere' }),
  'list resources': modern('resources/list'),
  'list resources, unknown cursor': modern('resources/list', { cursor: 'nowhere' }),
  'list templates': modern('resources/templates/list'),
  'list templates, unknown cursor': modern('resources/templates/list', { cursor: 'nowhere' }),

  call: call({ name: 'echo', arguments: { text: 'hi' } }),
  'call with structured result': call({ name: 'add', arguments: { a: 1, b: 2 } }),
  'call without arguments': call({ name: 'silent' }),
  'call, empty arguments': call({ name: 'silent', arguments: {} }),
  'call, arguments null': call({ name: 'silent', arguments: null }),
  'call, arguments an array': call({ name: 'echo', arguments: [] }),
  'call, arguments a string': call({ name: 'echo', arguments: 'text' }),
  'call, arguments a number': call({ name: 'echo', arguments: 1 }),
  'call, wrong type of argument': call({ name: 'echo', arguments: { text: 5 } }),
  'call, missing argument': call({ name: 'echo', arguments: {} }),
  'call, one argument too many': call({ name: 'echo', arguments: { text: 'a', more: 1 } }),
  'call, unknown tool': call({ name: 'nobody', arguments: {} }),
  'call, tool with the name of a member of objects': call({ name: 'constructor', arguments: {} }),
  'call, tool __proto__': call({ name: '__proto__', arguments: {} }),
  'call, empty name': call({ name: '', arguments: {} }),
  'call, no name': call({ arguments: {} }),
  'call, name a number': call({ name: 5, arguments: {} }),
  'call, name null': call({ name: null }),
  'call, name an object': call({ name: { echo: 1 }, arguments: { text: 'a' } }),
  'call, name and arguments both wrong': call({ name: 5, arguments: 'text' }),
  'call, name wrong and a state': call({ name: 5, requestState: 'made up' }),
  'call, a handler that throws': call({ name: 'fail', arguments: {} }),
  'call, a middleware that throws': call({ name: 'echo', arguments: { text: 'a' } }, { [FAIL_KEY]: true }),
  'list, a middleware that throws': modern('tools/list', {}, { [FAIL_KEY]: true }),
  'read, a middleware that throws': modern('resources/read', { uri: 'memo://1' }, { [FAIL_KEY]: true }),
  'call with progress': call({ name: 'steps' }, { progressToken: 'token' }),
  'call with progress, token a number': call({ name: 'steps' }, { progressToken: 0 }),
  'call with progress, token a float': call({ name: 'steps' }, { progressToken: 1.5 }),
  'call with progress, token null': call({ name: 'steps' }, { progressToken: null }),
  'call with progress, token an object': call({ name: 'steps' }, { progressToken: {} }),
  'call without progress of a tool that reports it': call({ name: 'steps' }),
  'call with progress of a tool that reports none': call(
    { name: 'echo', arguments: { text: 'a' } },
    { progressToken: 1 },
  ),
  'call with a log level': call({ name: 'echo', arguments: { text: 'a' } }, { [LOG_LEVEL_KEY]: 'debug' }),
  'call with an unknown log level': call(
    { name: 'echo', arguments: { text: 'a' } },
    { [LOG_LEVEL_KEY]: 'loud' },
  ),
  'call that asks a client that cannot answer': call({ name: 'ask' }),
  'call that asks': call({ name: 'ask' }, elicitation),
  'call that asks, empty capability': call({ name: 'ask' }, { [CAPABILITIES_KEY]: { elicitation: {} } }),
  'call that asks, only by URL': call({ name: 'ask' }, { [CAPABILITIES_KEY]: { elicitation: { url: {} } } }),
  'call that asks, answered': call(
    { name: 'ask', inputResponses: { who: { action: 'accept', content: { name: 'Ada' } } } },
    elicitation,
  ),
  'call that asks, answered with an unknown key': call(
    { name: 'ask', inputResponses: { other: { action: 'accept', content: {} } } },
    elicitation,
  ),
  'call that asks, answered without content': call({ name: 'ask', inputResponses: { who: {} } }, elicitation),
  'call that asks, answers null': call({ name: 'ask', inputResponses: null }, elicitation),
  'call that asks, answers an array': call({ name: 'ask', inputResponses: [] }, elicitation),
  'call with a forged state': call({ name: 'ask', requestState: 'made up' }, elicitation),
  'call with a state that is a number': call({ name: 'ask', requestState: 5 }, elicitation),

  'parameter header': routed({ region: 'eu' }, { 'mcp-param-region': 'eu' }),
  'parameter header, missing': routed({ region: 'eu' }, {}),
  'parameter header, another value': routed({ region: 'eu' }, { 'mcp-param-region': 'us' }),
  'parameter header, encoded': routed({ region: 'Zürich' }, { 'mcp-param-region': base64('Zürich') }),
  'parameter header, badly encoded': routed({ region: 'eu' }, { 'mcp-param-region': '=?base64?e?=' }),
  'parameter header, a number': routed(
    { region: 'eu', count: 42 },
    { 'mcp-param-region': 'eu', 'mcp-param-count': '42.0' },
  ),
  'parameter header, another number': routed(
    { region: 'eu', count: 42 },
    { 'mcp-param-region': 'eu', 'mcp-param-count': '43' },
  ),
  'parameter header, true': routed(
    { region: 'eu', urgent: true },
    { 'mcp-param-region': 'eu', 'mcp-param-urgent': 'true' },
  ),
  'parameter header, True': routed(
    { region: 'eu', urgent: true },
    { 'mcp-param-region': 'eu', 'mcp-param-urgent': 'True' },
  ),
  'parameter header without a parameter': routed(
    { region: 'eu' },
    { 'mcp-param-region': 'eu', 'mcp-param-count': '5' },
  ),
  'undeclared parameter header': routed(
    { region: 'eu' },
    { 'mcp-param-region': 'eu', 'mcp-param-other': '5' },
  ),
  'parameter header, parameter null': routed({ region: null }, { 'mcp-param-region': 'eu' }),

  'fill a prompt': modern('prompts/get', { name: 'greet', arguments: { who: 'Ada' } }),
  'fill a prompt, missing argument': modern('prompts/get', { name: 'greet', arguments: {} }),
  'fill a prompt, argument a number': modern('prompts/get', { name: 'greet', arguments: { who: 5 } }),
  'fill a prompt, several arguments of the wrong type': modern('prompts/get', {
    name: 'greet',
    arguments: { who: 5, language: null, other: [], 'a "quoted" name': {} },
  }),
  'fill a prompt, arguments a string': modern('prompts/get', { name: 'greet', arguments: 'text' }),
  'fill a prompt, name and arguments wrong': modern('prompts/get', { name: null, arguments: [] }),
  'fill a prompt, unknown': modern('prompts/get', { name: 'nobody' }),
  'fill a prompt, no name': modern('prompts/get', {}),
  'read a resource': modern('resources/read', { uri: 'memo://1' }),
  'read a resource of a template': modern('resources/read', { uri: 'note://7' }),
  'read a resource, unknown': modern('resources/read', { uri: 'nowhere://1' }),
  'read a resource, no uri': modern('resources/read', {}),
  'read a resource, uri a number': modern('resources/read', { uri: 5 }),
  'read a resource that fails': modern('resources/read', { uri: 'broken://1' }),
  'complete for a prompt': complete({ type: 'ref/prompt', name: 'greet' }, { name: 'language', value: 'e' }),
  'complete for a template': complete(
    { type: 'ref/resource', uri: 'note://{id}' },
    { name: 'id', value: 's' },
  ),
  'complete, unknown prompt': complete({ type: 'ref/prompt', name: 'nobody' }, { name: 'a', value: '' }),
  'complete, unknown argument': complete({ type: 'ref/prompt', name: 'greet' }, { name: 'no', value: '' }),
  'complete, unknown kind': complete({ type: 'ref/tool', name: 'echo' }, { name: 'a', value: '' }),
  'complete, no argument': modern('completion/complete', { ref: { type: 'ref/prompt', name: 'greet' } }),
  'complete, argument named after members of objects': complete(
    { type: 'ref/prompt', name: 'greet' },
    { name: 'constructor', value: '' },
  ),

  listen: modern('subscriptions/listen', { notifications: { toolsListChanged: true } }),
  'listen for all': modern('subscriptions/listen', {
    notifications: {
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['memo://1'],
    },
  }),
  'listen for nothing': modern('subscriptions/listen', { notifications: {} }),
  'listen without notifications': modern('subscriptions/listen'),
  'listen with an invalid filter': modern('subscriptions/listen', {
    notifications: { toolsListChanged: 'yes' },
  }),

  'unknown method': modern('nobody/does'),
  'unknown method of an unusual client': modern(
    'nobody/does',
    {},
    { [CAPABILITIES_KEY]: { made: { up: 1 } } },
  ),
  'method of an object': modern('constructor'),
  'method __proto__': modern('__proto__'),
  'empty method': modern(''),
  'method of 2025: ping': modern('ping'),
  'method of 2025: initialize': modern('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }),
  'method of 2025: set the log level': modern('logging/setLevel', { level: 'debug' }),
  'method of 2025: subscribe': modern('resources/subscribe', { uri: 'memo://1' }),
  'method of a client': modern('sampling/createMessage', {}),
  'unknown task': withHeader(modern('tasks/get', { taskId: 'none' }), 'mcp-name', 'none'),
};

export const methodCases: readonly HttpCase[] = Object.entries(requests).map(([title, request]) => ({
  title,
  requests: [request],
}));
