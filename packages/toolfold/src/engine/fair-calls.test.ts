import { describe, expect, it } from 'vitest';
import { serveHttp } from '../node.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { apiKeys } from '../serve/auth/api-keys.js';

type Options = ConstructorParameters<typeof ToolRegistry>[0];

/** A registry with a tool whose calls end one by one, and the outcome of each call: running, done or refused. */
function createSlowRegistry(options: Options) {
  /** The callers of the running calls, in the order in which their calls began. */
  const running: { readonly caller: string; readonly end: () => void }[] = [];
  const begun: string[] = [];
  const registry = new ToolRegistry({ rateLimiter: false, ...options }).register({
    name: 'work',
    description: 'Works until it is told to end',
    inputSchema: { type: 'object' },
    handler: ({ context }) => {
      const { auth, address } = context.caller;
      const caller = auth?.clientId ?? address ?? 'nobody';
      begun.push(caller);
      return new Promise<string>((resolve) => running.push({ caller, end: () => resolve('done') }));
    },
  });
  /** Ends the oldest running call, of this caller if one is named. */
  const endOne = async (caller?: string): Promise<void> => {
    const at = caller === undefined ? 0 : running.findIndex((each) => each.caller === caller);
    running.splice(at, 1)[0]?.end();
    await settle();
  };
  return { registry, begun, running, endOne };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Slow = ReturnType<typeof createSlowRegistry>;

/** Starts calls, and counts those that are refused. */
async function start(registry: ToolRegistry, count: number, caller: string, more: object = {}) {
  const state = { refused: 0 };
  for (let call = 0; call < count; call++)
    void registry
      .executeTool({ name: 'work', caller: { auth: { clientId: caller }, ...more } })
      .then(({ isError }) => (state.refused += isError === true ? 1 : 0));
  await settle();
  return state;
}

const count = (callers: readonly string[], caller: string): number =>
  callers.filter((each) => each === caller).length;

async function endAll({ running, endOne }: Slow): Promise<void> {
  while (running.length > 0) await endOne();
}

describe('concurrent calls of several callers', () => {
  it('are not refused because one caller has filled the queue', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 50, queue: 100 } });
    const first = await start(slow.registry, 160, 'ada');
    expect(first.refused).toBe(10);
    const second = await start(slow.registry, 20, 'bob');
    expect(second.refused).toBe(0);
    expect(first.refused).toBe(30);
    await endAll(slow);
    expect(count(slow.begun, 'bob')).toBe(20);
    expect(count(slow.begun, 'ada')).toBe(130);
  });

  it('get free places in turns, first the caller with the fewest running calls', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 4, queue: 20 } });
    await start(slow.registry, 12, 'ada');
    await start(slow.registry, 6, 'bob');
    await start(slow.registry, 2, 'carol');
    for (let ends = 0; ends < 4; ends++) await slow.endOne('ada');
    expect(slow.begun.slice(4)).toEqual(['bob', 'carol', 'ada', 'bob']);
    await endAll(slow);
    expect(slow.begun).toHaveLength(20);
  });

  it('share the queue evenly, whoever came first', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 4, queue: 8 } });
    const ada = await start(slow.registry, 50, 'ada');
    const bob = await start(slow.registry, 50, 'bob');
    const carol = await start(slow.registry, 50, 'carol');
    await endAll(slow);
    expect([ada.refused, bob.refused, carol.refused]).toEqual([46, 46, 46]);
  });

  it('may use everything if there is one caller', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 4, queue: 8 } });
    const { refused } = await start(slow.registry, 12, 'ada');
    expect([refused, slow.running.length]).toEqual([0, 4]);
    await endAll(slow);
    expect(slow.begun).toHaveLength(12);
  });

  it('that are anonymous are told apart by address, and within an address by client', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 2, queue: 4 } });
    const anonymous = (address: string, sessionId: string) => ({ auth: undefined, address, sessionId });
    const first = await start(slow.registry, 10, '', anonymous('1.1.1.1', 'a'));
    const other = await start(slow.registry, 2, '', anonymous('2.2.2.2', 'b'));
    expect([first.refused, other.refused]).toEqual([6, 0]);
    const neighbour = await start(slow.registry, 1, '', anonymous('1.1.1.1', 'c'));
    expect([first.refused, neighbour.refused]).toEqual([7, 0]);
    await endAll(slow);
  });

  it('leave the queue when they are cancelled, and make room', async () => {
    const slow = createSlowRegistry({ concurrency: { max: 1, queue: 2 } });
    await start(slow.registry, 2, 'ada');
    const controller = new AbortController();
    const cancelled = slow.registry.executeTool({
      name: 'work',
      caller: { auth: { clientId: 'bob' } },
      signal: controller.signal,
    });
    await settle();
    controller.abort();
    expect(JSON.stringify(await cancelled)).toContain('ErrCancelled');
    const { refused } = await start(slow.registry, 1, 'bob');
    expect(refused).toBe(0);
    await endAll(slow);
    expect(slow.begun).toEqual(['ada', 'ada', 'bob']);
  });
});

describe('concurrent calls over HTTP with different keys', () => {
  it('of one caller do not refuse those of another', async () => {
    let arrived = 0;
    const slow = createSlowRegistry({
      concurrency: { max: 5, queue: 10 },
      observe: (_, run) => {
        arrived += 1;
        return run();
      },
    });
    const keyOf = (caller: string): string => caller.repeat(40);
    const keys = ['a', 'b'].map((clientId) => ({ key: keyOf(clientId), clientId }));
    const server = await serveHttp(slow.registry, {
      port: 0,
      auth: apiKeys({ keys }),
      callerShare: 1,
      closeOnSignals: false,
    });
    const call = async (caller: string): Promise<string> => {
      const response = await fetch(server.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'work',
          'x-api-key': keyOf(caller),
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'work',
            arguments: {},
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        }),
      });
      const text = await response.text();
      return text.includes('ErrOverloaded') ? 'refused' : text.includes('done') ? 'done' : text;
    };
    try {
      const first = Array.from({ length: 30 }, () => call('a'));
      await expect.poll(() => arrived, { interval: 5 }).toBe(30);
      const second = Promise.all(Array.from({ length: 5 }, () => call('b')));
      await expect.poll(() => arrived, { interval: 5 }).toBe(35);
      await settle();
      for (let ends = 0; ends < 10; ends++) await slow.endOne();
      await endAll(slow);
      expect(await second).toEqual(Array(5).fill('done'));
      await endAll(slow);
      expect(new Set(await Promise.all(first))).toEqual(new Set(['refused', 'done']));
    } finally {
      await server.close();
    }
  });
});
