import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, startProgram } from './cli-program.js';
import { pageAt, textOf } from '../../../test/wire/page-client.js';

const fileWith = (action: string): string => `
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
export const registry = new ToolRegistry({ name: 'notebook' }).register(
  new GroupedToolBuilder('notes').description('Notes').action({
    name: '${action}',
    readOnly: true,
    inputSchema: {},
    handler: () => '${action}!',
  }),
);
`;

type DevEvent = Readonly<Record<string, unknown>> & { readonly event: string };

/** Starts `toolfold dev`, and waits for its page. */
async function startDev(...argv: string[]) {
  const folder = folderWith({ 'registry.ts': fileWith('list') });
  const program = startProgram(['dev', 'registry.ts', '--port', '0', '--json', ...argv], { cwd: folder });
  const events = (kind: string): DevEvent[] =>
    program.written.out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as DevEvent)
      .filter(({ event }) => event === kind);
  const write = (text: string): void => writeFileSync(join(folder, 'registry.ts'), text);
  await expect.poll(() => events('serving').length).toBe(1);
  const page = async () => {
    await expect.poll(() => events('page').length).toBe(1);
    return pageAt(String(events('page')[0]?.['url']));
  };
  return { ...program, events, write, page, url: String(events('serving')[0]?.['url']) };
}

describe('the page of toolfold dev', () => {
  it('follows the reloads, and shows the last version with the error of a file that cannot be loaded', async () => {
    const { page: find, write, child, exit } = await startDev('--ui-port', '0');
    const page = await find();
    expect(await page.server()).toMatchObject({ name: 'notebook', target: 'registry.ts', form: 'grouped' });
    const actions = async (): Promise<string[]> => {
      const { nodes } = await page.get<{ nodes: { address?: string }[] }>('/api/tree');
      return nodes.flatMap(({ address }) => (address?.includes('/') ? [address] : []));
    };
    expect(await actions()).toEqual(['notes/list']);
    expect(await page.get('/api/diff')).toMatchObject({ command: 'npx toolfold lock registry.ts' });
    const { revision } = await page.server();
    write(fileWith('find'));
    await expect.poll(actions).toEqual(['notes/find']);
    expect((await page.server()).revision).toBeGreaterThan(revision);
    write('export const registry = ;');
    await expect.poll(async () => (await page.server()).problem).toMatch(/^registry\.ts cannot be loaded\./);
    expect(await actions()).toEqual(['notes/find']);
    write(fileWith('get'));
    await expect.poll(async () => (await page.server()).problem).toBeUndefined();
    expect(await actions()).toEqual(['notes/get']);
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('calls the current version in both eras, and the command reports its calls', async () => {
    const { page: find, events, write } = await startDev('--ui-port', '0');
    const page = await find();
    for (const era of ['2025', '2026'] as const) {
      const client = await page.connect(era);
      const result = await client.callTool({ name: 'notes', arguments: { action: 'list' } });
      expect(textOf(result)).toBe('list!');
    }
    await expect
      .poll(() => events('call').map(({ address }) => address))
      .toEqual(['notes/list', 'notes/list']);
    write(fileWith('find'));
    await expect.poll(() => events('reloaded').length).toBe(1);
    const client = await page.connect();
    expect(textOf(await client.callTool({ name: 'notes', arguments: { action: 'find' } }))).toBe('find!');
  });

  it('reports an error of a handler that the page calls with its stack, as for every other client', async () => {
    const { page: find, events, write, written } = await startDev('--ui-port', '0');
    const page = await find();
    write(fileWith('list').replace("'list!'", "{ throw new Error('no ink'); }"));
    await expect.poll(() => events('reloaded').length).toBe(1);
    const client = await page.connect();
    const result = await client.callTool({ name: 'notes', arguments: { action: 'list' } });
    expect(result.isError).toBe(true);
    await expect
      .poll(() => String(events('error')[0]?.['error']))
      .toMatch(/no ink[^]*throw new Error[^]*registry\.ts:\d+/);
    expect(events('error')).toHaveLength(1);
    expect(written.err).not.toContain('no ink');
  });

  it('shows the calls of other clients, also after a reload', async () => {
    const { page: find, url, write, events } = await startDev('--ui-port', '0');
    const page = await find();
    const client = new Client({ name: 'other', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    onTestFinished(() => client.close());
    await client.callTool({ name: 'notes', arguments: { action: 'list' } });
    write(fileWith('find'));
    await expect.poll(() => events('reloaded').length).toBe(1);
    await client.callTool({ name: 'notes', arguments: { action: 'find' } });
    const { calls, tools } = await page.get<{ calls: number; tools: { address: string }[] }>('/api/live');
    expect(calls).toBe(2);
    expect(tools.map(({ address }) => address).toSorted()).toEqual(['notes/find', 'notes/list']);
  });

  it('is not served with --no-ui', async () => {
    const { events, write } = await startDev('--no-ui');
    write(fileWith('find'));
    await expect.poll(() => events('reloaded').length).toBe(1);
    expect(events('page')).toEqual([]);
  });

  it('does not stop the server if its port is taken', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const { events, write } = await startDev('--ui-port', String(port));
    await expect.poll(() => events('page').length).toBe(1);
    expect(events('page')[0]?.['error']).toBe(
      `Port ${port} is already in use. Choose another one with --ui-port.`,
    );
    write(fileWith('find'));
    await expect.poll(() => events('reloaded').length).toBe(1);
  });

  it('is announced on standard error over stdio', async () => {
    const folder = folderWith({ 'registry.ts': fileWith('list') });
    const { written, child, exit } = startProgram(['dev', 'registry.ts', '--stdio', '--ui-port', '0'], {
      cwd: folder,
    });
    await expect.poll(() => written.err).toMatch(/Page: http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n/);
    expect(written.out).toBe('');
    child.stdin.end();
    expect(await exit).toEqual({ code: 0, signal: null });
  });

  it('rejects a port for a page that is off', async () => {
    const folder = folderWith({ 'registry.ts': fileWith('list') });
    const { written, exit } = startProgram(['dev', 'registry.ts', '--no-ui', '--ui-port', '1'], {
      cwd: folder,
    });
    expect(await exit).toEqual({ code: 2, signal: null });
    expect(written.err).toContain('--ui-port has no effect with --no-ui.');
  });
});
