import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import { follow } from '../../../test/wire/followed-servers.js';
import { codeOf, textOf } from './upstream-servers.js';
import { internalsOf } from 'toolfold/internal';

const items = (mode: string, lists: Readonly<Record<string, unknown>> = {}) => ({
  command: process.execPath,
  args: [
    fileURLToPath(new URL('../../../test/wire/programs/item-upstream.mjs', import.meta.url)),
    mode,
    JSON.stringify(lists),
  ],
});
const options = { protocol: '2025', name: 'odd' } as const;

describe('a followed server that is not trusted', () => {
  it.each([
    ['endless prompts', 'all prompts', 'does not end'],
    ['no resources', 'all resources', 'is not a list'],
    ['failing resourceTemplates', 'all resource templates', 'The database is down'],
    ['many resources', 'all resources', 'it lists more than 2000 resources'],
  ])('loses only the list that cannot be used: %s', async (mode, list, reason) => {
    const { gateway, skipped } = await follow(items(mode), options);
    expect(gateway.counts.tools).toBe(4);
    expect([...skipped.keys()]).toEqual([list]);
    expect(skipped.get(list)).toContain(reason);
  });

  it('may lack a list that its capabilities promise', async () => {
    const { gateway, skipped } = await follow(items('missing resourceTemplates'), options);
    expect(gateway.counts).toEqual({ tools: 4, prompts: 1, resources: 1 });
    expect(skipped.size).toBe(0);
  });

  it('is rejected if its tools cannot be listed', async () => {
    const upstream = fromMcpServer(items('endless tools'), options);
    onTestFinished(() => upstream.close());
    await expect(upstream.follow(new ToolRegistry())).rejects.toThrow('its list of tools');
  });

  it('is listed again later with wait: false if its tools cannot be listed at first', async () => {
    const healthCheck = { everyMs: 100, timeoutMs: 10_000 };
    const { gateway, errors } = await follow(
      items('late tools'),
      { ...options, healthCheck },
      { wait: false },
    );
    await expect.poll(() => gateway.counts).toEqual({ tools: 4, prompts: 1, resources: 2 });
    expect(errors.map(String)).toEqual([expect.stringContaining('The database is not ready')]);
  });

  it('loses only the items that cannot be offered, and each is reported with its reason', async () => {
    let deep: unknown = [];
    for (let level = 0; level < 300; level++) deep = [deep];
    const { gateway, skipped } = await follow(
      items('plain', {
        prompts: [
          null,
          { name: '' },
          { name: 'n'.repeat(500) },
          { name: 'deep', _meta: { deep } },
          { name: 'long', description: 'd'.repeat(30_000) },
          { name: 'listed', arguments: 'all' },
          { name: 'crowded', arguments: Array.from({ length: 101 }, (_, index) => ({ name: `a${index}` })) },
          { name: 'double', arguments: [{ name: 'a' }, { name: 'a' }] },
          { name: 'reserved', arguments: [{ name: '__proto__' }] },
          { name: 'good' },
          { name: 'good' },
        ],
        resources: [
          7,
          { name: 'no uri' },
          { name: 'long', uri: `long://${'x'.repeat(5_000)}` },
          { uri: 'nameless://1' },
          { name: 'good', uri: 'good://1', size: -3, mimeType: 5, annotations: 'none' },
          { name: 'good', uri: 'good://1' },
        ],
        resourceTemplates: [
          { name: 'query', uriTemplate: 'search://{?q,page}' },
          { name: 'path', uriTemplate: 'files://{/path*}' },
          { name: 'good', uriTemplate: 'good://{id}' },
        ],
      }),
      options,
    );
    expect(gateway.listPrompts().map(({ name }) => name)).toEqual(['far_good']);
    expect(gateway.listResources()).toEqual([{ name: 'far_good', uri: 'good://1' }]);
    expect(gateway.listResourceTemplates().map(({ uriTemplate }) => uriTemplate)).toEqual(['good://{id}']);
    expect(Object.fromEntries(skipped)).toMatchObject({
      'prompt deep': 'its definition is nested more than 200 levels deep',
      'prompt long': 'its title or description has more than 20000 characters',
      'prompt crowded': 'it has more than 100 arguments',
      'prompt good': 'it is listed twice',
      'resource nameless://1': 'it has no name of at most 200 characters',
      'resource (no URI)': 'it has no URI of at most 4096 characters',
      'resource good://1': 'it is listed twice',
      'resource template search://{?q,page}': expect.stringContaining(
        '{?q,page} that is not supported',
      ) as string,
    });
    expect(skipped.size).toBe(16);
  });

  it('is not followed if an item cannot be offered and nobody hears of it', async () => {
    const upstream = fromMcpServer(items('plain', { prompts: [{ name: '' }] }), options);
    onTestFinished(() => upstream.close());
    const registry = new ToolRegistry();
    await expect(upstream.follow(registry)).rejects.toThrow(
      'The server "odd" has prompts or resources that cannot be offered: "prompt ": it has no name',
    );
    expect(registry.counts).toEqual({ tools: 0, prompts: 0, resources: 0 });
  });

  it.each(['wrong shape', 'wrong parts', 'deep'])('gets its invalid answers rejected: %s', async (mode) => {
    const { gateway } = await follow(items(mode), options);
    const invalid = 'The server "odd" gave no valid answer';
    await expect(gateway.getPrompt({ name: 'far_greet', arguments: { who: 'Ada' } })).rejects.toThrow(
      invalid,
    );
    await expect(gateway.readResource({ uri: 'note://1' })).rejects.toThrow(invalid);
    if (mode === 'deep') return;
    const ref = { type: 'ref/prompt', name: 'far_greet' } as const;
    await expect(gateway.complete({ ref, argument: { name: 'who', value: '' } })).rejects.toThrow(invalid);
  });

  it('cannot exceed the size of a message', async () => {
    const { gateway } = await follow(items('flood'), { ...options, maxMessageBytes: 1_000_000 });
    await expect(gateway.getPrompt({ name: 'far_greet', arguments: { who: 'Ada' } })).rejects.toThrow(
      'The server "odd" was lost',
    );
  });

  it('can suggest at most 100 texts', async () => {
    const { gateway } = await follow(items('suggestions'), options);
    const ref = { type: 'ref/resource', uri: 'notes://{id}' } as const;
    const { values, total, hasMore } = await gateway.complete({ ref, argument: { name: 'id', value: '' } });
    expect([values.length, values[0], total, hasMore]).toEqual([100, 'v0', 300, true]);
  });

  it('can say that a resource does not exist', async () => {
    const { gateway } = await follow(items('plain'), options);
    await expect(gateway.readResource({ uri: 'notes://none' })).rejects.toThrow(
      'Unknown resource "notes://none"',
    );
  });

  it('passes few updates on for many in a row, and none of resources without subscribers', async () => {
    const { gateway } = await follow(items('plain'), options);
    const updates: string[] = [];
    gateway.onChange((change) => {
      if (change.kind === 'resource') updates.push(change.uri);
    });
    const stop = internalsOf(gateway).watchResource('note://1', {});
    await gateway.executeTool({ name: 'far_update', arguments: {} });
    await expect.poll(() => updates.length).toBeGreaterThan(0);
    // The process writes its thousand updates in several parts.
    expect(updates.length).toBeLessThan(50);
    expect(new Set(updates)).toEqual(new Set(['note://1']));
    stop();
  });

  it.each([
    ['bad task', 'a task that has no valid ID'],
    ['odd task', 'reports an unknown status of a task'],
  ])('cannot answer with an invalid task: %s', async (mode, message) => {
    const { gateway } = await follow(items(mode), options);
    const result = await gateway.executeTool({ name: 'far_research', arguments: {} });
    expect(codeOf(result)).toBe('ErrToolFailed');
    expect(textOf(result)).toContain(message);
  });

  it('may answer without a task', async () => {
    const { gateway } = await follow(items('no task'), options);
    const result = await gateway.executeTool({ name: 'far_research', arguments: {} });
    expect(textOf(result)).toBe('without a task, object');
  });

  it('cannot flood the caller with the status of a task', async () => {
    const { gateway } = await follow(items('chatty task'), options);
    const reports: (string | undefined)[] = [];
    const controller = new AbortController();
    const call = gateway.executeTool({
      name: 'far_research',
      arguments: {},
      signal: controller.signal,
      progress: async (_, __, message) => void reports.push(message),
    });
    await expect.poll(() => reports.length).toBeGreaterThan(1);
    controller.abort();
    await call;
    expect(Math.max(...reports.map((message) => message?.length ?? 0))).toBe(1_000);
  });
});
