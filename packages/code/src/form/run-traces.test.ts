import { context, propagation } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectLogs, textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import { observeWithOpenTelemetry } from 'toolfold/otel';

const spans = new InMemorySpanExporter();
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
  'test',
);

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(() => {
  context.disable();
  propagation.disable();
});
beforeEach(() => spans.reset());

const read = {
  name: 'read',
  readOnly: true,
  inputSchema: z.object({ id: z.number() }),
  handler: async ({ input }: { input: { id: number } }) => {
    await new Promise((resolve) => setImmediate(resolve));
    return input.id;
  },
};

const idIn = (result: { _meta?: Record<string, unknown> }): unknown =>
  (result._meta?.['toolfold/run'] as { id?: unknown } | undefined)?.id;

describe('the spans of a run', () => {
  it('are children of the span of run_code, which continues the trace of the client', async () => {
    const { run } = createCodeServer({
      tools: [read],
      registry: { observe: observeWithOpenTelemetry({ tracer }) },
      code: { limits: { concurrentCalls: 2 } },
      scripts: {
        all: async ({ call }) => {
          await Promise.all([1, 2, 3].map((id) => call('read', { id })));
          return call('read', { id: 4 });
        },
      },
    });
    const traces = ['0af7651916cd43dd8448eb211c80319c', '1af7651916cd43dd8448eb211c80319c'];
    const results = await Promise.all(
      traces.map((trace) => run('all', { meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` } })),
    );
    const ended = spans.getFinishedSpans();
    for (const [index, trace] of traces.entries()) {
      const own = ended.filter((span) => span.spanContext().traceId === trace);
      const [root, ...none] = own.filter(({ name }) => name === 'tools/call run_code');
      expect(none).toEqual([]);
      expect(root?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
      const calls = own.filter(({ name }) => name === 'tools/call read');
      expect(calls.map((span) => span.parentSpanContext?.spanId)).toEqual(
        Array.from({ length: 4 }, () => root?.spanContext().spanId),
      );
      expect(new Set(calls.map(({ attributes }) => attributes['toolfold.run']))).toEqual(
        new Set([idIn(results[index] as object)]),
      );
    }
  });
});

describe('the request log of a run', () => {
  it('carries the id of the run for its calls and for the end of run_code, and for no other call', async () => {
    const { lines, logger } = collectLogs();
    const { run, registry } = createCodeServer({
      tools: [read],
      registry: { logger },
      scripts: {
        one: ({ call }) => call('read', { id: 1 }),
        failed: async ({ call }) => {
          await call('read', { id: 1 });
          throw new Error('no');
        },
      },
    });
    for (const code of ['one', 'failed']) {
      lines.length = 0;
      const id = idIn(await run(code));
      expect(id).toEqual(expect.any(String));
      expect(
        (lines as { address: string; message: string; run?: string }[]).map((line) => [
          line.message,
          line.address,
          line.run,
        ]),
      ).toEqual([
        ['tool call', 'run_code', undefined],
        ['tool call', 'read', id],
        ['tool call done', 'read', id],
        [code === 'one' ? 'tool call done' : 'tool call failed', 'run_code', id],
      ]);
    }
    lines.length = 0;
    await registry.executeTool({ name: 'read', arguments: { id: 1 } });
    expect(lines).toHaveLength(2);
    for (const line of lines) expect((line as { run?: string }).run).toBeUndefined();
  });
});

describe('the idempotency keys of a run', () => {
  const pay = (done: string[], name = 'pay') => ({
    name,
    destructive: false,
    idempotency: {},
    inputSchema: z.object({ to: z.string() }),
    handler: ({ input }: { input: { to: string } }) => {
      done.push(`${name} ${input.to}`);
      return { paid: input.to, number: done.length };
    },
  });

  it('perform no write twice if the request is retried, in any order of the calls', async () => {
    const done: string[] = [];
    let isReversed = false;
    const { run } = createCodeServer({
      tools: [pay(done), pay(done, 'send')],
      code: { allow: 'write' },
      scripts: {
        pay: async ({ call }) => {
          const order = isReversed ? ['eve', 'bob', 'ada'] : ['ada', 'bob', 'eve'];
          await Promise.all(order.map((to) => call('pay', { to })));
          return isReversed
            ? [await call('send', { to: 'ada' }), await call('pay', { to: 'ada' })]
            : [await call('pay', { to: 'ada' }), await call('send', { to: 'ada' })].toReversed();
        },
      },
    });
    const meta = { 'toolfold/idempotencyKey': 'key-1' };
    const first = await run('pay', { meta });
    isReversed = true;
    const second = await run('pay', { meta });
    // Equal calls of one run are separate calls: ada is paid twice in each run.
    expect(done).toEqual(['pay ada', 'pay bob', 'pay eve', 'pay ada', 'send ada']);
    expect(textOf(second)).toBe(textOf(first));
    expect(idIn(second)).toBe(idIn(first));
  });

  it('differ between runs, and between callers that send the same key', async () => {
    const done: string[] = [];
    const { run } = createCodeServer({
      tools: [pay(done)],
      code: { allow: 'write' },
      scripts: { pay: ({ call }) => call('pay', { to: 'ada' }) },
    });
    const by = (sub: string) => ({
      auth: { token: sub, clientId: 'c', scopes: [], extra: { sub, iss: 'i' } },
    });
    await run('pay');
    await run('pay');
    expect(done).toHaveLength(2);
    const meta = { 'toolfold/idempotencyKey': 'key' };
    await Promise.all([run('pay', { meta, caller: by('ada') }), run('pay', { meta, caller: by('bob') })]);
    expect(done).toHaveLength(4);
    await run('pay', { meta: { 'toolfold/idempotencyKey': 'other' }, caller: by('ada') });
    expect(done).toHaveLength(5);
  });

  it('are rejected if the client sends one that is no text', async () => {
    const { run } = createCodeServer({ tools: [read], scripts: { x: () => 1 } });
    const result = await run('x', { meta: { 'toolfold/idempotencyKey': 5 } });
    expect(textOf(result)).toContain('the idempotency key must be a text');
  });
});
