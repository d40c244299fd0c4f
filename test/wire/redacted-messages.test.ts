import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { ToolContext } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';
import { initializeRequest, jsonRequest, modernRequest } from './raw-request.js';

const CALLERS = 8;
const keyOf = (caller: number): string => `key-of-caller-${caller}-${'0123456789abcdef'.repeat(2)}`;
const passwordOf = (caller: number): string => `pass/word "of" ${caller}`;
const isSecret = Array.from({ length: CALLERS }, (_, caller) => [keyOf(caller), passwordOf(caller)]).flat();

/** Every way in which the messages below write a secret. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(secret), base64];
}

/** Resolves once all callers wait for it, so that their calls run at the same time. */
function createBarrier(parties: number): () => Promise<void> {
  let waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      if (waiting.length < parties) return;
      for (const go of waiting) go();
      waiting = [];
    });
}

describe.each(['2025', '2026'] as const)('messages to %s clients', (era) => {
  let url: string;
  let close: () => Promise<void>;
  const together = createBarrier(CALLERS);

  const leak = (
    { accessToken, caller }: Pick<ToolContext, 'accessToken' | 'caller'>,
    password = '',
  ): string => [caller.auth?.token ?? '', accessToken ?? '', password].flatMap(formsOf).join(' and ');

  beforeAll(async () => {
    const registry = new ToolRegistry({ name: 'leaky' });
    const inputSchema = z.object({ password: z.string() });
    registry.register(
      {
        name: 'return_error',
        description: 'Returns an error',
        inputSchema,
        handler: async ({ input, context }) => {
          await together();
          const text = `refused: ${leak(context, input.password)}`;
          return {
            content: [
              { type: 'text', text },
              { type: 'text', text: 'see beside', _meta: { 'acme/why': text } },
              { type: 'image', data: 'aGk=', mimeType: 'image/png', _meta: { 'acme/why': text } },
              { type: 'resource', resource: { uri: 'note://1', text } },
              { type: 'resource', resource: { uri: `note://${encodeURIComponent(text)}`, blob: 'aGk=' } },
              { type: 'resource_link', uri: `note://${encodeURIComponent(input.password)}`, name: 'note' },
            ],
            structuredContent: { why: text, [input.password]: [text] },
            _meta: { 'acme/why': text },
            isError: true,
          };
        },
      },
      {
        name: 'report',
        description: 'Reports progress and logs',
        inputSchema,
        handler: async ({ input, context }) => {
          await together();
          const text = leak(context, input.password);
          await context.progress(1, 2, `halfway: ${text}`);
          await context.log('error', `as text: ${text}`, `logger ${text}`);
          await context.log('error', { deep: [{ message: `as data: ${text}` }] });
          await context.progress(2, 2, 'done');
          return 'reported';
        },
      },
      {
        name: 'generate',
        description: 'Yields progress',
        inputSchema,
        async *handler({ input, context }) {
          await together();
          yield { progress: 1, message: `yielded: ${leak(context, input.password)}` };
          return 'generated';
        },
      },
    );
    registry.registerResource({
      name: 'broken',
      uri: 'note://broken',
      handler: async ({ context }) => {
        await together();
        await context.log('error', `resource: ${leak(context)}`);
        throw new Error(`broken: ${leak(context)}`);
      },
    });
    registry.registerPrompt({
      name: 'broken',
      handler: async ({ context }) => {
        await together();
        await context.progress(1, 2, `prompt: ${leak(context)}`);
        throw new Error(`broken: ${leak(context)}`);
      },
    });
    const keys = Array.from({ length: CALLERS }, (_, caller) => ({
      key: keyOf(caller),
      clientId: `${caller}`,
    }));
    const server = await serveHttp(registry, { port: 0, auth: apiKeys({ keys }) });
    ({ url } = server);
    close = () => server.close();
  });
  afterAll(() => close());

  const as = (caller: number) => ({ authorization: `Bearer ${keyOf(caller)}` });
  const post = (caller: number, message: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(url, jsonRequest(message, { ...as(caller), ...headers }));

  /** Sends one request of a caller and returns every byte of its answer, headers included. */
  async function bytesOf(caller: number, method: string, params: Record<string, unknown>): Promise<string> {
    const progressToken = `progress of ${caller}`;
    let response: Response;
    if (era === '2025') {
      const opened = await fetch(url, initializeRequest(as(caller)));
      await opened.text();
      const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
      await (await post(caller, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers)).text();
      const message = {
        jsonrpc: '2.0',
        id: caller,
        method,
        params: { ...params, _meta: { progressToken } },
      };
      response = await post(caller, message, headers);
    } else {
      const meta = { progressToken, 'io.modelcontextprotocol/logLevel': 'debug' };
      response = await fetch(url, modernRequest(method, params, { id: caller, meta, headers: as(caller) }));
    }
    return `${JSON.stringify([...response.headers])}\n${await response.text()}`;
  }

  it.each([
    ['errors that a handler returns', 'tools/call', 'return_error', ['refused: ', 'acme/why']],
    [
      'progress and log messages',
      'tools/call',
      'report',
      ['halfway: ', 'as text: ', 'as data: ', 'reported'],
    ],
    ['what a generator yields', 'tools/call', 'generate', ['yielded: ', 'generated']],
    ['log messages and errors of a resource', 'resources/read', 'broken', ['resource: ']],
    ['progress and errors of a prompt', 'prompts/get', 'broken', ['prompt: ']],
  ])('hold no credential of any caller in %s', async (_, method, name, expected) => {
    const answers = await Promise.all(
      Array.from({ length: CALLERS }, (__, caller) =>
        bytesOf(
          caller,
          method,
          method === 'resources/read'
            ? { uri: `note://${name}` }
            : { name, ...(method === 'tools/call' ? { arguments: { password: passwordOf(caller) } } : {}) },
        ),
      ),
    );
    for (const bytes of answers) {
      for (const part of expected) expect(bytes).toContain(part);
      expect(bytes).toContain('[redacted]');
      for (const form of isSecret.flatMap(formsOf)) expect(bytes).not.toContain(form);
    }
  });
});
