import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createQuickJsSandbox } from '@toolfold/code';
import type { CodeSettings, Sandbox, SandboxRun } from '@toolfold/code';
import { ErrOverloaded } from 'toolfold/errors';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { Shared } from 'toolfold';
import { describeWithRedis } from '../../../test/stores/with-redis.js';
import { faces } from '../../../test/wire/faces.js';
import type { Face } from '../../../test/wire/faces.js';
import { createModernClient } from '../../../test/wire/modern-requests.js';
import type { ModernAnswer } from '../../../test/wire/modern-requests.js';

type Json = Record<string, unknown>;
const FORMS = { elicitation: { form: {} } };
const allow = { action: 'accept', content: { allow: true } };
const cleanUps: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A registry whose calls are counted. */
function createRegistry(calls: string[], shared?: Shared): ToolRegistry {
  const note =
    (name: string) =>
    ({ input }: { input: { id: string } }) => {
      calls.push(`${name} ${input.id}`);
      return { [name]: input.id };
    };
  const inputSchema = z.object({ id: z.string() });
  return new ToolRegistry({
    name: 'acme',
    version: '1',
    rateLimiter: false,
    ...(shared ? { shared } : {}),
  }).register(
    { name: 'read', description: 'Reads', readOnly: true, inputSchema, handler: note('read') },
    { name: 'add', description: 'Adds', destructive: false, inputSchema, handler: note('add') },
    {
      name: 'remove',
      title: 'Remove it',
      description: 'Removes',
      destructive: true,
      inputSchema,
      handler: note('remove'),
    },
    { name: 'other', description: 'Declares nothing', inputSchema, handler: note('other') },
  );
}

const view = (code: CodeSettings = {}) => ({
  form: 'code' as const,
  code: { allow: 'write' as const, ...code },
});

/** Calls before, between and after two questions; the first is about two calls. */
const code = `
  const seen = [await tools.read({ id: 'a' })];
  const tried = (calling: Promise<unknown>) => calling.catch(({ code, message }) => ({ code, message }));
  seen.push(...(await Promise.all([tried(tools.remove({ id: 'b' })), tried(tools.other({ id: 'c' })), tools.add({ id: 'd' })])));
  seen.push(await tools.read({ id: 'e' }));
  seen.push(await tried(tools.remove({ id: 'f' })));
  console.log('done');
  seen`;

const valueOf = (result: unknown): unknown => {
  const { content } = result as { content: { text: string }[] };
  try {
    return JSON.parse(content[0]?.text ?? 'null');
  } catch {
    return content[0]?.text;
  }
};

const all = [{ read: 'a' }, { remove: 'b' }, { other: 'c' }, { add: 'd' }, { read: 'e' }, { remove: 'f' }];
const ALL_CALLS = ['add d', 'other c', 'read a', 'read e', 'remove b', 'remove f'];

type Answer = (message: string) => Json | Promise<Json>;
interface Person {
  readonly asked: string[];
  readonly call: (source?: string) => Promise<unknown>;
  readonly close: () => Promise<void>;
}
type Connect = (url: string, answer: Answer, capabilities?: Json) => Promise<Person>;

const connectModern: Connect = async (url, answer, capabilities = FORMS) => {
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities, versionNegotiation: { mode: 'auto' } },
  );
  const asked: string[] = [];
  if ('elicitation' in capabilities)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(String(params.message));
      return (await answer(String(params.message))) as never;
    });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  return {
    asked,
    call: (source = code) => client.callTool({ name: 'run_code', arguments: { code: source } }),
    close: () => client.close(),
  };
};

const connectSession: Connect = async (url, answer, capabilities = { elicitation: {} }) => {
  const client = new FirstClient({ name: 'c', version: '1' }, { capabilities });
  const asked: string[] = [];
  if ('elicitation' in capabilities)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      asked.push(params.message);
      return (await answer(params.message)) as never;
    });
  await client.connect(new FirstTransport(new URL(url)) as never);
  return {
    asked,
    call: (source = code) => client.callTool({ name: 'run_code', arguments: { code: source } }),
    close: () => client.close(),
  };
};

const clients = [
  ['2026 client', connectModern],
  ['2025 client', connectSession],
] as const;

type SetUp = (code?: CodeSettings) => Promise<{ readonly url: string; readonly calls: string[] }>;

