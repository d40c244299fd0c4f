import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { ToolCall, ToolContext } from '../define/tool-definition.js';
import { ErrInvalidRequestState, ErrModuleFailed, ErrUnknownTask } from '@toolfold/schema/errors';
import type { RequestOptions } from '../engine/request.js';
import { TASKS_EXTENSION } from '../tasks/tasks.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ResolvedContext, ContextValues } from '../callers/session-context.js';
import type { LoadedTool } from './module-loader.js';
import { Toolsets } from './toolsets.js';
import { enough, runs } from '../../../../test/runs.js';
import { internalsOf } from '../registry/any-registry.js';

const tenants = ['ada', 'bob', 'eve', 'zoe'] as const;
type Tenant = (typeof tenants)[number];
const secretOf = (tenant: string): string => `secret-of-${tenant}`;
const dataOf = (tenant: string): string => `data-of-${tenant}`;

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

/** The data of a service, by the credential of the request. */
async function fetchData(credential: unknown, slow: number): Promise<string> {
  await turns(slow);
  const tenant = tenants.find((name) => secretOf(name) === credential);
  return tenant === undefined ? 'data-of-nobody' : dataOf(tenant);
}

/** The tools of one tenant: they contain its credential, and store fetched data in every possible way. */
function toolsOf(context: ContextValues, slow: () => number): LoadedTool[] {
  const credential = context['acme_key'];
  const fetch = (): Promise<string> => fetchData(credential, slow());
  const common = { description: 'Fetches', inputSchema: {} };
  const ttlMs = 60_000;
  const wrap = ({ cache }: ToolContext, shared: boolean): Promise<string> =>
    cache.wrap('data', fetch, { ttlMs, shared, tags: ['data'] });
  return [
    { ...common, name: 'cached', readOnly: true, cached: { ttlMs, tags: ['data'] }, handler: fetch },
    { ...common, name: 'shared', readOnly: true, cached: { ttlMs, shared: true }, handler: fetch },
    // Values become stale quickly, so that most answers are stale.
    {
      ...common,
      name: 'stale',
      readOnly: true,
      cached: { ttlMs: 0.001, staleWhileRevalidateMs: ttlMs, shared: true },
      handler: fetch,
    },
    { ...common, name: 'helper', handler: ({ context: call }: ToolCall) => wrap(call, false) },
    { ...common, name: 'helper_shared', handler: ({ context: call }: ToolCall) => wrap(call, true) },
    {
      ...common,
      name: 'session',
      handler: ({ context: call }: ToolCall) => fetchData(call.session['acme_key'], slow()),
    },
    { ...common, name: 'once', idempotency: true, handler: fetch },
    { ...common, name: 'write', invalidates: ['data'], handler: fetch },
    {
      ...common,
      name: 'fail',
      handler: async () => {
        throw new Error(`${await fetch()} refuses ${String(credential)}`);
      },
    },
    { ...common, name: 'work', task: true, handler: fetch },
    {
      ...common,
      name: 'ask',
      handler: async ({ context: call }: ToolCall) => {
        const data = await fetch();
        const question = { message: `Send ${data}?`, schema: z.object({ value: z.string() }) };
        const { sure } = await call.requestInput({ sure: question });
        return `${data} ${sure.action}`;
      },
    },
  ];
}

/** All tenants are the same caller, so that only their contexts distinguish them. */
const request: RequestOptions = {
  protocolVersion: '2026-07-28',
  caller: {
    auth: { sub: 'gateway' },
    capabilities: { extensions: { [TASKS_EXTENSION]: {} }, elicitation: { form: {} } },
  },
};

function setUp(slow: () => number, isDown: (loads: number) => boolean) {
  const lines: string[] = [];
  const write = (fields: object, message: string): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const registry = new ToolRegistry({
    rateLimiter: false,
    logger: { debug: write, info: write, warn: write, error: write },
  });
  let loads = 0;
  const toolsets = new Toolsets(registry, {
    catalog: { acme: { name: 'Acme', description: 'Acme', modules: ['acme'] } },
    moduleLoaders: {
      acme: async (context = {}) => {
        await turns(slow());
        if (isDown(loads++)) throw new Error(`503 for ${String(context['acme_key'])}`);
        return toolsOf(context, slow);
      },
    },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: { acme_key: 'secret-of-the-operator' },
    exposurePolicy: {},
    sessionContext: {
      header: { name: 'x-config', encoding: 'json', allowedKeys: ['acme_key', 'note'] },
      credentialKeys: ['acme_key'],
    },
  });
  /** Resolves the context of every request like a server does. */
  const open = async (tenant: Tenant) => {
    const session = toolsets.contextOf({
      header: () => JSON.stringify({ acme_key: secretOf(tenant) }),
      query: () => [],
    });
    return { session, view: await toolsets.view(toolsets.startup, session) };
  };
  const call = async (tenant: Tenant, name: string, round: object = {}): Promise<unknown> => {
    const { session, view } = await open(tenant);
    const params = { name, arguments: {} };
    const ask = internalsOf(registry).askInRounds(
      { method: 'tools/call', params, ...round },
      { ...request, session },
    );
    return internalsOf(registry).callOrStartTask(
      { ...request, ...params, session, ask, idempotencyKey: 'key' },
      view,
    );
  };
  const getTask = async (session: ResolvedContext, taskId: unknown): Promise<unknown> => {
    const method = 'tasks/get';
    // Tools of toolsets are not registered, so the registry does not know that there are tasks.
    return internalsOf(registry).taskMethods[method]?.({ ...request, method, params: { taskId }, session });
  };
  registry.register({
    name: 'task_of_the_server',
    description: 'Makes the registry offer tasks',
    inputSchema: {},
    task: true,
    handler: () => '',
  });
  return { open, call, getTask, lines };
}

