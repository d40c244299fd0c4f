/** Mistakes whose messages docs/guides/troubleshooting.md explains, in the order of the page. */
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CallToolResult } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { createQuickJsSandbox } from '@toolfold/code';
import { apiKeys, createHandler, Exposure } from 'toolfold/web';
import * as z from 'zod';

/** Passes a value that the compiler would reject, as JavaScript would. */
const wrong = (value: unknown): never => value as never;

const tool = (more: object = {}): never =>
  wrong({
    name: 'greet',
    description: 'Greets somebody',
    inputSchema: z.object({ who: z.string() }),
    handler: () => 'Hello',
    ...more,
  });
const registryOf = (...items: never[]): ToolRegistry =>
  new ToolRegistry({ name: 'acme' }).register(...(items as [never]));
const builder = new GroupedToolBuilder('users')
  .description('People')
  .action({ name: 'list', handler: () => [] });

const call = (more: object, args: object = { who: 'Ada' }): Promise<CallToolResult> =>
  registryOf(tool(more)).executeTool({ name: 'greet', arguments: wrong(args) });

/** Sends a request of a 2025 client to a server. */
async function send(
  options: Parameters<typeof createHandler>[1],
  headers: Readonly<Record<string, string>> = {},
  method = 'initialize',
): Promise<Response> {
  const handler = createHandler(registryOf(tool()), options);
  const body = {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'client', version: '1.0.0' },
    },
  };
  const response = await handler.fetch(
    new Request('http://localhost:3000/mcp', {
      method: 'POST',
      headers: {
        host: 'localhost:3000',
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body: JSON.stringify(body),
    }),
  );
  await handler.close();
  return response;
}

/** Serves on a port that is taken. */
async function serveTwice(): Promise<void> {
  const registry = registryOf(tool());
  const { url, close } = await serveHttp(registry, { port: 0 });
  const { port } = new URL(url);
  try {
    await serveHttp(registry, { port: Number(port) });
  } catch (error) {
    throw new Error((error as Error).message.replace(port, '3000'), { cause: error });
  } finally {
    await close();
  }
}

/** Runs programs at once in the code form, and returns the result of the last one. */
async function runCode(...programs: readonly string[]): Promise<CallToolResult> {
  const registry = registryOf(tool());
  const sandbox = createQuickJsSandbox({ maxThreads: 1, maxWaiting: 0 });
  const code = { sandbox, limits: { cpuMs: 300 } };
  const view = await new Exposure(registry, { view: { form: 'code', code } }).viewFor({});
  const results = await Promise.all(
    programs.map((program) => registry.executeTool({ name: 'run_code', arguments: { code: program } }, view)),
  );
  await sandbox.close();
  return results.at(-1) as CallToolResult;
}

export const mistakes: readonly (() => unknown)[] = [
  // Register
  () => registryOf(wrong(Promise.resolve(builder))),
  () => registryOf(wrong(registryOf(tool()))),
  () => registryOf(tool(), tool()),
  () => registryOf(tool({ description: undefined })),
  () => registryOf(tool({ inputSchema: { who: 'string' } })),
  () => registryOf(tool({ inputSchema: z.object({ born: z.date() }) })),
  () => registryOf(tool({ handler: (_input: unknown, _extra: unknown) => 1 })),
  () => registryOf(tool({ name: 'say hello' })),
  // Serve
  () => serveHttp(wrong(Promise.resolve(registryOf(tool())))),
  () => serveHttp(wrong(builder)),
  () => serveHttp(registryOf(tool()), { port: wrong('3000') }),
  () => serveHttp(registryOf(tool()), wrong({ allowedHost: ['mcp.example.com'] })),
  () => serveTwice(),
  // Connect
  () => send({}, { host: 'mcp.example.com' }),
  () => send({}, { origin: 'https://app.example.com' }),
  () => send({ auth: apiKeys({ keys: [{ clientId: 'ada', key: 'k'.repeat(32) }] }) }),
  () => send({}, { 'mcp-session-id': 'unknown' }, 'tools/list'),
  () => send({}, {}, 'tools/list'),
  // Call
  () => registryOf(tool()).executeTool(wrong({ name: 'greet', args: { who: 'Ada' } })),
  () => registryOf(tool()).executeTool({ name: 'great' }),
  () => registryOf(builder as never).executeTool({ name: 'users', arguments: {} }),
  () => call({}, { whom: 'Ada' }),
  () => call({ handler: () => ({ rows: Promise.resolve([]) }) }),
  () => call({ handler: () => 1n }),
  () => call({ middleware: [async (_call: unknown, next: () => Promise<unknown>) => void (await next())] }),
  () => call({ outputSchema: z.object({ text: z.string() }) }),
  () => call({ scopes: ['greet:write'] }),
  () => call({ timeoutMs: 1, handler: () => new Promise(() => {}) }),
  // Code
  () => new Exposure(registryOf(tool()), { view: { code: { allow: 'write' } } }),
  () => runCode("await tools.greet({ who: 'Ada' })"),
  () => runCode('[1, 2].map(async (n) => n)'),
  () => runCode("await fetch('https://example.com')"),
  () => runCode('await new Promise(() => {})'),
  () => runCode('for (;;);'),
  () => runCode('1', '2'),
];

/** Makes a mistake, and returns the message that its author or the client sees. */
export async function messageOf(mistake: () => unknown): Promise<string> {
  try {
    const result = await mistake();
    if (result instanceof Response) return await errorOf(result);
    const { content } = result as CallToolResult;
    return content[0]?.type === 'text' ? content[0].text : 'no message';
  } catch (error) {
    // The place of a registration differs from file to file.
    return (error as Error).message.replace(/ at (?:\S+ \()?\S+:\d+:\d+\)?/, '');
  }
}

async function errorOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { message: string } };
  return `${response.status} ${error.message}`;
}
