import { describe, expect, it } from 'vitest';
import type { ToolsetConfig } from 'toolfold/web';
import { allClients, legacyClients, modern } from './toolset-clients.js';
import { configOf } from './toolset-server.js';
import { setUp, postModern } from './toolset-setup.js';

const onlyUsers: ToolsetConfig['select'] = () => ({ toolsets: ['users'] });

describe('a toolset that the token of a caller does not grant', () => {
  it('is not named to a caller that selects an unknown one', async () => {
    const { server } = await setUp({ select: onlyUsers });
    const hidden = await postModern(`${server.url}/x/billing`, 'tools/list');
    expect(hidden.text).toContain('Valid: users.');
    // Hidden toolsets are not named, and get the same error as unknown ones.
    for (const headers of [{ 'x-mcp-toolsets': 'nope' }, { 'x-mcp-toolsets': 'bilings' }]) {
      const { status, text } = await postModern(server.url, 'tools/list', headers);
      expect(status).toBe(400);
      expect(text).not.toContain('billing');
      expect(text).not.toContain('basics');
    }
  });

  it.each(legacyClients)(
    'is not named by enable and disable, though it is active from the start: %s',
    async (_, connect) => {
      const { open } = await setUp({
        select: onlyUsers,
        startup: { mode: 'DYNAMIC', toolsets: ['billing'] },
      });
      const client = await open(connect);
      const off = await client.call('disable_toolset', { toolset: 'nope' });
      const on = await client.call('enable_toolset', { toolset: 'users' });
      const gone = await client.call('disable_toolset', { toolset: 'billing' });
      expect({ off: off.text, on: on.text, isError: gone.isError }).toEqual({
        off: expect.not.stringContaining('billing'),
        on: expect.not.stringContaining('billing'),
        isError: true,
      });
    },
  );

  it.each(legacyClients)('does not count against the limit of the caller: %s', async (_, connect) => {
    const { open } = await setUp({
      select: onlyUsers,
      startup: { mode: 'DYNAMIC', toolsets: ['billing'] },
      exposurePolicy: { maxActiveToolsets: 1 },
    });
    const client = await open(connect);
    const { text, isError } = await client.call('enable_toolset', { toolset: 'users' });
    expect(text).not.toContain('billing');
    expect(isError).toBe(false);
  });
});

describe('an invalid result of `select`', () => {
  const slips: Readonly<Record<string, unknown>> = {
    'a promise': Promise.resolve({ toolsets: ['users'], readOnly: true }),
    'text for a list': { toolsets: 'users,billing-archive' },
    'another name': { toolset: ['users'] },
    'text for a flag': { toolsets: ['users'], readOnly: 'true' },
    'a wrong type': 'users',
  };
  it.each(Object.keys(slips))('does not widen the view: %s', async (name) => {
    const { server } = await setUp({ select: (() => slips[name]) as never });
    const { text } = await postModern(server.url, 'tools/list');
    const names = [...text.matchAll(/"name":"(\w+)"/g)].map(([, each]) => each);
    for (const hidden of ['add_user', 'pay_invoice', 'list_invoices']) expect(names).not.toContain(hidden);
  });
});

describe('a module that cannot be served', () => {
  const bad: Readonly<Record<string, () => unknown>> = {
    'a tool with the name of a registered one': () => [
      { name: 'ping', description: 'x', inputSchema: { type: 'object' }, handler: () => 'x' },
    ],
    'a tool with the name of one in another toolset': () => [
      { name: 'list_users', description: 'x', inputSchema: { type: 'object' }, handler: () => 'x' },
    ],
    'a name that clients reject': () => [
      { name: 'a.b', description: 'x', inputSchema: { type: 'object' }, handler: () => 'x' },
    ],
    'one tool twice': () => [
      { name: 'twice', description: 'x', inputSchema: { type: 'object' }, handler: () => 'x' },
      { name: 'twice', description: 'x', inputSchema: { type: 'object' }, handler: () => 'x' },
    ],
  };
  it.each(Object.keys(bad))('leaves the other tools to a client that searches: %s', async (name) => {
    const base = configOf();
    const { open } = await setUp({
      startup: { mode: 'DYNAMIC' },
      moduleLoaders: { ...base.moduleLoaders, broken: bad[name] as never },
    });
    const client = await open(modern);
    const found = await client.call('call_read_tool', { address: 'list_invoices' });
    expect(found).toMatchObject({ text: 'list_invoices' });
  });

  it('does not break the server if one of its tools is pinned', async () => {
    const { open } = await setUp(
      { startup: { mode: 'STATIC', toolsets: 'ALL' } },
      { view: { form: 'search', pinned: ['tool_of_broken'] } },
    );
    const client = await open(modern);
    expect(await client.call('call_read_tool', { address: 'list_invoices' })).toMatchObject({
      text: 'list_invoices',
    });
  });

  it.each(legacyClients)(
    'does not affect a read-only client that has not enabled it: %s',
    async (_, connect) => {
      const { open, loads } = await setUp({ startup: { mode: 'DYNAMIC' } });
      const client = await open(connect, '/readonly');
      expect(await client.names()).toContain('enable_toolset');
      expect(loads).toEqual([]);
    },
  );

  it.each(allClients)('does not affect a client that selects other tools: %s', async (_, connect) => {
    const { open } = await setUp({ startup: { mode: 'DYNAMIC' } });
    const client = await open(connect, '', { 'x-mcp-tools': 'whoami' });
    expect(await client.names()).toEqual(['whoami']);
  });
});

describe('the limit of active toolsets', () => {
  it.each(allClients)('applies if a request names tools: %s', async (_, connect) => {
    const base = configOf();
    const { open } = await setUp({
      startup: { mode: 'DYNAMIC' },
      exposurePolicy: { maxActiveToolsets: 1, denylist: ['broken'] },
      catalog: base.catalog,
    });
    await expect(
      open(connect, '', { 'x-mcp-tools': 'list_users,list_invoices' }).then((client) => client.names()),
    ).rejects.toThrow('At most 1 toolsets');
  });

  it('is reported with 400 although the listener throws', async () => {
    const { server } = await setUp({
      startup: { mode: 'DYNAMIC' },
      exposurePolicy: {
        maxActiveToolsets: 1,
        denylist: ['broken'],
        onLimitExceeded: () => {
          throw new Error('no metrics today');
        },
      },
    });
    const { status, text } = await postModern(`${server.url}/x/users,billing`, 'tools/list');
    expect([status, text]).toEqual([400, expect.stringContaining('At most 1 toolsets')]);
  });
});
