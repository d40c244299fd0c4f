import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { RunningServer } from 'toolfold/node';
import { createTestClient } from '@toolfold/testing';
import { createHandler, Exposure } from 'toolfold/web';
import type { OfferedView } from 'toolfold/web';
import { modernRequest } from '../../../test/wire/raw-request.js';
import { clientsOfBothEras } from '../../../test/wire/clients-of-both-eras.js';

const listed = ['search_tools', 'describe_tools', 'run_code'];
const empty = z.object({});

const createRegistry = (): ToolRegistry =>
  new ToolRegistry({ name: 'acme', rateLimiter: false }).register(
    new GroupedToolBuilder('people')
      .description('People')
      .action({
        name: 'list',
        description: 'Lists people',
        readOnly: true,
        inputSchema: empty,
        handler: () => ({ people: ['Ada', 'Bo'] }),
      })
      .action({
        name: 'age',
        description: 'Returns the age of a person',
        readOnly: true,
        inputSchema: z.object({ name: z.string() }),
        handler: ({ input }) => ({ age: input.name.length * 10 }),
      })
      .action({
        name: 'salary',
        description: 'Returns the salary of a person',
        readOnly: true,
        scopes: ['pay:read'],
        inputSchema: empty,
        handler: () => ({ salary: 1 }),
      })
      .action({
        name: 'rename',
        description: 'Renames a person',
        destructive: false,
        inputSchema: z.object({ name: z.string() }),
        handler: ({ input }) => `renamed ${input.name}`,
      }),
  );

const sum = `
  const { people } = await tools.people.list({});
  const ages: { age: number }[] = await Promise.all(people.map((name: string) => tools.people.age({ name })));
  return ages.reduce((total, { age }) => total + age, 0);
`;
const attempt = (call: string): string =>
  `try { return await ${call}; } catch (error) { return error.code + ': ' + error.message; }`;

const textOf = ({ content }: { content?: unknown }): string =>
  (content as { text?: string }[] | undefined)?.[0]?.text ?? '';

describe('the code form over HTTP', () => {
  let running: RunningServer;
  beforeAll(async () => {
    running = await serveHttp(createRegistry(), { port: 0, view: { form: 'code' } });
  });
  afterAll(() => running.close());

  const clients = clientsOfBothEras(() => running.url);

  it.each(clients)('lists three tools, finds, describes and runs for a client %s', async (_, connect) => {
    const client = await connect();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(listed);
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    expect(textOf(await call('search_tools', { query: 'age of a person' }))).toContain('people.age(');
    expect(textOf(await call('describe_tools', { tools: ['people.age'] }))).toContain('name: string');
    const result = await call('run_code', { code: sum });
    expect(result.isError).not.toBe(true);
    expect(textOf(result)).toContain('50');
    const rejected = await call('run_code', { code: attempt(`tools.people.rename({ name: 'Cy' })`) });
    expect(textOf(rejected)).toContain('ErrCallNotAllowed');
    // The tools of the search form can be called, but are not listed.
    const written = await call('call_write_tool', {
      address: 'people/rename',
      arguments: { name: 'Cy' },
    });
    expect(textOf(written)).toBe('renamed Cy');
    await client.close();
  });
});

describe('twelve runs of one client of an address', () => {
  const setUp = async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let started = 0;
    let onSeven = (): void => undefined;
    const seven = new Promise<void>((resolve) => {
      onSeven = resolve;
    });
    const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register({
      name: 'wait',
      description: 'Waits',
      readOnly: true,
      inputSchema: empty,
      handler: async () => {
        if (++started === 7) onSeven();
        await released;
        return 'done';
      },
    });
    const server = await serveHttp(registry, { port: 0, view: { form: 'code' }, closeOnSignals: false });
    const runOf = async (name: string, code: string): Promise<string> => {
      const params = { name: 'run_code', arguments: { code } };
      const meta = { 'io.modelcontextprotocol/clientInfo': { name, version: '1' } };
      const response = await fetch(server.url, modernRequest('tools/call', params, { meta }));
      return textOf(((await response.json()) as { result: object }).result);
    };
    return { server, release, seven, runOf };
  };

  it('do not delay a run of a second 2026 client', async () => {
    const { server, release, seven, runOf } = await setUp();
    const all = Array.from({ length: 12 }, () => runOf('first', 'await tools.wait({})'));
    await seven;
    expect(await runOf('second', '1 + 1')).toBe('2');
    release();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 12 }, () => 'done'));
    await server.close();
  });

  it('do not delay a run of a second 2025 session', async () => {
    const { server, release, seven } = await setUp();
    const [, connect] = clientsOfBothEras(() => server.url)[1] ?? expect.unreachable();
    const [first, second] = await Promise.all([connect(), connect()]);
    const run = async (client: typeof first, code: string): Promise<string> =>
      textOf(await client.callTool({ name: 'run_code', arguments: { code } }));
    const all = Array.from({ length: 12 }, () => run(first, 'await tools.wait({})'));
    await seven;
    expect(await run(second, '1 + 1')).toBe('2');
    release();
    expect(await Promise.all(all)).toEqual(Array.from({ length: 12 }, () => 'done'));
    await Promise.all([first.close(), second.close()]);
    await server.close();
  });
});

/** The tools of a view as JSON text, for both protocols. */
async function listOf(view: OfferedView): Promise<string> {
  const exposure = new Exposure(createRegistry(), { view });
  const { listPages } = await exposure.viewFor({});
  const text = (['2025-11-25', '2026-07-28'] as const).map((protocolVersion) =>
    listPages({ protocolVersion }),
  );
  exposure.close();
  return JSON.stringify(text);
}

