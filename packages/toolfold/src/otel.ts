/** `toolfold/otel`: traces and metrics for OpenTelemetry. */
export { observeSharedWithOpenTelemetry, observeWithOpenTelemetry } from './engine/open-telemetry.js';
export type { OpenTelemetryOptions } from './engine/open-telemetry.js';
