/**
 * Puts an HTTP API behind the search form, from its OpenAPI specification: finds operations, calls them, follows pages, and changes
 * operations with `transform`. Exits with an error if an assertion fails.
 */
import { museumKey, startMuseumApi } from './museum-api.js';

const { baseUrl, close } = await startMuseumApi();
process.env['MUSEUM_KEY'] = museumKey;

// #region serve
import { readFileSync } from 'node:fs';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { fromOpenAPI } from '@toolfold/openapi';

const spec = readFileSync(new URL('museum.yaml', import.meta.url), 'utf8');
const registry = new ToolRegistry({ name: 'museum' });
registry.register(fromOpenAPI(spec, { baseUrl, credentials: { MuseumKey: process.env['MUSEUM_KEY'] } }));
const running = await serveHttp(registry, { port: 0, closeOnSignals: false, view: { form: 'search' } });
// #endregion serve

// #region names
for (const builder of fromOpenAPI(spec, { baseUrl }))
  console.log(`${builder.name}: ${builder.getActionNames().join(', ')}`);
// #endregion names

// #region ask
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'visitor', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
const ask = async (name: string, args: Record<string, unknown>): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
};
console.log(await ask('search_tools', { query: 'opening hours', limit: 1 }));
console.log(await ask('call_read_tool', { address: 'events/list', arguments: {} }));
console.log(
  await ask('call_write_tool', {
    address: 'tickets/buy',
    arguments: { date: '2020-01-01', email: 'a@b.example' },
  }),
);
// #endregion ask
const bought = await ask('call_write_tool', {
  address: 'tickets/buy',
  arguments: { date: '2026-12-04', email: 'ada@museum.example', count: 2 },
});
assert.match(bought, /"price":\s*30/);
const stored = await ask('call_write_tool', {
  address: 'tickets/upload_photo',
  arguments: { ticket: 't1', photo: { base64: 'aGk=', fileName: 'ada.png', mediaType: 'image/png' } },
});
assert.doesNotMatch(stored, /rror/);
await client.close();
await running.close();

// #region transform
const adjusted = fromOpenAPI(spec, {
  baseUrl,
  prefix: 'museum',
  transform: ({ operationId, method }) => {
    if (method === 'DELETE') return { hidden: true };
    if (operationId === 'getMuseumHours')
      return { name: 'hours', search: { keywords: ['closed', 'holiday'] }, cached: { ttlMs: 60_000 } };
    return undefined;
  },
});
console.log(adjusted.flatMap((builder) => builder.getActionNames().map((name) => `${builder.name}/${name}`)));
// #endregion transform

// #region caller
const perCaller = fromOpenAPI(spec, {
  baseUrl,
  credentials: { MuseumKey: ({ caller }) => keyOf(String(caller.auth?.clientId)) },
});
// #endregion caller
assert.equal(perCaller.length, 3);

// #region requests
import { apiRequests } from '@toolfold/openapi';
import * as z from 'zod';

const request = apiRequests(baseUrl, { credentials: { MuseumKey: museumKey } });
const security = [[{ id: 'MuseumKey', type: 'apiKey', in: 'header', name: 'X-Museum-Key' }]] as const;
const events = new ToolRegistry({ name: 'events' }).register(
  {
    name: 'list_events',
    description: 'Lists special events on some days',
    readOnly: true,
    inputSchema: z.object({ days: z.array(z.iso.date()).optional(), cursor: z.string().optional() }),
    handler: request({
      method: 'GET',
      path: '/events',
      parameters: [
        { field: 'days', name: 'date', in: 'query', style: 'form', explode: false, allowReserved: true },
        { field: 'cursor', in: 'query' },
      ],
      accept: 'application/json',
      security,
    }),
  },
  {
    name: 'upload_photo',
    description: 'Uploads the photo of a visitor',
    inputSchema: z.object({ ticket: z.string(), photo: z.object({ base64: z.string() }), note: z.string() }),
    handler: request({
      method: 'PUT',
      path: '/tickets/{ticket}/photo',
      parameters: [{ field: 'ticket', in: 'path' }],
      body: {
        mediaType: 'multipart/form-data',
        properties: [
          { field: 'photo', file: 'one' },
          { field: 'note', mediaType: 'text/markdown' },
        ],
      },
      security,
    }),
  },
);
// #endregion requests
const listed = await events.executeTool({ name: 'list_events', arguments: { days: ['2026-12-04'] } });
assert.match(JSON.stringify(listed.content), /mummies/);
const photo = { ticket: 't1', photo: { base64: 'aGk=' }, note: '*Ada*' };
const uploaded = await events.executeTool({ name: 'upload_photo', arguments: photo });
assert.ok(!uploaded.isError, JSON.stringify(uploaded.content));

// #region eject
import { ejectOpenAPI } from '@toolfold/openapi';

const files = ejectOpenAPI(spec, { baseUrl, environment: { MuseumKey: 'MUSEUM_API_KEY' } });
console.log([...files.keys()]);
// #endregion eject
assert.match(files.get('request.ts') ?? '', /MUSEUM_API_KEY/);
close();

/** The key of a client, from a vault for example. */
function keyOf(clientId: string): string | undefined {
  return clientId === 'ada' ? museumKey : undefined;
}
