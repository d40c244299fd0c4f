// A 2025 server over stdio whose lists come from a JSON file: { tools, prompts, resources, resourceTemplates, fault }. With a fault, lists fail. It ends if the file is missing, and
// announces changes of the file. Every call answers with the tool, its arguments, the process and the variable TOKEN. A call with
// the argument `begun` writes that file first; one with `log` appends a line to that file, after `ms` milliseconds.
import { appendFileSync, existsSync, readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
if (!existsSync(file)) {
  process.stderr.write(`there is no licence for the key ${process.env.TOKEN ?? 'of nobody'}\n`);
  process.exit(7);
}
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const read = () => JSON.parse(readFileSync(file, 'utf8'));
const lists = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
};

async function call({ name, arguments: args = {} }) {
  if (args.begun) appendFileSync(args.begun, 'begun');
  if (args.ms) await new Promise((resolve) => setTimeout(resolve, args.ms));
  if (args.log) appendFileSync(args.log, `${args.id}\n`);
  const text = JSON.stringify({ tool: name, args, pid: process.pid, token: process.env.TOKEN });
  return { content: [{ type: 'text', text }] };
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    },
    serverInfo: { name: 'scripted', version: '1' },
    instructions: read().instructions,
  }),
  ping: () => ({}),
  'tools/call': call,
  'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, text: uri }] }),
  ...Object.fromEntries(
    Object.entries(lists).map(([method, key]) => [method, () => ({ [key]: read()[key] ?? [] })]),
  ),
};

watchFile(file, { interval: 50 }, () => {
  for (const key of ['tools', 'prompts', 'resources']) send({ method: `notifications/${key}/list_changed` });
});
createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    const run = methods[method];
    if (lists[method] && read().fault) return send({ id, error: { code: -32_603, message: read().fault } });
    if (!run) return send({ id, error: { code: -32_601, message: 'Method not found' } });
    send({ id, result: await run(params) });
  })
  .on('close', () => process.exit(0));
