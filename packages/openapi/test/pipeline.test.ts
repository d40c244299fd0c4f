import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { CallToolResult } from 'toolfold';
import { fromOpenAPI } from '@toolfold/openapi';
import type { FromOpenAPIOptions } from '@toolfold/openapi';
import { bundleWorker } from '../../../test/runtimes/bundle-worker.js';
import { ApiServer, answerJson } from './api-server.js';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start();
});
beforeEach(() => {
  server.received.length = 0;
});
afterAll(() => server[Symbol.asyncDispose]());

const answered = { 200: { description: 'ok', content: { 'application/json': { schema: {} } } } };

const specification = {
  openapi: '3.1.0',
  info: { title: 'Items', version: '1' },
  security: [{ key: [], token: [] }],
  components: {
    securitySchemes: {
      key: { type: 'apiKey', in: 'query', name: 'api_key' },
      token: { type: 'http', scheme: 'bearer' },
    },
  },
  paths: {
    '/items': {
      get: {
        tags: ['items'],
        operationId: 'list',
        parameters: [{ name: 'cursor', in: 'query', schema: { type: 'string' } }],
        responses: answered,
      },
      post: {
        tags: ['items'],
        operationId: 'create',
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', properties: { name: { type: 'string' } } } },
          },
        },
        responses: answered,
      },
    },
  },
};

interface Logged {
  readonly lines: string[];
}

function serve(options: FromOpenAPIOptions = {}): ToolRegistry & Logged {
  const lines: string[] = [];
  const write = (fields: unknown, message?: string): void =>
    void lines.push(JSON.stringify([fields, message]));
  const logger = { debug: write, info: write, warn: write, error: write };
  const registry = new ToolRegistry({ name: 'api', logger });
  const credentials = { key: 'secret key/1', token: 'secret-token-1' };
  for (const builder of fromOpenAPI(specification, { baseUrl: server.origin, credentials, ...options }))
    registry.register(builder);
  return Object.assign(registry, { lines });
}

const call = (registry: ToolRegistry, action: string, input: object = {}): Promise<CallToolResult> =>
  registry.executeTool({ name: 'items', arguments: { action, ...input } });

const textOf = (result: CallToolResult): string =>
  result.content.map((block) => ('text' in block ? block.text : '')).join('\n');

const reject = (times: number, status: number, retryAfter: string): void => {
  server.answer = (_, response) =>
    server.received.length > times
      ? answerJson(response, { ok: true })
      : void response.writeHead(status, { 'retry-after': retryAfter }).end();
};

describe('a call of an imported operation', () => {
  it.each([429, 503])('is repeated after status %d if it only reads', async (status) => {
    reject(2, status, '0');
    expect(await call(serve(), 'list')).not.toHaveProperty('isError');
    expect(server.received).toHaveLength(3);
  });

  it('is not repeated if it writes', async () => {
    reject(1, 503, '7');
    const result = await call(serve(), 'create', { name: 'x' });
    expect(server.received).toHaveLength(1);
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'toolfold/error': { details: { status: 503, retryAfterMs: 7_000 } } },
    });
    expect(textOf(result)).toContain('The API answered 503 Service Unavailable. Try again in 7 s.');
  });

  it('does not wait for years', async () => {
    reject(1, 429, '315360000');
    expect(await call(serve(), 'list')).toMatchObject({ isError: true });
    expect(server.received).toHaveLength(1);
  });

  it('shows no credential in results, errors and logs, in whatever form the API repeats it', async () => {
    server.answer = (request, response) => {
      const [, query = ''] = request.target.split('?');
      answerJson(
        response,
        { message: `bad ${request.target} ${decodeURIComponent(query)} ${JSON.stringify(request.headers)}` },
        400,
      );
    };
    const registry = serve();
    const result = await call(registry, 'list', { cursor: 'c' });
    expect(server.last.target).toBe('/items?cursor=c&api_key=secret%20key%2F1');
    expect(textOf(result)).toContain('bad /items?cursor=c');
    expect(registry.lines.length).toBeGreaterThan(0);
    expect(JSON.stringify(result) + registry.lines.join('\n')).not.toMatch(/secret.{0,3}(?:key|token)/);
    await server[Symbol.asyncDispose]();
    try {
      const lost = await call(registry, 'list');
      expect(textOf(lost)).toContain('cannot be reached (ECONNREFUSED)');
      expect(JSON.stringify(lost) + registry.lines.join('\n')).not.toMatch(/secret.{0,3}(?:key|token)/);
    } finally {
      server = await ApiServer.start();
    }
  });

  it('aborts its request when the caller cancels', async () => {
    const controller = new AbortController();
    let isClosed = false;
    server.answer = (_, __, socket) => {
      socket.on('close', () => (isClosed = true));
      controller.abort();
    };
    const result = await serve().executeTool({
      name: 'items',
      arguments: { action: 'list' },
      signal: controller.signal,
    });
    expect(result).toMatchObject({ isError: true, _meta: { 'toolfold/error': { code: 'ErrCancelled' } } });
    await expect.poll(() => isClosed).toBe(true);
  });

  it('says how to get the next page, also if its result is cut', async () => {
    const items = Array.from({ length: 500 }, (_, id) => ({ id, text: 'some words about this item' }));
    server.answer = (_, response) => answerJson(response, { items, next_cursor: 'abc' });
    const result = await call(serve({ outputBudget: { tokens: 1_000 } }), 'list');
    expect(result).not.toHaveProperty('isError');
    expect(textOf(result)).toContain(
      'There are more results. For the next page, repeat the call with cursor: "abc".',
    );
    expect(textOf(result).length).toBeLessThan(8_000);
  });
});

describe('@toolfold/openapi', () => {
  it('needs no module of Node in a worker', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolfold-'));
    try {
      const entry = join(folder, 'worker.mjs');
      const dist = fileURLToPath(new URL('../dist/', import.meta.url));
      writeFileSync(entry, `export { fromOpenAPI } from ${JSON.stringify(`${dist}index.js`)};`);
      const { imports, inputs } = await bundleWorker(entry);
      expect(imports).toEqual([]);
      expect(inputs.some((path) => path.includes('openapi'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
