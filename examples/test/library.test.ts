// #region imports
import { readFileSync } from 'node:fs';
import { Client, InMemoryTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import type { McpTool } from 'toolfold/model';
import { createHandler } from 'toolfold/web';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from './breaking-changes.js';
import { createLibrary, createShelf } from './library.js';

const librarian = { auth: { clientId: 'ada', scopes: ['books:lend'] } };
const lend = (book: string, request_id: string) => ({
  name: 'books',
  arguments: { action: 'lend', book, to: 'Grace', request_id },
  caller: librarian,
});
// #endregion imports

// #region process
describe('lending', () => {
  it('lends a book', async () => {
    const shelf = createShelf();
    const result = await createLibrary(shelf).executeTool(lend('Emma', 'r1'));
    expect(result.content).toEqual([{ type: 'text', text: 'Emma is lent to Grace' }]);
    expect(shelf.lent.get('Emma')).toBe('Grace');
  });

  it('rejects a book that is already lent, and names its borrower', async () => {
    const library = createLibrary(createShelf());
    await library.executeTool(lend('Emma', 'r1'));
    const result = await library.executeTool(lend('Emma', 'r2'));
    expect(result.isError).toBe(true);
    expect(result.content[0]).toMatchObject({ text: '[books/lend] Emma is lent to Grace.' });
  });
});
// #endregion process

// #region rejected
describe('a rejected call', () => {
  const codeOf = async (request: Parameters<ReturnType<typeof createLibrary>['executeTool']>[0]) => {
    const shelf = createShelf();
    const { _meta } = await createLibrary(shelf).executeTool(request);
    expect(shelf.lent.size).toBe(0);
    return (_meta?.['toolfold/error'] as { code: string } | undefined)?.code;
  };

  it('lacks the scope', async () => {
    const { caller: _, ...nobody } = lend('Emma', 'r1');
    expect(await codeOf(nobody)).toBe('ErrInsufficientScope');
  });

  it('has an argument that the schema does not declare', async () => {
    const request = lend('Emma', 'r1');
    expect(await codeOf({ ...request, arguments: { ...request.arguments, title: 'Emma' } })).toBe(
      'ErrValidationFailed',
    );
  });
});
// #endregion rejected

// #region clock
describe('over time', () => {
  it('lends once for one request id, and rejects the same id with other arguments', async () => {
    const library = createLibrary(createShelf());
    const [first, again] = [
      await library.executeTool(lend('Emma', 'r1')),
      await library.executeTool(lend('Emma', 'r1')),
    ];
    expect(again).toEqual(first);
    const other = await library.executeTool(lend('Persuasion', 'r1'));
    expect(other._meta?.['toolfold/error']).toMatchObject({ code: 'ErrIdempotencyConflict' });
  });

  it('limits a caller to three calls per minute', async () => {
    let now = 0;
    const library = createLibrary(createShelf(), () => now);
    const attempt = async (n: number) => (await library.executeTool(lend(`Book ${n}`, `r${n}`))).isError;
    expect([await attempt(1), await attempt(2), await attempt(3)]).toEqual([undefined, undefined, undefined]);
    expect(await attempt(4)).toBe(true);
    now += 60_000;
    expect(await attempt(5)).toBeUndefined();
  });
});
// #endregion clock

// #region list
describe('the list of tools', () => {
  const library = createLibrary(createShelf());

  it('equals the snapshot', async () => {
    await expect(JSON.stringify(library.listTools(), undefined, 2)).toMatchFileSnapshot('tools.snap');
  });

  it('breaks no client that knows the published tools', () => {
    const published = JSON.parse(
      readFileSync(new URL('published-tools.json', import.meta.url), 'utf8'),
    ) as McpTool[];
    expect(breakingChanges(published, library.view({ form: 'flat' }).listTools())).toEqual([]);
  });
});
// #endregion list

// #region memory
describe('in memory', () => {
  it('answers a real client', async () => {
    const library = createLibrary(createShelf());
    const server = new McpServer({ name: library.name, version: library.version });
    library.attachToServer(server);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['books']);
    await client.close();
  });
});
// #endregion memory

// #region http
describe.each(['auto', 'legacy'] as const)('over HTTP, with a client in the mode %s', (mode) => {
  it('lends to a caller with the scope, and rejects a caller without it', async () => {
    const handler = createHandler(createLibrary(createShelf()));
    const connect = async (scopes: string[]) => {
      const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
      const authInfo = { token: 'x'.repeat(32), clientId: 'ada', scopes };
      const fetch = (url: string | URL, init?: RequestInit) =>
        handler.fetch(new Request(url, init), { authInfo });
      await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
      return client;
    };
    const { caller: _, ...call } = lend('Emma', 'r1');
    const [ada, bob] = [await connect(['books:lend']), await connect([])];
    expect((await ada.callTool(call)).isError).toBeUndefined();
    expect((await bob.callTool(call)).isError).toBe(true);
    await Promise.all([ada.close(), bob.close()]);
    await handler.close();
  });
});
// #endregion http
