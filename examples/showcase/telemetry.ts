/** Writes spans of calls to standard error, because stdio servers use standard output. */
import type { ExportResult } from '@opentelemetry/core';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace-base';
import type { Observe } from 'toolfold';
import { observeWithOpenTelemetry } from 'toolfold/otel';

export function observeOnConsole(write: (line: string) => void): Observe {
  const exporter: SpanExporter = {
    export: (spans: ReadableSpan[], done: (result: ExportResult) => void) => {
      for (const span of spans) write(describe(span));
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  return observeWithOpenTelemetry({ tracer: provider.getTracer('showcase') });
}

function describe(span: ReadableSpan): string {
  const [seconds, nanoseconds] = span.duration;
  const ms = (seconds * 1_000 + nanoseconds / 1e6).toFixed(1);
  const shown = Object.entries(span.attributes).map(([key, value]) => `${key}=${String(value)}`);
  return `span ${span.name} ${ms} ms trace=${span.spanContext().traceId} ${shown.join(' ')}`;
}
