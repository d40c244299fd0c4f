import { describe, expect, it } from 'vitest';
import { hashOf } from '../callers/session-context.js';
import type { ContextValues, ResolvedContext } from '../callers/session-context.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { TASKS_EXTENSION } from '../tasks/tasks.js';
import type { RequestOptions } from './request.js';
import { internalsOf } from '../registry/any-registry.js';

const of = (context: ContextValues): ResolvedContext => ({ context, hash: hashOf(context) });

describe('the limit on idempotency keys', () => {
  it('belongs to the caller, in any session context', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'once',
      description: 'Runs once',
      inputSchema: {},
      idempotency: true,
      handler: () => 'ran',
    });
    const codeOf = async (n: number, sub: string): Promise<unknown> => {
      const request = { name: 'once', idempotencyKey: `${n}`, session: of({ n: n % 7 }) };
      const { _meta } = await registry.executeTool({ ...request, caller: { auth: { sub } } });
      return (_meta?.['toolfold/error'] as { code?: unknown } | undefined)?.code;
    };
    for (let n = 0; n < 10_000; n++) expect(await codeOf(n, 'mallory')).toBeUndefined();
    expect(await codeOf(10_000, 'mallory')).toBe('ErrRateLimited');
    expect(await codeOf(10_000, 'ada')).toBeUndefined();
  });
});

describe('tasks of anonymous callers', () => {
  it('leave room for verified callers, in any session context', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'work',
      description: 'Works',
      inputSchema: {},
      task: true,
      handler: () => new Promise(() => {}),
    });
    const capabilities = { extensions: { [TASKS_EXTENSION]: {} } };
    const isStarted = async (caller: RequestOptions['caller'], n: number): Promise<boolean> => {
      const request = { name: 'work', protocolVersion: '2026-07-28', session: of({ n: n % 50 }) };
      return 'taskId' in (await internalsOf(registry).callOrStartTask({ ...request, caller }));
    };
    let started = 0;
    while (await isStarted({ capabilities }, started)) started++;
    expect(started).toBe(9_000);
    expect(await isStarted({ capabilities, auth: { sub: 'ada' } }, 0)).toBe(true);
  });
});
