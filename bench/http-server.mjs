/** One server of one kind on a free port, for `http.mjs`: prints the port and serves until it is killed. */
import { createServer } from 'node:http';
import { McpServer, createMcpHandler } from '@modelcontextprotocol/server';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { z } from 'zod';

const [kind, count] = process.argv.slice(2);
const schema = () => z.object({ text: z.string(), times: z.number().int() });
const description = 'Repeats a text';
/** @param {{ text: string, times: number }} input */
const work = ({ text, times }) => text.repeat(times);
const names = Array.from({ length: Number(count) }, (_, index) => `tool_${index}`);

if (kind === 'toolfold') {
  const registry = new ToolRegistry({ name: 'bench', rateLimiter: false });
  registry.register(
    ...names.map((name) => ({
      name,
      description,
      inputSchema: schema(),
      handler: (/** @type {any} */ { input }) => work(input),
    })),
  );
  const { server } = await serveHttp(registry, { port: 0 });
  report(server);
} else if (kind === 'sdk') {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1' });
    for (const name of names) {
      server.registerTool(name, { description, inputSchema: schema() }, async (input) => ({
        content: [{ type: 'text', text: work(input) }],
      }));
    }
    return server;
  });
  report(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const answer = await handler.fetch(
        new Request(`http://localhost${request.url}`, {
          method: 'POST',
          headers: /** @type {Record<string, string>} */ (request.headers),
          body: Buffer.concat(chunks),
        }),
      );
      const body = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, {
        ...Object.fromEntries(answer.headers),
        'content-length': body.length,
      });
      response.end(body);
    }).listen(0, '127.0.0.1'),
  );
} else {
  // The floor: parse, validate, call, stringify.
  const parsers = new Map(names.map((name) => [name, schema()]));
  report(
    createServer(async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { id, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const input = /** @type {any} */ (parsers.get(params.name)).parse(params.arguments);
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { content: [{ type: 'text', text: work(input) }], resultType: 'complete' },
      });
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    }).listen(0, '127.0.0.1'),
  );
}

/** @param {import('node:http').Server} server */
function report(server) {
  const say = () => console.log(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
  if (server.listening) say();
  else server.once('listening', say);
}
