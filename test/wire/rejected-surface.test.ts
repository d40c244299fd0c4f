import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { createClient } from '@toolfold/testing/client';
import type { HandlerOptions } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { profileNames } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { checkSurface } from './rejected-surface.js';
import { createRejected } from './rejected-tools.js';
import type { SurfaceClient } from './rejected-surface.js';

const info = { name: 'test', version: '1.0.0' };

async function connect(url: URL, era: '2025' | '2026' | '2025 (v1)', as = info) {
  if (era === '2025 (v1)') {
    const client = new ClientV1(as);
    await client.connect(new TransportV1(url) as never);
    return client;
  }
  const mode = era === '2026' ? ({ pin: '2026-07-28' } as const) : ('legacy' as const);
  const client = new Client(as, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

type Connected = Awaited<ReturnType<typeof connect>>;

function surfaceOf(client: Connected): SurfaceClient {
  return {
    list: async () => (await client.listTools()).tools as never,
    call: async (name, args) => (await client.callTool({ name, arguments: args })) as never,
  };
}

async function serving<T>(options: HandlerOptions, use: (url: URL) => Promise<T>): Promise<T> {
  const server = await serveHttp(createRejected(), { port: 0, requestLimit: false, ...options });
  try {
    return await use(new URL(server.url));
  } finally {
    await server.close();
  }
}

describe('a surface that providers reject', () => {
  it.each(profileNames)(
    'is listed, called and answered over HTTP through the profile %s',
    async (profile) => {
      await serving({ view: { profile } }, async (url) => {
        for (const era of ['2026', '2025', '2025 (v1)'] as const) {
          const client = await connect(url, era);
          await checkSurface(surfaceOf(client), profile);
          await client.close();
        }
      });
    },
  );

  it.each([
    ['cursor-vscode', 'cursor'],
    ['claude-ai', 'anthropic'],
    ['gemini-cli-mcp-client', 'gemini'],
    ['codex-mcp-client', 'codex'],
    ['unheard-of', 'standard'],
  ] satisfies [string, ProfileName][])(
    'is lowered for the client %s, which gets the profile %s in either era',
    async (name, profile) => {
      await serving({ view: { profile: 'client' } }, async (url) => {
        for (const era of ['2026', '2025'] as const) {
          const client = await connect(url, era, { name, version: '9' });
          await checkSurface(surfaceOf(client), profile);
          await client.close();
        }
      });
    },
  );

  it('shows interleaved clients only their own names and schemas', async () => {
    await serving({ view: { profile: 'client' } }, async (url) => {
      const names = ['cursor', 'claude-ai', 'gemini-cli', 'codex', 'x'];
      const clients = await Promise.all(
        ['2026', '2025'].flatMap((era) =>
          names.map((name) => connect(url, era as '2026', { name, version: '9' })),
        ),
      );
      const list = async (): Promise<string[]> =>
        Promise.all(clients.map(async (client) => JSON.stringify((await client.listTools()).tools)));
      const first = await list();
      for (let round = 0; round < 3; round++) expect(await list()).toEqual(first);
      expect(new Set(first.slice(0, names.length)).size).toBe(names.length);
      await Promise.all(clients.map((client) => client.close()));
    });
  });

  it.each(profileNames)('is called by typed clients through the profile %s', async (profile) => {
    await serving({ view: { profile } }, async (url) => {
      const client = await createClient<unknown>(url);
      const { files } = client.tools as unknown as {
        readonly files: { move(input: object): Promise<object> };
      };
      expect(await files.move({ from: 'a', to: 'b' })).toMatchObject({
        content: [{ text: '{"from":"a","to":"b"}' }],
      });
      await client.close();
    });
  });
});

describe('the cacheScope of a 2026 list', () => {
  it.each([
    [{}, 'private'],
    [{ profile: 'standard' }, 'public'],
    [{ profile: 'gemini' }, 'public'],
    [{ profile: 'client' }, 'private'],
    [{ form: 'auto' }, 'private'],
    [{ profile: 'client', clients: [{ name: '*', profile: 'codex' }] }, 'public'],
  ] satisfies [HandlerOptions['view'], string][])('with the view %j is %s', async (view, scope) => {
    await serving({ view }, async (url) => {
      const client = (await connect(url, '2026')) as Client;
      expect(await client.listTools()).toMatchObject({ cacheScope: scope });
      await client.close();
    });
  });
});

describe('a selection', () => {
  it.each(['files.move', 'files_move'])('can name a tool as %s, in every profile', async (name) => {
    for (const profile of ['portable', 'gemini', 'client'] as const)
      await serving({ view: { profile } }, async (url) => {
        const client = new Client(info, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
        await client.connect(
          new StreamableHTTPClientTransport(url, { requestInit: { headers: { 'x-mcp-tools': name } } }),
        );
        expect((await client.listTools()).tools).toHaveLength(1);
        await client.close();
      });
  });
});
