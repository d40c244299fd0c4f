import { SpanKind, SpanStatusCode, context, metrics, propagation, trace } from '@opentelemetry/api';
import type { Attributes, Meter, ObservableResult, Tracer } from '@opentelemetry/api';
import type { ErrorReport } from './error-handler.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Shared } from '../stores/contracts.js';
import { assertOptions, withMethods } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { Observe } from './services.js';
import type { ExecuteRequest } from './request.js';

/** Replaces the tracer and the meter of the global providers. */
export interface OpenTelemetryOptions {
  /** Creates the spans. Default: the tracer of the global provider. */
  readonly tracer?: Tracer;
  /** Creates the metrics. Default: the meter of the global provider. */
  readonly meter?: Meter;
}

const NAME = 'toolfold';

const rules: Rules<keyof OpenTelemetryOptions> = {
  tracer: withMethods('startSpan'),
  meter: withMethods('createCounter', 'createHistogram'),
};

/**
 * Records a span, a count and a duration for every call, under OpenTelemetry's names for MCP. A span continues the
 * trace that the request names in `_meta`. Arguments and results are not recorded, only their sizes.
 */
export function observeWithOpenTelemetry(options: OpenTelemetryOptions = {}): Observe {
  assertOptions('observeWithOpenTelemetry', options, rules);
  const { tracer = trace.getTracer(NAME), meter = metrics.getMeter(NAME) } = options;
  const calls = meter.createCounter('toolfold.tool.calls', { description: 'Tool calls, by outcome.' });
  const durations = meter.createHistogram('mcp.server.operation.duration', {
    description: 'Duration of tool calls.',
    unit: 's',
  });
  return ({ request, record }, run) => {
    // The calls of code belong to the span of their run, although their request names the trace of the client.
    const carrier = request.run === undefined ? (request.meta ?? {}) : {};
    const parent = propagation.extract(context.active(), carrier);
    // The span gets the tool's name only after the tool was found, because a caller can send any name.
    const attributes = { 'mcp.method.name': 'tools/call' };
    const span = tracer.startSpan('tools/call', { kind: SpanKind.SERVER, attributes }, parent);
    const start = performance.now();
    return context.with(trace.setSpan(parent, span), async () => {
      try {
        const result = await run();
        const outcome = outcomeOf(result);
        const { tool = 'unknown', address = 'unknown', action } = record;
        span.updateName(`tools/call ${tool}`);
        span.setAttributes({
          // Sizes are computed only for spans that are recorded.
          ...(span.isRecording() ? describe(request, result) : {}),
          'gen_ai.tool.name': tool,
          'toolfold.address': address,
          ...(action === undefined ? {} : { 'toolfold.action': action }),
          ...(request.run === undefined ? {} : { 'toolfold.run': request.run }),
          'toolfold.outcome': outcome,
          ...(result.isError ? { 'error.type': outcome } : {}),
        });
        if (result.isError) span.setStatus({ code: SpanStatusCode.ERROR });
        const labels = { 'toolfold.address': address, 'toolfold.outcome': outcome };
        calls.add(1, labels);
        durations.record((performance.now() - start) / 1_000, { 'mcp.method.name': 'tools/call', ...labels });
        return result;
      } finally {
        span.end();
      }
    });
  };
}

/**
 * Counts the events of shared state: operations without it, operations rejected because it is down, and its losses
 * and recoveries. Also reports whether it can be reached. Returns a function that stops the observation.
 */
export function observeSharedWithOpenTelemetry(
  shared: Shared,
  { meter = metrics.getMeter(NAME) }: Pick<OpenTelemetryOptions, 'meter'> = {},
): () => void {
  const events = meter.createCounter('toolfold.shared.events', {
    description: 'Events of the shared state, by kind and by the feature that they concern.',
  });
  const up = meter.createObservableGauge('toolfold.shared.up', {
    description: '1 if the shared state can be reached, otherwise 0.',
  });
  const look = (result: ObservableResult): void => result.observe(shared.isUp ? 1 : 0);
  up.addCallback(look);
  const stop = shared.onEvent(({ kind, about }) =>
    events.add(1, {
      'toolfold.shared.kind': kind,
      ...(about === undefined ? {} : { 'toolfold.shared.about': about }),
    }),
  );
  return () => {
    stop();
    up.removeCallback(look);
  };
}

function outcomeOf({ isError, resultType, _meta }: CallToolResult): string {
  if (resultType === 'input_required') return 'input_required';
  if (isError !== true) return 'ok';
  return (_meta?.['toolfold/error'] as ErrorReport | undefined)?.code ?? 'error';
}

function describe({ arguments: given = {} }: ExecuteRequest, result: CallToolResult): Attributes {
  return {
    'toolfold.arguments.size': sizeOf(given),
    'toolfold.result.size': sizeOf(result.content) + sizeOf(result.structuredContent),
  };
}

/** Counts characters of JSON. Returns -1 for a value that has no JSON. */
function sizeOf(value: unknown): number {
  try {
    return value === undefined ? 0 : JSON.stringify(value).length;
  } catch {
    // A value that JSON cannot represent must not fail the call.
    return -1;
  }
}
