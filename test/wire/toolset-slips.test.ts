import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../../src/index.js';
import type { ToolsetConfig } from '../../src/index.js';
import type { ServeHttpOptions } from '../../src/serve/node.js';
import { legacyClients } from './toolset-clients.js';
import { configOf, start } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

async function setUp(config: Partial<ToolsetConfig> = {}, options: ServeHttpOptions = {}) {
  const server = await start(configOf(config), options);
  cleanUps.push(() => server.close());
  return server;
}

const prefix = 'io.modelcontextprotocol/';
const _meta = {
  [`${prefix}protocolVersion`]: '2026-07-28',
  [`${prefix}clientCapabilities`]: {},
  [`${prefix}clientInfo`]: { name: 'c', version: '1' },
};

async function list(url: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/list',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: { _meta } }),
  });
  const body = (await response.json()) as {
    id: unknown;
    result: { tools: { name: string }[]; ttlMs: number };
  };
  return { status: response.status, body };
}

describe('what a toolset holds without loading', () => {
  const tool = (more: object) => ({
    name: 'a',
    description: 'A',
    inputSchema: { type: 'object' },
    handler: () => 'a',
    ...more,
  });
  const builder = new GroupedToolBuilder('platform').action({
    name: 'list',
    inputSchema: {},
    handler: () => 'list',
  });
  const slips: Readonly<Record<string, readonly [tools: readonly unknown[], policy?: object]>> = {
    'without a handler': [[tool({ handler: undefined })]],
    'with a name that clients refuse': [[tool({ name: 'a.b' })]],
    'twice by one name': [[tool({}), tool({})]],
    'with the name of a registered tool': [[tool({ name: 'ping' })]],
    'a builder that cannot be renamed': [[builder], { namespaceToolsWithSetKey: true }],
  };
  it.each(Object.keys(slips))('is refused before anything is served: %s', async (name) => {
    const [tools, exposurePolicy = {}] = slips[name]!;
    const started = start(
      configOf({
        catalog: { t: { name: 'T', description: 'T', tools: tools as never } },
        moduleLoaders: {},
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        exposurePolicy,
      }),
    );
    started.then((server) => cleanUps.push(() => server.close())).catch(() => undefined);
    await expect(started.then(() => 'it serves')).rejects.toThrow();
  });
});

describe('a list that lacks what could not be loaded', () => {
  it('is not one that clients may keep', async () => {
    let isUp = false;
    const base = configOf();
    const { url } = await setUp(
      {
        startup: { mode: 'DYNAMIC', toolsets: ['billing'] },
        moduleLoaders: {
          ...base.moduleLoaders,
          billing: (context) => {
            if (!isUp) throw new Error('down');
            return base.moduleLoaders['billing']!(context);
          },
        },
      },
      { listTtlMs: 3_600_000 },
    );
    const before = await list(url);
    isUp = true;
    const names = before.body.result.tools.map(({ name }) => name);
    expect(names).not.toContain('list_invoices');
    expect(before.body.result.ttlMs).toBe(0);
  });
});

describe('a refusal of what is selected', () => {
  it('answers the request that it refuses, whatever is wrong', async () => {
    const { url } = await setUp();
    for (const headers of [
      { 'x-mcp-tools': 'nope' },
      { 'x-mcp-toolsets': 'nope' },
      { 'x-mcp-readonly': 'maybe' },
    ])
      expect((await list(url, headers as unknown as Record<string, string>)).body.id).toBe(7);
  });
});

describe('what a loader throws', () => {
  it.each(legacyClients)('tells a tenant no credential of the server: %s', async (_, connect) => {
    const base = configOf();
    const { url } = await setUp({
      startup: { mode: 'DYNAMIC' },
      sessionContext: {
        header: { name: 'mcp-session-config', encoding: 'json', allowedKeys: ['accessToken'] },
        credentialKeys: ['accessToken'],
      },
      moduleLoaders: base.moduleLoaders,
    });
    const client = await connect(url, { 'mcp-session-config': '{"accessToken":"token-of-ada"}' });
    cleanUps.push(() => client.close());
    const { text, isError } = await client.call('enable_toolset', { toolset: 'broken' });
    expect(isError).toBe(true);
    expect(text).not.toContain('token-of-the-server');
  });
  it.each(legacyClients)('tells no password of an address: %s', async (_, connect) => {
    const base = configOf();
    const { url } = await setUp({
      startup: { mode: 'DYNAMIC' },
      moduleLoaders: {
        ...base.moduleLoaders,
        broken: () => {
          throw new Error('connect ECONNREFUSED postgres://svc:hunter2secret@db.internal/prod');
        },
      },
    });
    const client = await connect(url);
    cleanUps.push(() => client.close());
    const { text } = await client.call('enable_toolset', { toolset: 'broken' });
    expect(text).not.toContain('hunter2secret');
  });
});

describe('a grant', () => {
  it('is asked for once in a request, so that its parts belong together', async () => {
    let asked = 0;
    const { url } = await setUp({
      select: () => {
        asked++;
        return { toolsets: ['users'] };
      },
    });
    await list(url);
    expect(asked).toBe(1);
  });
});
