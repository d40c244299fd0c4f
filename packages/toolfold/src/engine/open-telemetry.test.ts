import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { observeWithOpenTelemetry } from './open-telemetry.js';
import { ToolRegistry } from '../registry/tool-registry.js';

const spans = new InMemorySpanExporter();
const numbers = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: numbers, exportIntervalMillis: 3_600_000 });
const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer(
  'test',
);
const meters = new MeterProvider({ readers: [reader] });

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
});
afterAll(async () => {
  context.disable();
  propagation.disable();
  await meters.shutdown();
});
beforeEach(async () => {
  spans.reset();
  await reader.forceFlush();
  numbers.reset();
});

const registry = () =>
  new ToolRegistry({
    observe: observeWithOpenTelemetry({ tracer, meter: meters.getMeter('test') }),
  }).register(
    new GroupedToolBuilder('users')
      .action({ name: 'list', inputSchema: z.object({ limit: z.number() }), handler: () => ['ada'] })
      .action({
        name: 'fail',
        handler: () => {
          throw new Error('token=hunter2secret');
        },
      })
      .action({ name: 'inner', handler: async () => trace.getActiveSpan()?.spanContext().traceId ?? 'none' }),
  );

describe('a call that is observed with OpenTelemetry', () => {
  it('is a span with tool, address, outcome and sizes, and without arguments', async () => {
    await registry().executeTool({ name: 'users', arguments: { action: 'list', limit: 7 } });
    const [span] = spans.getFinishedSpans();
    expect(span?.name).toBe('tools/call users');
    expect(span?.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'users',
      'toolfold.address': 'users/list',
      'toolfold.action': 'list',
      'toolfold.outcome': 'ok',
      'toolfold.arguments.size': 27,
      'toolfold.result.size': 36,
    });
  });

  it('is marked as failed with the error code, and never with the error text', async () => {
    await registry().executeTool({ name: 'users', arguments: { action: 'fail' } });
    await registry().executeTool({ name: 'users', arguments: { action: 'list' } });
    await registry().executeTool({ name: 'nobody' });
    expect(spans.getFinishedSpans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'ErrToolFailed',
      'ErrValidationFailed',
      'ErrUnknownTool',
    ]);
    expect(
      JSON.stringify(spans.getFinishedSpans().map(({ attributes, status }) => [attributes, status])),
    ).not.toContain('hunter2');
  });

  it('continues the trace that the request names, also inside the handler', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const meta = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const result = await registry().executeTool({ name: 'users', arguments: { action: 'inner' }, meta });
    expect(result.content).toEqual([{ type: 'text', text: traceId }]);
    expect(spans.getFinishedSpans()[0]?.parentSpanContext?.spanId).toBe('b7ad6b7169203331');
  });

  it('is counted and timed by address and outcome, and unknown names count as one', async () => {
    const tools = registry();
    await tools.executeTool({ name: 'users', arguments: { action: 'list', limit: 1 } });
    await tools.executeTool({ name: 'users', arguments: { action: 'list', limit: 1 } });
    for (const name of ['x1', 'x2', 'x3']) await tools.executeTool({ name });
    await reader.forceFlush();
    const found = numbers
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap(({ metrics }) => metrics);
    const points = (name: string) =>
      found.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
    expect(
      points('toolfold.tool.calls').map(({ attributes, value }) => [attributes['toolfold.address'], value]),
    ).toEqual([
      ['users/list', 2],
      ['unknown', 3],
    ]);
    expect(
      points('mcp.server.operation.duration').map(({ value }) => (value as { count: number }).count),
    ).toEqual([2, 3]);
  });

  it('returns the same answer as without observation', async () => {
    const call = { name: 'users', arguments: { action: 'list', limit: 7 } };
    const plain = await new ToolRegistry()
      .register(
        new GroupedToolBuilder('users').action({
          name: 'list',
          inputSchema: z.object({ limit: z.number() }),
          handler: () => ['ada'],
        }),
      )
      .executeTool(call);
    expect(await registry().executeTool(call)).toEqual(plain);
  });
});