describe('the list of the code form', () => {
  it('has the same bytes for equal configurations, and for all selections', async () => {
    const whole = await listOf({ form: 'code' });
    expect(await listOf({ form: 'code', code: { allow: 'read' } })).toBe(whole);
    expect(await listOf({ form: 'code', actions: ['people/list'] })).toBe(whole);
  });

  it('has the pinned tools, also those of the search form', async () => {
    const exposure = new Exposure(createRegistry(), {
      view: { form: 'code', pinned: ['people/list', 'call_write_tool'] },
    });
    const { tools } = await exposure.viewFor({});
    expect([...tools.keys()].toSorted()).toEqual([...listed, 'call_write_tool', 'people_list'].toSorted());
    // A narrowed view keeps the tools of the form.
    const narrowed = await exposure.viewFor({ selection: { tools: ['people/age'] } });
    expect([...narrowed.tools.keys()].toSorted()).toEqual([...listed, 'call_write_tool'].toSorted());
    exposure.close();
  });

  it('rejects a pin that does not exist when the server starts', () => {
    expect(() => createHandler(createRegistry(), { view: { form: 'code', pinned: ['people/lst'] } })).toThrow(
      'The code form pins "people/lst", which does not exist. Did you mean "people/list"?',
    );
  });

  it('is lowered for the profile of the client', async () => {
    const strict = await listOf({ form: 'code', profile: 'openai-strict' });
    expect(strict).not.toBe(await listOf({ form: 'code' }));
    expect(JSON.parse(strict)).toHaveLength(2);
  });

  it('is chosen by a row of the table of clients', async () => {
    const exposure = new Exposure(createRegistry(), {
      view: { form: 'auto', clients: [{ name: 'coder*', profile: 'anthropic', form: 'code' }] },
    });
    const toolsFor = async (name: string): Promise<string[]> => {
      const view = await exposure.viewFor({ caller: { client: { name, version: '1' } } });
      return [...view.tools.keys()];
    };
    expect(await toolsFor('coder-cli')).toEqual(listed);
    expect(await toolsFor('cursor')).toEqual(['people']);
    exposure.close();
  });
});

describe('code in the code form', () => {
  it('does not know actions that the caller cannot see, when callers interleave', async () => {
    const handler = createHandler(createRegistry(), {
      view: { form: 'code' },
      scopes: 'hide',
      requestLimit: false,
    });
    const run = async (code: string, scopes: readonly string[], headers: Record<string, string> = {}) => {
      const request = modernRequest('tools/call', { name: 'run_code', arguments: { code } });
      const authInfo = { token: 't', clientId: 'c', scopes: [...scopes] };
      const response = await handler.fetch(
        new Request('http://localhost/mcp', { ...request, headers: { ...request.headers, ...headers } }),
        { authInfo },
      );
      const { result } = (await response.json()) as { result: { content: { text: string }[] } };
      return textOf(result);
    };
    const salary = attempt('tools.people.salary({})');
    const age = attempt(`tools.people.age({ name: 'Ada' })`);
    const only = { 'x-mcp-tools': 'people/list' };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => [
        run(salary, ['pay:read']),
        run(salary, []),
        run(age, ['pay:read'], only),
        run(age, []),
      ]).flat(),
    );
    for (let at = 0; at < answers.length; at += 4) {
      expect(answers[at]).toMatch(/"salary": ?1/);
      expect(answers[at + 1]).toContain('ErrUnknownTool');
      expect(answers[at + 2]).toContain('ErrUnknownTool');
      expect(answers[at + 3]).toContain('30');
    }
    await handler.close();
  });

  it('calls the tools of toolsets and of mounted registries, in every mode', async () => {
    for (const mode of ['STATIC', 'DYNAMIC'] as const) {
      const registry = new ToolRegistry({ name: 'host', rateLimiter: false });
      const handler = createHandler(registry, {
        view: { form: 'code' },
        toolsets: {
          catalog: { crm: { name: 'CRM', description: 'Customers', tools: [countTool] } },
          startup: mode === 'STATIC' ? { mode, toolsets: 'ALL' } : { mode },
        },
      });
      for (const era of ['2025', '2026'] as const) {
        const client = await createTestClient(handler, { era });
        const names = (await client.listTools()).map(({ name }) => name);
        expect(names).toEqual(listed);
        const result = await client.call('run_code', { code: 'return await tools.crm.count({})' });
        expect(JSON.stringify(result)).toContain('7');
        await client.close();
      }
      await handler.close();
    }
    const host = new ToolRegistry({ name: 'host', rateLimiter: false }).mount('acme', createRegistry());
    const client = await createTestClient(host, { form: 'code' });
    const result = await client.call('run_code', {
      code: 'const { people } = await tools.acme.people.list({}); people.length',
    });
    expect(JSON.stringify(result)).toContain('2');
    await client.close();
  });
});

const countTool = {
  name: 'count',
  description: 'Counts customers',
  readOnly: true,
  inputSchema: { type: 'object' as const },
  handler: () => ({ count: 7 }),
};

describe('the test client in the code form', () => {
  it.each(['2025', '2026'] as const)('runs code and calls actions by path, in %s', async (era) => {
    const client = await createTestClient(createRegistry(), { era, form: 'code' });
    expect(JSON.stringify(await client.call('run_code', { code: sum }))).toContain('50');
    expect(JSON.stringify(await client.call('people.age', { name: 'Ada' }))).toContain('30');
    expect(JSON.stringify(await client.call('people.rename', { name: 'Cy' }))).toContain('renamed Cy');
    expect(JSON.stringify(await client.call('people.lost', {}))).toContain('ErrUnknownTool');
    expect(client.errors).toEqual([]);
    await client.close();
  });
});
