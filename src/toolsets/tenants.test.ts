import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { ErrInvalidSessionContext } from '../errors.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ContextRequest } from '../callers/session-context.js';
import { ModeConfigMapper, ServerModeEnforcer, serverModes } from './server-mode.js';
import type { ToolsetConfig } from './toolset-config.js';
import { createModuleAdapter } from './module-adapter.js';
import type { ServerMode } from './server-mode.js';
import { Toolsets } from './toolsets.js';
import { runs } from '../../test/runs.js';

function registerWhoamiTools(server: McpServer, accessToken?: string): void {
  server.tool('whoami', 'Says whose token it has', async () => ({
    content: [{ type: 'text', text: accessToken ?? 'nobody' }],
  }));
}

const KEY = 'ACME_ACCESS_TOKEN';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** The context of a request, in the header or the query. */
const request = (what: { header?: string; query?: string }): ContextRequest => ({
  header: (name) => (name === 'mcp-session-config' ? what.header : undefined),
  query: (name) => (name === 'config' && what.query !== undefined ? [what.query] : []),
});

const flags: Record<ServerMode, string> = {
  DYNAMIC_TOOL_DISCOVERY: '--dynamic-tool-discovery',
  STATIC_TOOL_SETS: '--tool-sets=me',
  ALL_TOOLS: '--all-tools',
};

function setUp(mode: ServerMode, more: (config: ToolsetConfig) => ToolsetConfig = (config) => config) {
  const loads: unknown[] = [];
  const adapter = createModuleAdapter('me', registerWhoamiTools, { credentialKey: KEY });
  const enforcer = new ServerModeEnforcer({
    catalog: {
      me: { name: 'Me', description: 'Who is it', modules: ['me', 'own'] },
    },
    moduleLoaders: {
      me: async (context) => {
        loads.push(context);
        // Lets loads of several tenants overlap.
        await new Promise((resolve) => setImmediate(resolve));
        return adapter(context);
      },
      // A loader that ignores the key.
      own: (context) => [
        { name: 'own', description: 'Own', inputSchema: {}, handler: () => String(context?.['accessToken']) },
      ],
    },
    credentialKey: KEY,
    argv: [flags[mode]],
  });
  const config = ModeConfigMapper.toToolsetConfig(mode, {}, enforcer, 'token-of-the-operator');
  const registry = new ToolRegistry({ name: 'test' });
  const toolsets = new Toolsets(registry, more(config));
  const call = async (what: { header?: string; query?: string }, name = 'whoami'): Promise<string> => {
    const context = toolsets.contextOf(request(what));
    const active = toolsets.isDynamic ? await toolsets.enable('me', [], context) : toolsets.startup;
    const { content } = await registry.executeTool(
      { name, arguments: {} },
      await toolsets.view(active, context),
    );
    return (content[0] as { text: string }).text;
  };
  return { toolsets, call, loads };
}

describe('tenants', () => {
  it.each(serverModes)(
    '[S003-48] [S003-31] use their own credential instead of the one of the server, in the mode %s',
    async (mode) => {
      const { call } = setUp(mode);
      for (const name of ['whoami', 'own']) {
        expect(await call({}, name)).toBe('token-of-the-operator');
        expect(await call({ header: base64({ [KEY]: 'mine' }) }, name)).toBe('mine');
        expect(await call({}, name)).toBe('token-of-the-operator');
      }
    },
  );

  it('[S003-28] [S003-29] [S003-32] may send it in the query only if the operator allows that', async () => {
    const query = Buffer.from(`{"${KEY}":"your_key"}`).toString('base64');
    const closed = setUp('ALL_TOOLS');
    await expect(closed.call({ query })).rejects.toThrow('credentials must not be sent in a URL');
    expect(closed.loads).toEqual([]);
    const { call } = setUp('ALL_TOOLS', (config) => ({
      ...config,
      sessionContext: { ...config.sessionContext, allowCredentials: true },
    }));
    expect(await call({ query })).toBe('your_key');
  });

  it('never get the token of the operator, or any tool, with a malformed configuration', async () => {
    const malformed = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.jsonValue().map(base64),
      fc.jsonValue().map((value) => base64({ [KEY]: value })),
      fc.string().map((key) => base64({ [KEY]: 'mine', [key]: 1 })),
      fc.constantFrom('', '{}', base64([]), base64(null), base64({ [KEY]: '' }), base64({ [KEY]: null })),
    );
    await fc.assert(
      fc.asyncProperty(malformed, fc.constantFrom('header', 'query'), async (text, place) => {
        const { toolsets } = setUp('ALL_TOOLS');
        let context: Readonly<Record<string, unknown>>;
        try {
          ({ context } = toolsets.contextOf(request({ [place]: text })));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ErrInvalidSessionContext);
          return;
        }
        const said = JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>;
        // A valid context is empty, or brings its own credential.
        expect(Object.keys(said).filter((key) => key !== KEY)).toEqual([]);
        expect(context['accessToken']).toBe(Object.hasOwn(said, KEY) ? said[KEY] : 'token-of-the-operator');
      }),
      { numRuns: runs(300) },
    );
  });

  it('never share a loader result or a view when their requests interleave', async () => {
    const tenant = fc.constantFrom('ada', 'bob', 'eve', '__proto__', 'a', 'aa', undefined);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ tenant, wait: fc.nat(3), name: fc.constantFrom('whoami', 'own') }), {
          minLength: 2,
          maxLength: 30,
        }),
        fc.constantFrom(...serverModes),
        async (requests, mode) => {
          const { call, loads } = setUp(mode);
          await Promise.all(
            requests.map(async ({ tenant: who, wait, name }) => {
              for (let turn = 0; turn < wait; turn++) await new Promise((resolve) => setImmediate(resolve));
              const answer = await call(who === undefined ? {} : { header: base64({ [KEY]: who }) }, name);
              expect(answer).toBe(who ?? 'token-of-the-operator');
            }),
          );
          expect(loads).toHaveLength(new Set(requests.map(({ tenant: who }) => who)).size);
        },
      ),
      { numRuns: 60 },
    );
  });
});
