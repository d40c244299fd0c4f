import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { writeResult } from './write-message.js';

describe('a result with a list of tools', () => {
  const registry = new ToolRegistry({ name: 'acme' });
  for (const name of ['one', 'two'])
    registry.register({
      name,
      description: `Does ${name}: "ü", \u2028`,
      inputSchema: {},
      handler: () => name,
    });
  const fail = (error: unknown): never => {
    throw error;
  };

  it.each(['2025-11-25', '2026-07-28'] as const)('is the JSON that it would be otherwise: %s', (version) => {
    const tools = registry.view().listTools(version);
    for (const result of [
      { tools },
      { tools, nextCursor: '1.x' },
      { tools, ttlMs: 0, cacheScope: 'private', _meta: { a: [1] } },
      { tools: tools.slice(0, 1) },
      { tools: [...tools] },
    ])
      for (const id of [1, 'a"b'])
        expect(writeResult(id, result, fail)).toBe(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });

  it('is rejected where JSON cannot say what else is in it', () => {
    const errors: unknown[] = [];
    const result = { tools: registry.view().listTools(), count: 1n };
    expect(writeResult(1, result, (error) => errors.push(error))).toContain('"code":-32603');
    expect(errors).toHaveLength(1);
  });
});
