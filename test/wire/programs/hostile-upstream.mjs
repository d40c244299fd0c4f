// A 2025 server over stdio whose answers are too large. Its first argument selects the kind.
import { createInterface } from 'node:readline';

const [mode = 'plain'] = process.argv.slice(2);
const good = { name: 'good', description: 'good', inputSchema: { type: 'object' } };
const nested = (levels) => `${'{"properties":{"a":'.repeat(levels)}{}${'}}'.repeat(levels)}`;

const page = (tools, nextCursor) => JSON.stringify({ tools, nextCursor });

/** JSON text, because a value nested this deep cannot be stringified. */
function list({ cursor = '0' }) {
  const next = Number(cursor) + 1;
  switch (mode) {
    case 'deep schema':
      return `{"tools":[{"name":"deep","description":"d","inputSchema":${nested(5_000)}},${JSON.stringify(good)}]}`;
    case 'deep meta':
      return `{"tools":[{"name":"deep","inputSchema":{"type":"object"},"_meta":${nested(90_000)}},${JSON.stringify(good)}]}`;
    case 'many pages':
      return page([{ ...good, name: `tool-${next}`, _meta: { filler: 'x'.repeat(900_000) } }], String(next));
    case 'long cursor':
      return page([good], `${next}${'x'.repeat(900_000)}`);
    case 'many tools':
      return `{"tools":[${'1,'.repeat(150_000)}1]}`;
    default:
      return page([good]);
  }
}

/** Writes endlessly, as fast as the client reads. */
function flood(chunk) {
  const write = () => {
    while (process.stdout.write(chunk));
    process.stdout.once('drain', write);
  };
  write();
}

const results = {
  initialize: ({ protocolVersion }) =>
    JSON.stringify({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'n'.repeat(100_000), version: '1' },
      instructions: 'i'.repeat(100_000),
    }),
  'tools/list': list,
  'tools/call': () => {
    if (mode === 'deep result') return `{"content":[],"structuredContent":${nested(50_000)}}`;
    // Eight megabytes that are not JSON. Only a program that parses them can tell.
    if (mode === 'brackets') return `{"content":[],"structuredContent":${'['.repeat(8e6)}}`;
    if (mode === 'brackets in text')
      return `{"content":[{"type":"text","text":"${'['.repeat(4e6)}${']'.repeat(4e6)}"}]}`;
    return 'null';
  },
};

/** Asks endlessly, and reads no answer. */
function askWithoutReading() {
  input.pause();
  process.stdin.pause();
  flood(`{"jsonrpc":"2.0","id":"${'x'.repeat(10_000)}","method":"ping"}\n`);
}

const input = createInterface({ input: process.stdin });
input
  .on('line', (line) => {
    const { id, method, params = {} } = JSON.parse(line);
    if (id === undefined) return;
    if (mode === 'flood' && method === 'tools/call') return flood('x'.repeat(1 << 16));
    if (mode === 'deaf' && method === 'tools/call') return askWithoutReading();
    const result = results[method]?.(params);
    const answer = result === undefined ? '"error":{"code":-32601,"message":"no"}' : `"result":${result}`;
    process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${answer}}\n`);
  })
  .on('close', () => process.exit(0));
