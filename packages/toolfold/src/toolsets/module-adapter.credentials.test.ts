import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from '../registry/tool-registry.js';
import { ModeConfigMapper, ServerModeEnforcer } from './server-mode.js';
import { createModuleAdapter } from './module-adapter.js';
import type { ModuleAdapterOptions } from './module-adapter.js';
import { Toolsets } from './toolsets.js';

const KEY = 'ACME_ACCESS_TOKEN';
type Register = (server: McpServer, accessToken?: string) => void | Promise<void>;

/** Returns its token and its arguments. */
const registerTools: Register = async (server, accessToken) => {
  await new Promise((resolve) => setImmediate(resolve));
  const text = (...said: unknown[]) => ({ content: [{ type: 'text' as const, text: said.join(' ') }] });
  server.tool('whoami', 'Says whose token it has', async () => text(accessToken ?? 'nobody'));
  server.registerTool(
    'say',
    { description: 'Says it', inputSchema: { what: z.string() } },
    async ({ what }) => text(accessToken ?? 'nobody', what),
  );
};

function setUp(register: Register = registerTools, options: ModuleAdapterOptions = {}) {
  const tokens: unknown[] = [];
  const counted: Register = (server, accessToken) => {
    tokens.push(accessToken);
    return register(server, accessToken);
  };
  const me = createModuleAdapter('me', counted, { credentialKey: KEY, sharesTools: true, ...options });
  const enforcer = new ServerModeEnforcer({
    catalog: { me: { name: 'Me', description: 'Who is it', modules: ['me'] } },
    moduleLoaders: { me },
    credentialKey: KEY,
    argv: ['--all-tools'],
  });
  const config = ModeConfigMapper.toToolsetConfig('ALL_TOOLS', {}, enforcer, 'token-of-the-server');
  const registry = new ToolRegistry({ name: 'test', rateLimiter: false });
  const toolsets = new Toolsets(registry, config);
  const contextOf = (own?: string) =>
    toolsets.contextOf({
      query: () => [],
      header: () => (own === undefined ? undefined : btoa(JSON.stringify({ [KEY]: own }))),
    });
  const viewOf = async (own?: string) => toolsets.view(['me'], contextOf(own));
  const call = async (own?: string, name = 'whoami', args = {}) =>
    registry.executeTool({ name, arguments: args, session: contextOf(own) }, await viewOf(own));
  return { tokens, registry, viewOf, call };
}

const textOf = (text: string) => ({ content: [{ type: 'text', text }] });

describe('a module whose tools are the same for every credential', () => {
  it('is collected and compiled once for all callers, without any credential', async () => {
    const { tokens, viewOf } = setUp();
    const view = await viewOf();
    for (let caller = 0; caller < 20; caller++) expect(await viewOf(`token-${caller}`)).toBe(view);
    expect(tokens).toEqual([undefined]);
  });

  it('answers each caller with its own credential, or with that of the server', async () => {
    const { call } = setUp();
    expect(await call('ada')).toEqual(textOf('ada'));
    expect(await call()).toEqual(textOf('token-of-the-server'));
    expect(await call('grace', 'say', { what: 'hello' })).toEqual(textOf('grace hello'));
  });

  it('registers once for each credential in a call', async () => {
    const { tokens, call } = setUp();
    await Promise.all([call('ada'), call('ada'), call('grace')]);
    await call('ada', 'say', { what: 'again' });
    expect(tokens.toSorted()).toEqual(['ada', 'grace', undefined]);
  });

  it('never mixes callers up when their calls interleave', async () => {
    const names = fc.array(
      fc.option(fc.constantFrom('ada', 'grace', 'joan', 'undefined', 'null'), { nil: undefined }),
    );
    await fc.assert(
      fc.asyncProperty(names, async (callers) => {
        const { call } = setUp();
        const answers = await Promise.all(callers.map((own) => call(own)));
        expect(answers).toEqual(callers.map((own) => textOf(own ?? 'token-of-the-server')));
      }),
      { numRuns: 50 },
    );
  });

  it('fails a call without a resolved context', async () => {
    const { tokens, registry, viewOf } = setUp();
    const result = await registry.executeTool({ name: 'whoami', arguments: {} }, await viewOf('ada'));
    expect(result).toMatchObject({ isError: true });
    expect(tokens).toEqual([undefined]);
  });

  it('registers again for a credential that failed before', async () => {
    let isDown = true;
    const { call } = setUp((server, accessToken) => {
      if (accessToken === 'ada' && isDown) throw new Error('no connection');
      return registerTools(server, accessToken);
    });
    expect(await call('ada')).toMatchObject({ isError: true });
    expect(await call('grace')).toEqual(textOf('grace'));
    isDown = false;
    expect(await call('ada')).toEqual(textOf('ada'));
  });

  it('rejects the call of a tool that it does not register for the credential', async () => {
    const { call } = setUp((server, accessToken) => {
      if (accessToken !== 'ada') return registerTools(server, accessToken);
    });
    expect(await call('ada')).toMatchObject({ isError: true });
    expect(await call('grace')).toEqual(textOf('grace'));
  });

  it('can be folded into one tool', async () => {
    const { call, viewOf } = setUp(registerTools, { grouped: { description: 'Who is it' } });
    expect([...(await viewOf()).tools.keys()]).toEqual(['me']);
    expect(await call('ada', 'me', { action: 'say', what: 'hello' })).toEqual(textOf('ada hello'));
    expect(await call('grace', 'me', { action: 'whoami' })).toEqual(textOf('grace'));
  });
});
