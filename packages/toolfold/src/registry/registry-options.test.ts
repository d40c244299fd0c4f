import { describe, expect, it } from 'vitest';
import { textOf, toolWith } from '../../../../test/calls.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ToolRegistry } from './tool-registry.js';

describe('the options of a registry', () => {
  it.each<[string, object]>([
    ['a logger without methods', { logger: {} }],
    ['a formatter without methods', { responseFormatter: {} }],
    ['a security wrapper that is not a function', { withSecurityWrapper: 1 }],
    ['an observer that is not a function', { observe: 1 }],
    ['a store without methods', { store: { get: () => {} } }],
    ['a cache without for()', { cache: {} }],
    ['a clock that is not a function', { clock: 5 }],
    ['a concurrency limit of 0', { concurrency: { max: 0 } }],
    ['a concurrency limit of NaN', { concurrency: { max: Number.NaN } }],
  ])('reject %s', (_what, options) => {
    expect(() => new ToolRegistry(options as never)).toThrow(ErrInvalidOptions);
  });

  it('reject an unknown name and suggest the nearest', () => {
    expect(() => new ToolRegistry({ ratelimiter: false } as never)).toThrow(/Did you mean "rateLimiter"/);
  });

  it('pass the clock to the rate limiter', async () => {
    let now = 0;
    const registry = new ToolRegistry({
      clock: () => now,
      rateLimiter: { calls: 1, windowMs: 60_000 },
    }).register(toolWith(() => 'ran'));
    expect(textOf(await registry.executeTool({ name: 't' }))).toBe('ran');
    expect(textOf(await registry.executeTool({ name: 't' }))).toContain('too often');
    now += 61_000;
    expect(textOf(await registry.executeTool({ name: 't' }))).toBe('ran');
  });
});
