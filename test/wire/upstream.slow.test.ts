import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Toolsets } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import {
  codeOf,
  everything,
  filesystem,
  isAlive,
  proxy,
  faulty,
  startEverythingHttp,
  textOf,
} from '../../packages/gateway/test/upstream-servers.js';

/** The answers that the official client gets from a server. */
async function listDirectly(target: { command: string; args: string[] }) {
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} } },
  );
  await client.connect(new StdioClientTransport({ ...target, stderr: 'ignore' }));
  onTestFinished(() => client.close());
  return { client, tools: (await client.listTools()).tools };
}

describe('server-everything as a module', () => {
  it('offers its tools unchanged: schemas, titles, annotations, output schemas', async () => {
    const skipped: string[] = [];
    const { registry, upstream } = await proxy(everything, { onSkipped: (name) => skipped.push(name) });
    const { tools } = await listDirectly(everything);
    const ours = new Map(
      registry
        .view({ profile: 'none' })
        .listTools()
        .map((tool) => [tool.name, tool]),
    );
    const offered = tools.filter(({ name }) => ours.has(name));
    expect(skipped).toEqual([]);
    expect(offered.length).toBeGreaterThan(10);
    for (const tool of offered) {
      const { inputSchema, title, description, annotations, outputSchema } = tool;
      expect(ours.get(tool.name)).toMatchObject({ inputSchema, title, description, annotations });
      // The protocol defines the dialect, so schemas omit it.
      const { $schema: _, ...output } = (outputSchema ?? {}) as Record<string, unknown>;
      expect(ours.get(tool.name)?.outputSchema ?? {}).toMatchObject(output);
    }
    expect(upstream.server?.name).toBe('mcp-servers/everything');
    expect(upstream.server?.instructions).toContain('Everything Server');
  });

  it.each([
    ['stdio', async () => everything],
    ['Streamable HTTP', async () => ({ url: (await startEverythingHttp()).url })],
  ])('passes on results of every kind over %s', async (_, start) => {
    const { call } = await proxy(await start());
    const { client } = await listDirectly(everything);
    for (const [name, args] of [
      ['echo', { message: 'Grüße' }],
      ['get-structured-content', { location: 'Chicago' }],
      ['get-tiny-image', {}],
      ['get-annotated-message', { messageType: 'error', includeImage: true }],
      ['get-resource-links', { count: 3 }],
    ] as const) {
      const { content, structuredContent } = await client.callTool({ name, arguments: args });
      expect(await call(name, args)).toEqual({
        content,
        ...(structuredContent ? { structuredContent } : {}),
      });
    }
    expect(textOf(await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }))).toContain(
      'Resource 1',
    );
  });

  it('passes progress on to the right call', async () => {
    const { call } = await proxy(everything);
    const run = async (steps: number): Promise<unknown[]> => {
      const reports: unknown[] = [];
      await call(
        'trigger-long-running-operation',
        { duration: 1, steps },
        {
          progress: async (...report) => void reports.push(report.slice(0, 2)),
        },
      );
      return reports;
    };
    const expected = (steps: number) => Array.from({ length: steps }, (_, step) => [step + 1, steps]);
    expect(await Promise.all([run(2), run(3), run(5)])).toEqual([2, 3, 5].map(expected));
  });

  it('receives the cancellation of a call, whose caller does not wait for it', async () => {
    const { call } = await proxy(everything);
    const controller = new AbortController();
    const progress = async () => controller.abort(new Error('enough'));
    const begun = Date.now();
    const result = await call(
      'trigger-long-running-operation',
      { duration: 60, steps: 60 },
      { signal: controller.signal, progress },
    );
    expect(codeOf(result)).toBe('ErrCancelled');
    expect(Date.now() - begun).toBeLessThan(30_000);
    expect(textOf(await call('echo', { message: 'on' }))).toBe('Echo: on');
  });

  it('has its arguments validated before a call is forwarded', async () => {
    const { call } = await proxy(everything);
    expect(codeOf(await call('get-sum', { a: 'one', b: 2 }))).toBe('ErrValidationFailed');
  });
});

describe('server-filesystem as a module', () => {
  it('reads and writes allowed files, and explains rejections elsewhere', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'upstream-')));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, 'a.txt'), 'from before');
    const { call, registry } = await proxy(filesystem(folder), { prefix: 'fs' });
    expect(registry.listTools().map(({ name }) => name)).toContain('fs_read_text_file');
    const read = await call('fs_read_text_file', { path: join(folder, 'a.txt') });
    expect(read).toMatchObject({
      content: [{ text: 'from before' }],
      structuredContent: { content: 'from before' },
    });
    await call('fs_write_file', { path: join(folder, 'b.txt'), content: 'new' });
    expect(textOf(await call('fs_list_directory', { path: folder }))).toBe('[FILE] a.txt\n[FILE] b.txt');
    const rejected = await call('fs_read_text_file', { path: '/etc/passwd' });
    expect(rejected.isError).toBe(true);
    expect(textOf(rejected)).toContain('Access denied');
    const readOnly = registry
      .view({ readOnly: true })
      .listTools()
      .map(({ name }) => name);
    expect(readOnly).toContain('fs_read_text_file');
    expect(readOnly).not.toContain('fs_write_file');
  });
});

