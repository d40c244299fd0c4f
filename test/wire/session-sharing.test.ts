import { expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore } from 'toolfold/web';
import { readEvents } from './events.js';
import { faces } from './faces.js';
import { openSession, Session } from './session-requests.js';

const createRegistry = (name: string) =>
  new ToolRegistry({ rateLimiter: false })
    .register({
      name: 'who',
      description: 'Says who serves, and for whom',
      inputSchema: {},
      handler: async ({ context }) => {
        for (const level of ['debug', 'error'] as const) await context.log(level, level);
        return `${name} for ${String(context.caller.client?.name)}`;
      },
    })
    .registerResource({ name: 'memo', uri: 'memo://1', handler: () => 'text' });

it('a session is served by every process that shares its store', async () => {
  const store = new MemorySessionStore();
  const registries = ['one', 'two'].map(createRegistry);
  const [one, two] = await Promise.all(
    registries.map((registry) => faces[0]![1](registry, { sessions: { store } })),
  );
  const here = await openSession(one!, { user: 'ada' });
  const there = new Session(two!, here.id, { user: 'ada' });
  const stranger = new Session(two!, here.id, { user: 'eve' });
  // A change through one process is visible in the other.
  expect(await there.request('logging/setLevel', { level: 'error' })).toMatchObject({ result: {} });
  for (const [session, name] of [
    [here, 'one'],
    [there, 'two'],
  ] as const) {
    const events = await readEvents(await session.send('tools/call', { name: 'who', arguments: {} })).rest();
    const messages = events.flatMap(({ message }) => (message ? [message] : []));
    expect(messages).toMatchObject([
      { params: { data: 'error' } },
      { result: { content: [{ text: `${name} for client` }] } },
    ]);
  }
  await here.request('resources/subscribe', { uri: 'memo://1' });
  const stream = await there.listen();
  registries[1]!.notifyResourceUpdated('memo://1');
  expect(await stream.nextMessage()).toMatchObject({ params: { uri: 'memo://1' } });
  await stream.leave();
  expect((await stranger.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  expect(await there.remove()).toBe(200);
  expect((await here.post({ jsonrpc: '2.0', id: 1, method: 'ping' })).status).toBe(404);
  await Promise.all([one!.close(), two!.close()]);
});
