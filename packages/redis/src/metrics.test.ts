import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it, vi } from 'vitest';
import { describeWithRedis } from '../../../test/stores/with-redis.js';
import { observeSharedWithOpenTelemetry } from 'toolfold/otel';

await describeWithRedis('metrics of shared state', ({ server, createNode }) => {
  describe.skipIf(server.process === undefined)('with OpenTelemetry', () => {
    it('count degraded and rejected operations, and when Redis goes down and up', async () => {
      const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
      const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
      const meters = new MeterProvider({ readers: [reader] });
      const node = createNode({ timeoutMs: 200 });
      const stop = observeSharedWithOpenTelemetry(node, { meter: meters.getMeter('test') });
      /** The values by name and attributes. */
      const read = async (): Promise<Record<string, unknown>> => {
        await reader.forceFlush();
        const found =
          exporter
            .getMetrics()
            .at(-1)
            ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
        return Object.fromEntries(
          found.flatMap(({ descriptor: { name }, dataPoints }) =>
            dataPoints.map(({ attributes, value }) => [
              [name, ...Object.values(attributes)].join(' '),
              value,
            ]),
          ),
        );
      };
      await node.records.get('a');
      expect(await read()).toMatchObject({ 'toolfold.shared.up': 1 });
      await server.kill();
      await Promise.allSettled(Array.from({ length: 6 }, () => node.records.get('a')));
      await node.createRateLimiter({ calls: 1, windowMs: 60_000 }).consume('ada');
      expect(await read()).toMatchObject({
        'toolfold.shared.up': 0,
        'toolfold.shared.events refused records': 6,
        'toolfold.shared.events degraded rate limits': 1,
        'toolfold.shared.events down': 1,
      });
      await server.restart();
      await vi.waitFor(() => expect(node.isUp).toBe(true), { timeout: 5_000 });
      expect(await read()).toMatchObject({ 'toolfold.shared.up': 1, 'toolfold.shared.events up': 1 });
      stop();
      node.onEvent(() => undefined);
      await node.close();
      await node.records.get('a').catch(() => undefined);
      expect(await read()).toMatchObject({ 'toolfold.shared.events refused records': 6 });
      await meters.shutdown();
    });
  });
});
