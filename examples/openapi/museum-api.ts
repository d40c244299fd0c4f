import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export const museumKey = 'museum-key-of-the-example';

const events = [
  { id: 'e1', name: 'Night of the mummies', dates: ['2026-12-04'], price: 12 },
  { id: 'e2', name: 'Dinosaur breakfast', dates: ['2026-12-05', '2026-12-12'], price: 20 },
];

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts an API that behaves as museum.yaml says. */
export async function startMuseumApi(): Promise<{ readonly baseUrl: string; readonly close: () => void }> {
  const server = createServer(async (request, response) => {
    const { method, url = '', headers } = request;
    const { pathname, searchParams } = new URL(url, 'http://museum');
    const answer = (status: number, value: unknown): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/v1/hours')
      return answer(200, [{ date: searchParams.get('date') ?? '2026-12-01', open: '09:00', close: '18:00' }]);
    if (headers['x-museum-key'] !== museumKey)
      return answer(401, { message: 'The key is missing or wrong.' });
    if (pathname === '/v1/events' && method === 'GET')
      return searchParams.get('cursor') === 'more'
        ? answer(200, { events: events.slice(1) })
        : answer(200, { events: events.slice(0, 1), next_cursor: 'more' });
    const text = await readText(request);
    if (pathname === '/v1/events') return answer(201, { id: 'e3', ...(JSON.parse(text) as object) });
    if (pathname === '/v1/tickets') {
      const { date, count = 1 } = JSON.parse(text) as { date: string; count?: number };
      if (date < '2026-12-01') return answer(422, { message: 'The museum is closed on this day.' });
      return answer(201, { ticket: 't1', price: 15 * count });
    }
    if (/^\/v1\/tickets\/\w+\/photo$/.test(pathname) && text.includes('name="photo"'))
      return void response.writeHead(204).end();
    const event = events.find(({ id }) => pathname === `/v1/events/${id}`);
    if (!event) return answer(404, { message: 'There is no such thing.' });
    return method === 'DELETE' ? void response.writeHead(204).end() : answer(200, event);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