/** The behaviour that runs in memory and in Redis share. */
function testClients(setUp: SetUp): void {
  describe.each(clients)('asks the person at a %s', (_era, connect) => {
    it('about each destructive or undeclared call, and continues without repeating a call', async () => {
      const { url, calls } = await setUp();
      const person = await connect(url, () => allow);
      expect(valueOf(await person.call())).toEqual(all);
      expect(calls.toSorted()).toEqual(ALL_CALLS);
      expect(person.asked).toHaveLength(3);
      expect(person.asked[0]).toContain('"remove" ("Remove it") (call 1 of 2). The tool is destructive.');
      expect(person.asked[0]).toContain('- "id": "b"');
      expect(person.asked[1]).toContain('"other" (call 2 of 2). The tool does not declare');
      expect(person.asked[2]).toContain('- "id": "f"');
      await person.close();
    });

    it('and lets the code catch each refusal', async () => {
      const { url, calls } = await setUp();
      const person = await connect(url, (message) => {
        if (message.includes('"b"')) return { action: 'decline' };
        return message.includes('"c"')
          ? { action: 'cancel' }
          : { action: 'accept', content: { allow: false } };
      });
      expect(valueOf(await person.call())).toMatchObject([
        { read: 'a' },
        { code: 'ErrCallNotAllowed', message: 'A person declined this call of "remove".' },
        { code: 'ErrCallNotAllowed', message: expect.stringContaining('closed the question') },
        { add: 'd' },
        { read: 'e' },
        { code: 'ErrCallNotAllowed' },
      ]);
      expect(calls.toSorted()).toEqual(['add d', 'read a', 'read e']);
      await person.close();
    });

    it('only if the client supports forms, and otherwise suggests the direct call', async () => {
      const { url, calls } = await setUp();
      const person = await connect(url, () => allow, {});
      const seen = `const error = await tools.remove({ id: 'x' }).catch((e) => e); [error.name, error.code, error.suggestions]`;
      expect(valueOf(await person.call(seen))).toEqual([
        'ErrCallNotAllowed',
        'ErrCallNotAllowed',
        ['call_write_tool'],
      ]);
      expect(calls).toEqual([]);
      await person.close();
    });
  });
}

describe('a server that keeps its runs in memory', () => {
  const setUp: SetUp = async (settings) => {
    const calls: string[] = [];
    const server = await serveHttp(createRegistry(calls), {
      port: 0,
      view: view(settings),
      closeOnSignals: false,
    });
    cleanUps.push(() => server.close());
    return { url: server.url, calls };
  };
  testClients(setUp);
});

/** A sandbox that counts its open runs. */
function countRuns(sandbox: Sandbox, canRestore = true) {
  const counts = { open: 0 };
  const watch = (run: SandboxRun): SandboxRun => {
    counts.open++;
    let isOpen = true;
    return {
      advance: (settled) => run.advance(settled),
      ...(canRestore && run.snapshot ? { snapshot: run.snapshot.bind(run) } : {}),
      dispose: () => {
        if (isOpen) counts.open--;
        isOpen = false;
        run.dispose();
      },
    };
  };
  const { restore } = sandbox;
  const counted: Sandbox = {
    start: async (source, start) => watch(await sandbox.start(source, start)),
    ...(canRestore && restore
      ? { restore: async (snapshot, start) => watch(await restore.call(sandbox, snapshot, start)) }
      : {}),
    close: () => sandbox.close(),
  };
  return { counted, counts };
}

