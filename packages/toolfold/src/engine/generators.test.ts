import { describe, expect, it, vi } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { textOf, toolWith } from '../../../../test/calls.js';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('a handler that is a generator', () => {
  it('runs inside its middleware, which receives its result and its errors', async () => {
    const log: string[] = [];
    const builder = new GroupedToolBuilder('t')
      .use(async (_call, next) => {
        log.push('in');
        try {
          return `<${String(await next())}>`;
        } catch {
          return 'redacted';
        } finally {
          log.push('out');
        }
      })
      .action({
        name: 'work',
        handler: async function* () {
          log.push('work');
          yield 1;
          return 'done';
        },
      })
      .action({
        name: 'fail',
        handler: async function* () {
          yield 1;
          throw new Error('SECRET');
        },
      });
    expect(await builder.execute({ action: 'work' })).toEqual({
      content: [{ type: 'text', text: '<done>' }],
    });
    expect(log).toEqual(['in', 'work', 'out']);
    expect(await builder.execute({ action: 'fail' })).toEqual({
      content: [{ type: 'text', text: 'redacted' }],
    });
  });

  it('reports progress through the context that it received', async () => {
    const seen: number[] = [];
    const builder = new GroupedToolBuilder('t')
      .use((call, next) =>
        next({ ...call, context: { ...call.context, progress: async (done) => void seen.push(done * 10) } }),
      )
      .action({
        name: 'work',
        handler: async function* () {
          yield 1;
          return 'done';
        },
      });
    await builder.execute({ action: 'work' });
    expect(seen).toEqual([10]);
  });

  it('counts against the concurrency limit for as long as it runs', async () => {
    let running = 0;
    let most = 0;
    const tools = new ToolRegistry({ concurrency: { max: 1, queue: 100 } }).register({
      name: 'work',
      description: 'Does something',
      inputSchema: {},
      handler: async function* () {
        most = Math.max(most, ++running);
        yield 1;
        await pause(2);
        running--;
        return 'done';
      },
    });
    await Promise.all(Array.from({ length: 10 }, () => tools.executeTool({ name: 'work' })));
    expect(most).toBe(1);
  });

  it('is closed on timeout and sends nothing afterwards', async () => {
    let closed = false;
    let steps = 0;
    const progress = vi.fn<() => Promise<void>>(async () => {});
    const tools = new ToolRegistry().register({
      name: 'work',
      description: 'Does something',
      inputSchema: {},
      timeoutMs: 30,
      handler: async function* () {
        try {
          for (; steps < 100; steps++) {
            await pause(10);
            yield steps;
          }
        } finally {
          closed = true;
        }
      },
    });
    expect(await tools.executeTool({ name: 'work', progress })).toMatchObject({ isError: true });
    await pause(30);
    const reported = progress.mock.calls.length;
    await pause(60);
    expect(closed).toBe(true);
    expect(progress.mock.calls.length).toBe(reported);
  });

  it('returns its result although progress notifications fail, and is closed', async () => {
    const closed = vi.fn<() => void>();
    const handler = async function* () {
      try {
        yield 'half';
        return 'done';
      } finally {
        closed();
      }
    };
    const progress = vi.fn<() => Promise<void>>(async () => Promise.reject(new Error('client gone')));
    const result = await new ToolRegistry().register(toolWith(handler)).executeTool({ name: 't', progress });
    expect(textOf(result)).toBe('done');
    expect(progress).toHaveBeenCalledWith(1, undefined, 'half');
    expect(closed).toHaveBeenCalledTimes(1);
  });
});
