// A 2025 server over stdio with prompts, resources and tasks. Its first argument says which rules it breaks, the second is JSON with
// lists that replace its own.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [mode = 'plain', given = '{}'] = process.argv.slice(2);
const { LOG: log, TENANT: tenant = 'nobody' } = process.env;
const note = (line) => log && appendFileSync(log, `${line}\n`);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const fail = (code, message) => Promise.reject(Object.assign(new Error(message), { code }));
const deep = (levels) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

const lists = {
  tools: [
    { name: 'pid', inputSchema: { type: 'object' } },
    { name: 'hang', inputSchema: { type: 'object' } },
    { name: 'research', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
    { name: 'update', inputSchema: { type: 'object' } },
  ],
  prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }],
  resources: [{ name: 'note', uri: 'note://1' }],
  resourceTemplates: [{ name: 'notes', uriTemplate: 'notes://{id}' }],
  ...JSON.parse(given),
};

let lateLists = 0;
let restless = 0;
function list(kind, { cursor }) {
  if (mode === `late ${kind}` && lateLists++ === 0) return fail(-32_603, 'The database is not ready');
  if (mode === 'restless' && kind === 'tools') {
    note('listed');
    return { tools: [{ name: `tool-${++restless}`, inputSchema: { type: 'object' } }] };
  }
  if (mode === 'short-lived') setTimeout(() => process.exit(3), 20);
  if (mode === `endless ${kind}`) return { [kind]: [], nextCursor: String(Number(cursor ?? 0) + 1) };
  if (mode === `no ${kind}`) return { [kind]: 'none' };
  if (mode === `missing ${kind}`) return fail(-32_601, 'Method not found');
  if (mode === `failing ${kind}`) return fail(-32_603, 'The database is down');
  if (mode === `many ${kind}`)
    return {
      [kind]: Array.from({ length: 5_000 }, (_, index) => ({
        name: `item-${index}`,
        uri: `many://${index}`,
        uriTemplate: `many${index}://{id}`,
      })),
    };
  return { [kind]: lists[kind] };
}

const answers = {
  'wrong shape': { messages: 'none', contents: 'none', completion: 'none' },
  'wrong parts': {
    messages: [{ role: 'system', content: { type: 'text', text: 'obey' } }],
    contents: [{ uri: 'note://1' }],
    completion: { values: 'all' },
  },
  deep: { messages: [], contents: [], completion: { values: [] }, _meta: { deep: deep(600) } },
  flood: {
    messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(2_000_000) } }],
    contents: [{ uri: 'note://1', text: 'x'.repeat(2_000_000) }],
    completion: { values: ['x'.repeat(2_000_000)] },
  },
  suggestions: {
    completion: {
      values: [1, null, 'x'.repeat(20_000), ...Array.from({ length: 300 }, (_, index) => `v${index}`)],
      total: 'many',
    },
  },
};

let tasks = 0;
const calls = {
  pid: () => text(`${process.pid} ${tenant}`),
  hang: () => {
    note('hang');
    return new Promise(() => {});
  },
  update: () => {
    for (let count = 0; count < 1_000; count++)
      for (const uri of ['note://1', 'note://other'])
        send({ method: 'notifications/resources/updated', params: { uri } });
    return text('updated');
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      tasks: { requests: { tools: { call: {} } }, cancel: {} },
    },
    serverInfo: { name: 'items', version: '1' },
  }),
  ping: () => (mode === 'no ping' ? new Promise(() => {}) : {}),
  'tools/list': (params) => list('tools', params),
  'prompts/list': (params) => list('prompts', params),
  'resources/list': (params) => list('resources', params),
  'resources/templates/list': (params) => list('resourceTemplates', params),
  'tools/call': ({ name, task }) => {
    if (name !== 'research') return calls[name]();
    note('research');
    if (mode === 'bad task') return { task: { taskId: 'x'.repeat(5_000), status: 'working' } };
    if (mode === 'no task') return text(`without a task, ${typeof task}`);
    return { task: { taskId: `task-${++tasks}`, status: 'working', pollInterval: 1, ttl: null } };
  },
  'tasks/get': ({ taskId }) => ({
    taskId,
    status: mode === 'odd task' ? 'sleeping' : 'working',
    statusMessage: mode === 'chatty task' ? 'z'.repeat(100_000) : 'busy',
    pollInterval: mode === 'chatty task' ? 0 : 50,
  }),
  'tasks/cancel': () => {
    note('cancelled');
    return {};
  },
  'prompts/get': ({ arguments: { who } = {} }) =>
    answers[mode] ?? {
      messages: [{ role: 'user', content: { type: 'text', text: `Greet ${who} as ${tenant}` } }],
    },
  'resources/read': ({ uri }) =>
    uri === 'notes://none'
      ? fail(-32_002, 'Resource not found')
      : (answers[mode] ?? { contents: [{ uri, text: `read by ${tenant}` }] }),
  'completion/complete': () => answers[mode] ?? { completion: { values: [tenant] } },
  'resources/subscribe': ({ uri }) => {
    note(`subscribed ${uri}`);
    return {};
  },
  'resources/unsubscribe': ({ uri }) => {
    note(`unsubscribed ${uri}`);
    return {};
  },
};

note(`started ${process.pid}`);
if (mode === 'restless') setInterval(() => send({ method: 'notifications/tools/list_changed' }), 70);
createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const run = methods[method];
    if (!run) return send({ id, error: { code: -32_601, message: 'Method not found' } });
    try {
      send({ id, result: await run(params) });
    } catch ({ code, message }) {
      send({ id, error: { code, message } });
    }
  })
  .on('close', () => process.exit(0));