describe('a run that waits for a person', () => {
  const setUp = async (canRestore?: boolean) => {
    const sandbox = createQuickJsSandbox();
    cleanUps.push(() => sandbox.close());
    const { counted, counts } = countRuns(sandbox, canRestore);
    const calls: string[] = [];
    const server = await serveHttp(createRegistry(calls), {
      port: 0,
      view: view({ sandbox: counted, limits: { cpuMs: 20_000 } }),
      closeOnSignals: false,
    });
    cleanUps.push(() => server.close());
    return { url: server.url, calls, counts };
  };
  const source = `await tools.remove({ id: 'x' }).catch(({ code, message }) => message)`;

  it('holds no thread, and leaves nothing behind when its client cancels the request', async () => {
    const { url, calls, counts } = await setUp();
    let onAsked = (): void => undefined;
    let open = -1;
    const client = new FirstClient({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, async () => {
      open = counts.open;
      onAsked();
      return new Promise<never>(() => undefined);
    });
    await client.connect(new FirstTransport(new URL(url)) as never);
    // A caller can have eight waiting runs, so more of them would be refused if one stayed.
    for (let round = 0; round < 10; round++) {
      const controller = new AbortController();
      const asked = new Promise<void>((resolve) => {
        onAsked = resolve;
      });
      const calling = client
        .callTool({ name: 'run_code', arguments: { code: source } }, undefined, { signal: controller.signal })
        .catch(() => 'cancelled');
      await asked;
      expect(open).toBe(0);
      controller.abort();
      expect(await calling).toBe('cancelled');
    }
    expect(counts.open).toBe(0);
    expect(calls).toEqual([]);
    await client.close();
  });

  it('ends with its session', async () => {
    const { url, calls, counts } = await setUp();
    let onAsked = (): void => undefined;
    for (let round = 0; round < 10; round++) {
      const asked = new Promise<void>((resolve) => {
        onAsked = resolve;
      });
      const client = new FirstClient({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } });
      client.setRequestHandler(ElicitRequestSchema, async () => {
        onAsked();
        return new Promise<never>(() => undefined);
      });
      const transport = new FirstTransport(new URL(url));
      await client.connect(transport as never);
      const calling = client.callTool({ name: 'run_code', arguments: { code: source } }).catch(() => 'ended');
      await asked;
      await transport.terminateSession();
      await client.close();
      expect(await calling).toBe('ended');
    }
    expect(counts.open).toBe(0);
    expect(calls).toEqual([]);
  });

  it('waits in its sandbox if that has no snapshots and the client answers meanwhile', async () => {
    const { url, calls, counts } = await setUp(false);
    let open = -1;
    const person = await connectSession(url, () => {
      open = counts.open;
      return allow;
    });
    expect(valueOf(await person.call(`await tools.remove({ id: 'x' })`))).toEqual({ remove: 'x' });
    expect(open).toBe(1);
    expect(counts.open).toBe(0);
    expect(calls).toEqual(['remove x']);
    await person.close();
  });

  it('is refused if the sandbox has no snapshots and the client answers in a later request', async () => {
    const { url, calls, counts } = await setUp(false);
    const person = await connectModern(url, () => allow);
    expect(valueOf(await person.call(source))).toContain('the sandbox of this server cannot wait for one');
    expect(person.asked).toEqual([]);
    expect(calls).toEqual([]);
    expect(counts.open).toBe(0);
    await person.close();
  });

  it('can be continued later if the sandbox has no capacity when the answer arrives', async () => {
    const sandbox = createQuickJsSandbox();
    cleanUps.push(() => sandbox.close());
    let isFull = true;
    const busy: Sandbox = {
      start: (given, start) => sandbox.start(given, start),
      restore: async (snapshot, start) => {
        if (isFull) throw new ErrOverloaded('There is no capacity.');
        return (sandbox.restore as NonNullable<Sandbox['restore']>)(snapshot, start);
      },
      close: () => sandbox.close(),
    };
    const calls: string[] = [];
    const [, openFace] = faces[0] as (typeof faces)[number];
    const face = await openFace(createRegistry(calls), { view: view({ sandbox: busy }) });
    cleanUps.push(() => face.close());
    const client = createModernClient(face, { capabilities: FORMS });
    const params = {
      name: 'run_code',
      arguments: { code: `await tools.read({ id: 'a' }); await tools.remove({ id: 'x' })` },
    };
    const { requestState } = (await client.request('tools/call', params)).result;
    const answered = { ...params, requestState, inputResponses: { call_2: allow } };
    expect(String(valueOf((await client.request('tools/call', answered)).result))).toContain('no capacity');
    isFull = false;
    expect(valueOf((await client.request('tools/call', answered)).result)).toEqual({ remove: 'x' });
    expect(calls).toEqual(['read a', 'remove x']);
  });

  it('is refused if its state cannot be compressed below the limit, and goes on', async () => {
    const { url, calls, counts } = await setUp();
    const person = await connectModern(url, () => allow);
    const large = `
      const noise = new Uint32Array(1_200_000).map(() => Math.random() * 2 ** 32);
      const text = await tools.remove({ id: 'x' }).catch(({ message }) => message);
      [noise.length, text]`;
    const [length, text] = valueOf(await person.call(large)) as [number, string];
    expect(length).toBe(1_200_000);
    expect(text).toContain('the code holds too much data to wait for one');
    expect(calls).toEqual([]);
    expect(counts.open).toBe(0);
    await person.close();
  });
});