const plain = [
  'cached',
  'shared',
  'stale',
  'helper',
  'helper_shared',
  'session',
  'once',
  'write',
  'fail',
] as const;

const step = fc.record({
  tenant: fc.constantFrom(...tenants),
  wait: fc.nat(4),
  do: fc.constantFrom(...plain, ...plain, 'work', 'work', 'poll', 'poll', 'ask', 'ask', 'answer', 'answer'),
  pick: fc.nat(99),
});

describe('the data of tenants', () => {
  it('are in no answer and no log line of another tenant when requests interleave', async () => {
    const seen = new Map<string, number>();
    const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60 }),
        fc.array(fc.nat(3), { minLength: 1, maxLength: 20 }),
        fc.nat(6),
        async (steps, slowness, down) => {
          let at = 0;
          const slow = (): number => slowness[at++ % slowness.length] ?? 0;
          const { open, call, getTask, lines } = setUp(slow, (loads) => loads === down);
          const tasks: { taskId: unknown; of: Tenant }[] = [];
          const states: { requestState: unknown; of: Tenant }[] = [];
          const assertOwn = (tenant: Tenant, answer: unknown): void => {
            const text = answer instanceof Error ? answer.message : JSON.stringify(answer);
            expect(text).not.toContain('secret-of-');
            const named = [...text.matchAll(/data-of-([a-z]+)/g)].map(([, name]) => name);
            expect(named.filter((name) => name !== tenant)).toEqual([]);
            if (named.length > 0) count('own data');
          };
          const run = async ({ tenant, wait, do: what, pick }: (typeof steps)[number]): Promise<unknown> => {
            // Requests for data of another tenant run once the data exists.
            await turns(what === 'poll' || what === 'answer' ? 8 + wait : wait);
            if (what === 'work') {
              const task = (await call(tenant, 'work')) as { taskId?: unknown };
              if (task.taskId !== undefined) tasks.push({ taskId: task.taskId, of: tenant });
              return task;
            }
            if (what === 'poll') {
              const { taskId, of } = tasks[pick % tasks.length] ?? {};
              const { session } = await open(tenant);
              const asked = getTask(session, taskId);
              if (of === tenant) return asked;
              if (of !== undefined) count('task of another');
              await expect(asked).rejects.toThrow(ErrUnknownTask);
              return undefined;
            }
            if (what === 'ask') {
              const asked = (await call(tenant, 'ask')) as { requestState?: unknown };
              expect(asked.requestState).toBeDefined();
              states.push({ requestState: asked.requestState, of: tenant });
              return asked;
            }
            if (what === 'answer') {
              const { requestState, of } = states[pick % states.length] ?? {};
              if (of === undefined) return undefined;
              const inputResponses = { sure: { action: 'accept', content: { value: 'yes' } } };
              const answered = call(tenant, 'ask', { requestState, inputResponses });
              if (of === tenant) return answered;
              const thrown: unknown = await answered.catch((error: unknown) => error);
              // A module that fails to load comes first.
              if (thrown instanceof ErrModuleFailed) return thrown;
              count('state of another');
              expect(thrown).toBeInstanceOf(ErrInvalidRequestState);
              return thrown;
            }
            const answer = await call(tenant, what);
            expect(JSON.stringify(answer)).toContain(dataOf(tenant));
            return answer;
          };
          await Promise.all(
            steps.map(async (each) => {
              const answer = await run(each).catch((thrown: unknown) => {
                // The one load that fails on purpose.
                if (thrown instanceof ErrModuleFailed) return thrown;
                throw thrown;
              });
              if (answer instanceof ErrModuleFailed) count('failed load');
              if (answer !== undefined) assertOwn(each.tenant, answer);
            }),
          );
          for (const line of lines) expect(line).not.toContain('secret-of-');
          expect(lines.length).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(120) },
    );
    // Every kind of data that must not be mixed up existed.
    for (const what of ['own data', 'task of another', 'state of another', 'failed load'])
      expect(seen.get(what), what).toBeGreaterThanOrEqual(enough(10));
  }, 60_000);
});
