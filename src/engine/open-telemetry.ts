import { SpanKind, SpanStatusCode, context, metrics, propagation, trace } from '@opentelemetry/api';
import type { Attributes, Meter, ObservableResult, Tracer } from '@opentelemetry/api';
import type { ErrorReport } from './error-handler.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Shared } from '../stores/shared.js';
import type { Observe } from './services.js';
import type { ExecuteRequest } from './request.js';

/** Where spans and measurements go. */
export interface OpenTelemetryOptions {
  /** Makes the spans. Default: the one that the global provider gives. */
  readonly tracer?: Tracer;
  /** Makes the measurements. Default: the one that the global provider gives. */
  readonly meter?: Meter;
}

const NAME = 'toolfold';

/**
 * A span, a count and a duration for every call, under the names that OpenTelemetry has for MCP. A span continues
 * the trace that the request names in `_meta`. Neither arguments nor results are recorded, only their sizes.
 */
export function observeWithOpenTelemetry({
  tracer = trace.getTracer(NAME),
  meter = metrics.getMeter(NAME),
}: OpenTelemetryOptions = {}): Observe {
  const calls = meter.createCounter('toolfold.tool.calls', { description: 'Calls of tools, by outcome.' });
  const durations = meter.createHistogram('mcp.server.operation.duration', {
    description: 'How long calls take.',
    unit: 's',
  });
  return ({ request, record }, run) => {
    const parent = propagation.extract(context.active(), request.meta ?? {});
    // What a caller writes is no name until it is found.
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
          // Sizes are worth their time only where somebody reads them.
          ...(span.isRecording() ? describe(request, result) : {}),
          'gen_ai.tool.name': tool,
          'toolfold.address': address,
          ...(action === undefined ? {} : { 'toolfold.action': action }),
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
 * Counts what is done without shared state, what is refused for want of it, and how often it was gone and came back;
 * and says whether it can be reached. The result ends that.
 */
export function observeSharedWithOpenTelemetry(
  shared: Shared,
  { meter = metrics.getMeter(NAME) }: Pick<OpenTelemetryOptions, 'meter'> = {},
): () => void {
  const events = meter.createCounter('toolfold.shared.events', {
    description:
      'What went on between this process and the state that it shares, by kind and what it was about.',
  });
  const up = meter.createObservableGauge('toolfold.shared.up', {
    description: '1 where the shared state can be reached, and 0 where it cannot.',
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

/** Characters of JSON. */
function sizeOf(value: unknown): number {
  try {
    return value === undefined ? 0 : JSON.stringify(value).length;
  } catch {
    // A size is worth no call.
    return -1;
  }
}