await describeWithRedis(
  'nodes that share their runs in Redis',
  ({ createNode, createPrefix, client: redis }) => {
    /** Starts two nodes. A 2026 client reaches another one with each request. */
    const setUpNodes = async (settings?: CodeSettings) => {
      const prefix = createPrefix();
      const calls: string[] = [];
      const nodes: Face[] = [];
      for (const [, open] of faces) {
        const face = await open(createRegistry(calls, createNode({ prefix })), { view: view(settings) });
        cleanUps.push(() => face.close());
        nodes.push(face);
      }
      const ask = (node: number, params: Json, user = 'ada'): Promise<ModernAnswer> =>
        createModernClient(nodes[node % 2] as Face, { capabilities: FORMS, user }).request('tools/call', {
          name: 'run_code',
          arguments: { code },
          ...params,
        });
      return { prefix, calls, ask };
    };
    testClients(async (settings) => {
      const calls: string[] = [];
      const registry = createRegistry(calls, createNode());
      const server = await serveHttp(registry, { port: 0, view: view(settings), closeOnSignals: false });
      cleanUps.push(() => server.close());
      return { url: server.url, calls };
    });

    it('continue a run on another node after each question', async () => {
      const { calls, ask, prefix } = await setUpNodes();
      const first = await ask(0, {});
      expect(first.result).toMatchObject({
        resultType: 'input_required',
        inputRequests: { call_2: {}, call_3: {} },
      });
      expect(calls.toSorted()).toEqual(['add d', 'read a']);
      const second = await ask(1, {
        requestState: first.result['requestState'],
        inputResponses: { call_2: allow, call_3: allow },
      });
      expect(Object.keys(second.result['inputRequests'] as Json)).toEqual(['call_6']);
      const third = await ask(0, {
        requestState: second.result['requestState'],
        inputResponses: { call_6: { action: 'decline' } },
      });
      expect(valueOf(third.result)).toMatchObject([...all.slice(0, 5), { code: 'ErrCallNotAllowed' }]);
      expect((third.result['content'] as Json[])[1]).toMatchObject({ text: 'Logs:\ndone' });
      expect(calls.toSorted()).toEqual(ALL_CALLS.filter((call) => call !== 'remove f'));
      // Only the two claims are left.
      expect(await redis.keys(`${prefix}:records:*`)).toHaveLength(2);
    });

    it('continue a run once, whichever nodes get the same answers', async () => {
      const { calls, ask } = await setUpNodes();
      const source = `await tools.remove({ id: 'x' }); 'over'`;
      const args = { arguments: { code: source } };
      const { requestState } = (await ask(0, args)).result;
      const answered = { ...args, requestState, inputResponses: { call_1: allow } };
      const answers = await Promise.all(Array.from({ length: 6 }, (_, node) => ask(node, answered)));
      expect(calls).toEqual(['remove x']);
      const texts = answers.map(({ result }) => String(valueOf(result)));
      expect(texts.filter((text) => text === 'over')).toHaveLength(1);
      for (const text of texts)
        if (text !== 'over') expect(text).toContain('The question has already been answered');
    });

    it('accept an approval only from its caller and for its code, and only as it was signed', async () => {
      const { calls, ask } = await setUpNodes();
      const args = { arguments: { code: `await tools.remove({ id: 'x' })` } };
      const state = String((await ask(0, args)).result['requestState']);
      const inputResponses = { call_1: allow };
      const rejected = { error: { code: -32_602 } };
      const others: [Json, string][] = [
        [{ ...args, requestState: state }, 'eve'],
        [{ arguments: { code: `await tools.remove({ id: 'y' })` }, requestState: state }, 'ada'],
        [{ arguments: { ...args.arguments, dryRun: false }, requestState: state }, 'ada'],
        [{ ...args, requestState: `${state} ` }, 'ada'],
        [{ ...args, requestState: state.replace('"run":"', '"run":"x') }, 'ada'],
      ];
      for (const [params, user] of others)
        expect(await ask(1, { ...params, inputResponses }, user)).toMatchObject(rejected);
      // Answers that were sent before the question, or to another question, allow nothing.
      const early = await ask(1, { ...args, inputResponses });
      expect(early.result['resultType']).toBe('input_required');
      await ask(1, { ...args, requestState: state, inputResponses: { call_2: allow } });
      expect(calls).toEqual([]);
    });
  },
);
