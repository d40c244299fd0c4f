// Registers a global provider of OpenTelemetry that appends the name and address of each span to the file SPANS.
import { appendFileSync } from 'node:fs';
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = {
  export(spans, done) {
    for (const { name, attributes } of spans)
      appendFileSync(process.env.SPANS, `${name} ${attributes['toolfold.address']}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
);
