// A 2025 server over stdio that floods its client as soon as it is initialized: with notifications of the first argument, with blank
// lines, or with its standard error. It writes as fast as its output is read.
import { createInterface } from 'node:readline';
import { writeSync } from 'node:fs';

const [flood] = process.argv.slice(2);
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const notifications = {
  list_changed: { method: 'notifications/tools/list_changed' },
  updated: { method: 'notifications/resources/updated', params: { uri: 'flood://1' } },
  progress: { method: 'notifications/progress', params: { progressToken: 'none', progress: 1 } },
  log: { method: 'notifications/message', params: { level: 'error', data: 'x'.repeat(50) } },
  answers: { id: 'nobody asked', result: {} },
};
const text =
  flood === 'stderr'
    ? 'x'.repeat(99) + '\n'
    : flood === 'blank'
      ? '\n'
      : flood === 'text'
        ? 'hello\n'
        : line(notifications[flood]);
const chunk = Buffer.from(text.repeat(Math.ceil(65_536 / text.length)));

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, resources: {}, logging: {} },
    serverInfo: { name: 'flooding', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'hello', inputSchema: { type: 'object' } }] }),
  'resources/list': () => ({ resources: [{ name: 'r', uri: 'flood://1' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'tools/call': () => ({ content: [{ type: 'text', text: 'hello' }] }),
};

let hasBegun = false;
function pour() {
  const stream = flood === 'stderr' ? process.stderr : process.stdout;
  // Answers go out between the chunks.
  stream.write(chunk, () => setImmediate(pour));
}

createInterface({ input: process.stdin }).on('line', (request) => {
  const { id, method, params } = JSON.parse(request);
  if (id === undefined) return;
  const run = methods[method];
  const answer = run ? { result: run(params) } : { error: { code: -32_601, message: 'Method not found' } };
  writeSync(1, line({ id, ...answer }));
  if (method !== 'tools/list' || hasBegun) return;
  hasBegun = true;
  setTimeout(pour, 100);
});
