import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { Exposure } from 'toolfold/web';
import { openSession, postModern, send, setUp } from './toolset-setup.js';

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});
const base = { moduleLoaders: {}, context: {}, exposurePolicy: {} };
const namesOf = (view: { listTools: () => readonly { name: string }[] }) =>
  view.listTools().map(({ name }) => name);

describe('a selection', () => {
  it('applies in a session to the request that brings it, independent of earlier ones', async () => {
    const { server } = await setUp({ startup: { mode: 'STATIC', toolsets: ['users', 'billing'] } });
    const session = await openSession(server.url, '2025-11-25', { 'x-mcp-toolsets': 'users' });
    const rejected = await (await session.call('list_invoices', {})).text();
    expect(rejected).toContain('Unknown tool');
    const batchless = await send(
      `${server.url}/x/users/readonly`,
      { jsonrpc: '2.0', id: 9, method: 'tools/call', params: { name: 'add_user', arguments: {} } },
      session.headers,
    );
    expect(await batchless.text()).toContain('Unknown tool');
  });

  it('is rejected for every method if it names an unknown toolset', async () => {
    const { server } = await setUp({ startup: { mode: 'STATIC', toolsets: ['users'] } });
    const session = await openSession(server.url, '2025-11-25');
    const headers = { ...session.headers, accept: 'application/json, text/event-stream' };
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(`${server.url}/x/nope`, { method, headers })).status).toBe(400);
  });
});

describe('the rejection of a selection', () => {
  it('answers its request, for any invalid header', async () => {
    const { server } = await setUp();
    for (const headers of [
      { 'x-mcp-tools': 'nope' },
      { 'x-mcp-toolsets': 'nope' },
      { 'x-mcp-readonly': 'maybe' },
    ]) {
      const { text } = await postModern(
        server.url,
        'tools/list',
        headers as unknown as Record<string, string>,
      );
      expect(JSON.parse(text)).toMatchObject({ id: 1, error: {} });
    }
  });
});

describe('a selection of single tools', () => {
  const serve = (config: Partial<ToolsetConfig>, registry = new ToolRegistry()) => {
    const toolsets: ToolsetConfig = {
      ...base,
      catalog: { users: { name: 'Users', description: 'People', tools: [tool('list_users')] } },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      ...config,
    };
    return { registry, exposure: new Exposure(registry, { toolsets }) };
  };

  it('is rejected once its tool is no longer registered', async () => {
    const { registry, exposure } = serve({}, new ToolRegistry().register(tool('wipe'), tool('ping')));
    const request = { selection: { tools: ['wipe'] } };
    expect(namesOf(await exposure.viewFor(request))).toEqual(['wipe']);
    registry.clear();
    registry.register(tool('ping'));
    await expect((async () => namesOf(await exposure.viewFor(request)))()).rejects.toThrow(
      /Unknown tool "wipe"/,
    );
  });

  it('is rejected once its module no longer has the tool', async () => {
    let tell = () => {};
    let tools = [tool('wipe'), tool('read')];
    const loader = Object.assign(() => tools, {
      onChange: (listener: () => void) => {
        tell = listener;
        return () => {};
      },
    });
    const { exposure } = serve({
      catalog: { up: { name: 'Up', description: 'Up', modules: ['m'] } },
      moduleLoaders: { m: loader },
    });
    const request = { selection: { tools: ['wipe'] } };
    expect(namesOf(await exposure.viewFor(request))).toEqual(['wipe']);
    tools = [tool('read')];
    tell();
    await expect((async () => namesOf(await exposure.viewFor(request)))()).rejects.toThrow(
      /Unknown tool "wipe"/,
    );
  });
});

describe('a grant', () => {
  it('is computed once per request, so that its parts are consistent', async () => {
    let asked = 0;
    const { server } = await setUp({
      select: () => {
        asked++;
        return { toolsets: ['users'] };
      },
    });
    await postModern(server.url, 'tools/list');
    expect(asked).toBe(1);
  });
});
