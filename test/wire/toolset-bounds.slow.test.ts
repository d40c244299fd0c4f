import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';
import { modernRequest } from './raw-request.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const COUNT = 1_000;
const fields = Object.fromEntries(
  ['customer', 'order', 'limit', 'since', 'until', 'note'].map((name) => [
    name,
    { type: 'string', description: `The ${name} to look for` },
  ]),
);

function serve() {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
  for (let at = 0; at < COUNT; at++)
    registry.register({
      name: `tool_${at}`,
      description: `Does thing ${at} for a customer`,
      readOnly: true,
      inputSchema: { type: 'object', properties: fields },
      handler: () => 'done',
    } as never);
  const handler = createHandler(registry, { path: '/mcp' });
  return async (method: string, params: object, headers: Readonly<Record<string, string>>) => {
    const request = new Request('http://localhost/mcp', modernRequest(method, params, { headers }));
    const response = await handler.fetch(request);
    expect(response.status).toBe(200);
    await response.text();
  };
}

const heap = async (): Promise<number> => {
  // Weakly referenced objects are collected only after a while.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
  }
  return process.memoryUsage().heapUsed / 1e6;
};

describe('one client that selects other tools in each request', () => {
  it('does not fill the memory with views', async () => {
    const ask = serve();
    const select = async (from: number, to: number): Promise<void> => {
      for (let at = from; at < to; at++) await ask('tools/list', {}, { 'x-mcp-exclude-tools': `tool_${at}` });
    };
    // More views than are cached.
    await select(0, 100);
    const before = await heap();
    await select(100, 200);
    expect((await heap()) - before).toBeLessThan(5);
  }, 60_000);
});

describe('one client that sends another context in each request', () => {
  it('does not fill the memory with loaded modules', async () => {
    const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
    const load = ({ accessToken }: Readonly<Record<string, unknown>> = {}) =>
      Array.from({ length: 250 }, (_, at) => ({
        name: `tool_${at}`,
        description: `Does thing ${at} for a customer`,
        readOnly: true,
        inputSchema: { type: 'object', properties: fields },
        handler: () => String(accessToken),
      })) as never;
    const handler = createHandler(registry, {
      path: '/mcp',
      toolsets: {
        catalog: { a: { name: 'A', description: 'A', modules: ['m'] } },
        moduleLoaders: { m: load },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        context: {},
        exposurePolicy: {},
        sessionContext: {
          header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
          credentialKeys: ['accessToken'],
        },
      },
    });
    const ask = async (at: number) => {
      const headers = {
        'mcp-client-id': `junk-${at}`,
        'mcp-session-config': JSON.stringify({ accessToken: `junk-${at}` }),
      };
      const request = new Request('http://localhost/mcp', modernRequest('tools/list', {}, { headers }));
      const response = await handler.fetch(request);
      expect(response.status).toBe(200);
      await response.text();
    };
    // More contexts than are cached.
    for (let at = 0; at < 100; at++) await ask(at);
    const before = await heap();
    for (let at = 100; at < 140; at++) await ask(at);
    expect((await heap()) - before).toBeLessThan(10);
  }, 60_000);
});
