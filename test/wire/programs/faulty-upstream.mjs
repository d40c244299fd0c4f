// A 2025 server over stdio that breaks the rules of the protocol. Its first argument says how it lists tools, the second is
// JSON with tools that it lists beside its own.
import { createInterface } from 'node:readline';

const [mode = 'plain', more = '[]'] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let count = 0;
const ask = (method, params) =>
  new Promise((resolve) => {
    const id = `question-${++count}`;
    waiting.set(id, resolve);
    send({ id, method, params });
  });
const text = (said) => ({ content: [{ type: 'text', text: said }] });
const requestedSchema = { type: 'object', properties: { answer: { type: 'string' } }, required: ['answer'] };
const elicit = (message) => ask('elicitation/create', { message, requestedSchema });
const said = ({ result, error }) => result?.content?.answer ?? result?.action ?? `error: ${error?.message}`;

let runs = 0;
const tools = {
  pid: () => text(String(process.pid)),
  die: () => process.exit(3),
  hang: () => new Promise(() => {}),
  garbage: () => ({ content: [{ type: 'poem', lines: ['a'] }] }),
  nothing: () => 'not a result',
  large: ({ bytes }) => text('x'.repeat(bytes)),
  ask: async ({ question }) => text(said(await elicit(question))),
  askTwice: async () => {
    runs++;
    const first = said(await elicit('first?'));
    const second = said(await elicit('second?'));
    return text(`${first} ${second}, run ${runs}`);
  },
  page: async () => {
    const url = `https://example.com/${Math.random()}`;
    return text(
      said(await ask('elicitation/create', { mode: 'url', message: 'Go there', url, elicitationId: 'e1' })),
    );
  },
  late: async ({ question }) => {
    // The call continues after a cancellation, and asks.
    await new Promise((resolve) => setTimeout(resolve, 500));
    return text(said(await elicit(question)));
  },
  grow: () => {
    tools.grown ??= () => text('grown');
    send({ method: 'notifications/tools/list_changed' });
    send({ method: 'notifications/tools/list_changed' });
    return text('done');
  },
  steps: async ({ progressToken }) => {
    for (let progress = 1; progress <= 4; progress++) {
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 4 } });
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return text('stepped');
  },
  refuse: () => Promise.reject(Object.assign(new Error('no such thing'), { code: -32_602 })),
  fail: ({ message }) => Promise.reject(Object.assign(new Error(message), { code: -32_603 })),
  echo: (args) => ({ ...text(JSON.stringify(args)), _meta: { 'example.com/seen': true } }),
};
const ownFields = { large: { bytes: { type: 'integer' } }, ask: { question: { type: 'string' } } };

function list({ cursor }) {
  const listed = Object.keys(tools).map((name) => ({
    name,
    description: name,
    inputSchema: { type: 'object', ...(ownFields[name] ? { properties: ownFields[name] } : {}) },
  }));
  if (mode === 'endless') return { tools: [], nextCursor: String(Number(cursor ?? 0) + 1) };
  if (mode === 'circle') return { tools: [], nextCursor: cursor === 'a' ? 'b' : 'a' };
  if (mode === 'no list') return { tools: 'none' };
  if (mode === 'pages' && cursor === undefined) return { tools: listed.slice(0, 3), nextCursor: 'rest' };
  if (mode === 'pages') return { tools: listed.slice(3) };
  return { tools: [...listed, ...JSON.parse(more)] };
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true } },
    serverInfo: { name: 'faulty', version: '1' },
  }),
  'tools/list': (params) => (mode === 'no answer' ? new Promise(() => {}) : list(params)),
  'tools/call': ({ name, arguments: args, _meta }) =>
    name === 'steps' ? tools.steps(_meta) : tools[name](args ?? {}),
};

if (mode === 'crash') {
  process.stderr.write('there is no licence\n');
  process.exit(7);
}
if (mode === 'slow start') await new Promise((resolve) => setTimeout(resolve, 4_000));
createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params = {}, ...answer } = JSON.parse(line);
    if (method === undefined) return waiting.get(id)?.(answer);
    if (id === undefined || mode === 'silent') return;
    const run = methods[method];
    if (!run) return send({ id, error: { code: -32_601, message: 'Method not found' } });
    try {
      send({ id, result: await run(params) });
    } catch ({ code, message }) {
      send({ id, error: { code, message } });
    }
  })
  .on('close', () => process.exit(0));