describe('a Toolfold server as a module', () => {
  const serve = async () => {
    const registry = new ToolRegistry({ name: 'inner', version: '1.0.0' });
    registry.register({
      name: 'describe',
      title: 'Describe',
      description: 'Describes',
      inputSchema: { type: 'object', properties: { of: { type: 'string' } }, required: ['of'] },
      outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      icons: [{ src: 'https://example.com/icon.png' }],
      meta: { 'example.com/kept': [1] },
      readOnly: true,
      handler: ({ input }) => ({ text: String((input as { of: string }).of) }),
    });
    const server = await serveHttp(registry, { port: 0, closeOnSignals: false });
    onTestFinished(() => server.close());
    return { registry, url: server.url };
  };

  it.each(['2025', '2026', 'auto'] as const)(
    'keeps icons, _meta and output schema, protocol %s',
    async (protocol) => {
      const { registry, url } = await serve();
      const outer = await proxy({ url }, { protocol });
      const [tool] = outer.registry.listTools();
      expect(tool).toEqual(registry.listTools()[0]);
      expect(await outer.call('describe', { of: 'this' })).toMatchObject({
        structuredContent: { text: 'this' },
      });
    },
  );

  it.each(['2025', '2026'] as const)(
    'announces a changed list, once for several changes, protocol %s',
    async (protocol) => {
      const { registry, url } = await serve();
      const { upstream } = await proxy({ url }, { protocol });
      let count = 0;
      const changed = new Promise<void>((resolve) => {
        upstream.onChange(() => {
          count++;
          resolve();
        });
      });
      for (const name of ['b', 'c']) {
        registry.register({ name, description: name, inputSchema: {}, handler: () => name });
      }
      await changed;
      expect((await upstream()).map(({ name }) => name)).toEqual(['describe', 'b', 'c']);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(count).toBe(1);
    },
  );
});

describe('the tools of several servers', () => {
  it('are kept apart by a prefix', async () => {
    const [first, second] = await Promise.all(
      ['one', 'two'].map(async (prefix) => {
        const upstream = fromMcpServer(faulty(), { prefix });
        onTestFinished(() => upstream.close());
        return upstream();
      }),
    );
    const registry = new ToolRegistry();
    registry.register(...first!, ...second!);
    expect(registry.has('one_echo') && registry.has('two_echo')).toBe(true);
    expect(textOf(await registry.executeTool({ name: 'two_echo', arguments: { a: 1 } }))).toBe('{"a":1}');
  });

  it('are rejected if two have the same name, with a hint to use a prefix', async () => {
    const modules = [fromMcpServer(faulty()), fromMcpServer(faulty())];
    onTestFinished(async () => void (await Promise.all(modules.map((module) => module.close()))));
    const registry = new ToolRegistry();
    registry.register(...(await modules[0]!()));
    expect(() => registry.register()).not.toThrow();
    const more = await modules[1]!();
    expect(() => registry.register(...more)).toThrow(/"pid" is already registered.*prefix/);
    const toolsets = new Toolsets(new ToolRegistry(), {
      catalog: {
        a: { name: 'A', description: 'A', modules: ['first'] },
        b: { name: 'B', description: 'B', modules: ['second'] },
      },
      moduleLoaders: { first: modules[0]!, second: modules[1]! },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
    });
    const context = { context: {}, hash: '' };
    await expect(toolsets.view(['a', 'b'], context)).rejects.toThrow(/called "pid".*prefix/);
    expect((await toolsets.view(['a'], context)).tools.has('pid')).toBe(true);
  });

  it('have names that every client accepts, the same for the same list in any order', async () => {
    const tool = (name: string) => ({ name, description: 'x', inputSchema: { type: 'object' } });
    const names = [
      'users.create',
      'users_create',
      'users/create',
      'über',
      'x'.repeat(100),
      '__proto__',
      'constructor',
    ];
    const load = async (listed: readonly string[]) => {
      const upstream = fromMcpServer(faulty('plain', listed.map(tool)));
      onTestFinished(() => upstream.close());
      const definitions = await upstream();
      return { definitions, names: definitions.map(({ name }) => name).slice(-listed.length) };
    };
    const { names: given, definitions } = await load(names);
    expect(given).toEqual([
      expect.stringMatching(/^users_create_[0-9a-f]{8}$/),
      'users_create',
      expect.stringMatching(/^users_create_[0-9a-f]{8}$/),
      '_ber',
      expect.stringMatching(/^x{55}_[0-9a-f]{8}$/),
      '__proto__',
      'constructor',
    ]);
    expect(new Set(given).size).toBe(names.length);
    expect((await load(names.toReversed())).names.toReversed()).toEqual(given);
    new ToolRegistry().register(...definitions);
  });
});

describe('closing a module', () => {
  it('ends the process that it started, and calls fail from then on', async () => {
    const { upstream, call } = await proxy(faulty());
    const pid = Number(textOf(await call('pid')));
    expect(isAlive(pid)).toBe(true);
    const hanging = call('hang');
    await upstream.close();
    expect(codeOf(await hanging)).toBe('ErrUpstreamLost');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    expect(codeOf(await call('pid'))).toBe('ErrUpstreamLost');
    await expect(upstream()).rejects.toThrow('was closed');
  });
});
