import { once } from 'node:events';
import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { Coverage } from './coverage.js';
import type { CrossedFile } from './coverage.js';

/** The source that one call crosses. */
export interface Walk {
  readonly client: '2026 request' | '2025 session';
  readonly files: readonly CrossedFile[];
  /** Distinct functions. */
  readonly functions: number;
  /** Entries into them. */
  readonly calls: number;
}

type Headers = Readonly<Record<string, string>>;

const WARM_CALLS = 20;
/** Long enough for everything that follows a response: its socket's events, timers that were due. */
const SETTLE_MS = 30;

/** Walks one call of each era through a server with one tool and default options. */
export async function walkCalls(): Promise<Walk[]> {
  const coverage = await Coverage.start();
  const registry = new ToolRegistry({ name: 'walk', version: '1.0.0' });
  registry.register({
    name: 'repeat',
    description: 'Repeats a text',
    inputSchema: z.object({ text: z.string(), times: z.int().min(1) }),
    handler: ({ input }) => input.text.repeat(input.times),
  });
  const { url, close } = await serveHttp(registry, { port: 0 });
  const client = new RawClient(new URL(url));
  try {
    const modern = await walk(coverage, '2026 request', () => client.call(modernHeaders, modernMeta));
    const session = sessionHeaders(await client.openSession());
    return [modern, await walk(coverage, '2025 session', () => client.call(session, {}))];
  } finally {
    client.close();
    await close();
    coverage.stop();
  }
}

async function walk(coverage: Coverage, client: Walk['client'], call: () => Promise<void>): Promise<Walk> {
  for (let index = 0; index < WARM_CALLS; index++) await call();
  await sleep(SETTLE_MS);
  await coverage.take();
  await call();
  await sleep(SETTLE_MS);
  const files = await coverage.take();
  const functions = files.flatMap((file) => file.functions);
  return {
    client,
    files,
    functions: functions.length,
    calls: functions.reduce((sum, { calls }) => sum + calls, 0),
  };
}

const modernHeaders: Headers = {
  'mcp-protocol-version': '2026-07-28',
  'mcp-method': 'tools/call',
  'mcp-name': 'repeat',
};
const modernMeta = {
  _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  },
};
const sessionHeaders = (session: string): Headers => ({
  'mcp-protocol-version': '2025-11-25',
  'mcp-session-id': session,
});

/** Sends raw requests over one connection, so that nothing but the server is counted. */
class RawClient {
  readonly #url: URL;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(url: URL) {
    this.#url = url;
  }

  async call(headers: Headers, more: object): Promise<void> {
    const params = { name: 'repeat', arguments: { text: 'ab', times: 3 }, ...more };
    const { body } = await this.#post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers);
    if (!body.includes('"ababab"')) throw new Error(`Unexpected answer: ${body}`);
  }

  /** Opens a session as 2025 clients do, and returns its id. */
  async openSession(): Promise<string> {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'walk', version: '1.0.0' },
    };
    const { headers } = await this.#post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, {});
    const session = headers['mcp-session-id'];
    if (typeof session !== 'string') throw new Error('The server opened no session.');
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, sessionHeaders(session));
    return session;
  }

  close(): void {
    this.#agent.destroy();
  }

  async #post(
    message: object,
    headers: Headers,
  ): Promise<{ readonly headers: IncomingMessage['headers']; readonly body: string }> {
    const sent = request(this.#url, {
      method: 'POST',
      agent: this.#agent,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    });
    sent.end(JSON.stringify(message));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { headers: response.headers, body: await text(response) };
  }
}
