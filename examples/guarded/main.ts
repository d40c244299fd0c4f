/**
 * Replaces parts of a registry: the security wrapper, the rate limiter (rate-limiter-flexible), the logger (pino) and
 * the formatter. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import pino from 'pino';
import { metrics } from '@opentelemetry/api';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { Cache, MemoryStore, ResponseFormatter, ToolRegistry } from 'toolfold';
import type { WithSecurityWrapper } from 'toolfold';
import { observeWithOpenTelemetry } from 'toolfold/otel';
import * as z from 'zod';

const greet = {
  name: 'greet',
  description: 'Greets somebody',
  inputSchema: z.object({ who: z.string() }),
  handler: ({ input }: { input: { who: string } }) => ({ text: `Hello ${input.who}` }),
};

// #region wrapper
const audit: string[] = [];
const withSecurityWrapper: WithSecurityWrapper = (namespace, operation, inputSchema) => async (call, run) => {
  audit.push(`${namespace} ${operation}`);
  if (call.caller.auth === undefined) throw new Error('Sign in first.');
  const checked = await inputSchema['~standard'].validate(await call.arguments());
  if (checked.issues) throw { issues: checked.issues };
  return run(checked.value);
};
// #endregion wrapper

const show = async (registry: ToolRegistry, request: object): Promise<void> => {
  const { content } = await registry.executeTool({ name: 'greet', ...request });
  const [block] = content;
  console.log(block?.type === 'text' ? block.text : block);
};

const wrapped = new ToolRegistry({ name: 'acme', withSecurityWrapper }).register(greet);
const caller = { auth: { token: 't', extra: { sub: 'ada' } } };
await show(wrapped, { arguments: { who: 'Ada' } });
await show(wrapped, { arguments: { whom: 'Ada' }, caller });
await show(wrapped, { arguments: { who: 'Ada' }, caller });
assert.deepEqual(audit, ['acme greet', 'acme greet', 'acme greet']);

// #region services
const lines: string[] = [];
const registry = new ToolRegistry({
  name: 'acme',
  rateLimiter: new RateLimiterMemory({ points: 2, duration: 60 }),
  logger: pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  responseFormatter: new ResponseFormatter({ minify: false }),
  cache: new Cache({ store: new MemoryStore({ maxEntries: 1_000, maxBytes: 16 * 1024 ** 2 }) }),
  store: new MemoryStore({ maxEntries: 500_000, evicts: false }),
  observe: observeWithOpenTelemetry({ meter: metrics.getMeter('acme') }),
}).register(greet);
// #endregion services
for (let call = 0; call < 3; call++) await show(registry, { arguments: { who: 'Ada' } });
const outcomes = lines.map((line) => (JSON.parse(line) as { outcome?: string }).outcome).filter(Boolean);
console.log(outcomes);
assert.deepEqual(outcomes, ['ok', 'ok', 'ErrRateLimited']);
