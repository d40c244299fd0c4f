import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { collectLogs, textOf, toolWith } from '../../../../test/calls.js';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolRegistryOptions } from '../registry/registry-options.js';
import { ToolRegistry } from '../registry/tool-registry.js';

describe('a call whose handler throws', () => {
  it.each<[string, () => never]>([
    [
      'an object without a prototype',
      () => {
        throw Object.create(null);
      },
    ],
    [
      'an object that cannot be converted to a string',
      () => {
        throw {
          toString: () => {
            throw new Error('no');
          },
        };
      },
    ],
    [
      'undefined',
      () => {
        throw undefined;
      },
    ],
  ])('the call returns an error result if the handler throws %s', async (_what, handler) => {
    const result = await new ToolRegistry().register(toolWith(handler)).executeTool({ name: 't' });
    expect(result.isError).toBe(true);
    expect(() => JSON.stringify(result)).not.toThrow();
  });

  it('the call returns an error result if the handler throws an object that cannot be read', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        getPrototypeOf: () => {
          throw new Error('trap');
        },
        has: () => {
          throw new Error('trap');
        },
      },
    );
    const registry = new ToolRegistry().register(
      toolWith(() => {
        throw hostile;
      }),
    );
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
  });

  it('the message of a thrown object reaches the client', async () => {
    const handler = () => {
      throw { message: 'plain object' };
    };
    const result = await new ToolRegistry().register(toolWith(handler)).executeTool({ name: 't' });
    expect(result.content).toEqual([{ type: 'text', text: '[t] plain object' }]);
  });
});

describe('a call with oversized input', () => {
  it('errors stay short for names and fields of 1,000,000 characters', async () => {
    const registry = new ToolRegistry().register(
      toolWith(() => 1),
      new GroupedToolBuilder('b').action({ name: 'a', handler: () => 1 }),
    );
    const long = 'x'.repeat(1_000_000);
    for (const call of [
      { name: long },
      { name: 'b', arguments: { action: long } },
      { name: 't', arguments: { [long]: 1 } },
    ])
      expect(JSON.stringify(await registry.executeTool(call)).length).toBeLessThan(20_000);
  });

  it('a call with 20,000 unknown fields gets an answer of less than 50,000 characters', async () => {
    const junk = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`junk${index}`, 1]));
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('u').action({ name: 'list', readOnly: true, handler: () => 1 }),
    );
    const result = await registry.executeTool({ name: 'u', arguments: { action: 'list', ...junk } });
    expect(JSON.stringify(result).length).toBeLessThan(50_000);
  });
});

describe('a call whose services fail', () => {
  const failing = (): never => {
    throw new Error('disk full');
  };
  const rejecting = async (): Promise<never> => failing();

  it.each<[string, ToolRegistryOptions<unknown>]>([
    ['a logger throws', { logger: { debug: failing, info: failing, warn: failing, error: failing } }],
    [
      'a logger rejects',
      { logger: { debug: rejecting, info: rejecting, warn: rejecting, error: rejecting } as never },
    ],
    ['an observer throws before the call', { observe: failing }],
    [
      'an observer throws after the call',
      {
        observe: async (_call, run) => {
          await run();
          failing();
        },
      },
    ],
    [
      'an observer returns another value',
      {
        observe: async (_call, run) => {
          await run();
          return 'else';
        },
      },
    ],
  ])('the call returns its result although %s', async (_what, options) => {
    const handler = vi.fn<() => string>(() => 'done');
    const registry = new ToolRegistry(options).register(toolWith(handler));
    expect(textOf(await registry.executeTool({ name: 't' }))).toBe('done');
    expect(handler).toHaveBeenCalledTimes(1);
    expect((await registry.executeTool({ name: 'unknown' })).isError).toBe(true);
  });

  it.each<[string, ToolRegistryOptions<unknown>]>([
    [
      'the error handler rejects',
      { errorHandler: { createValidationError: rejecting as never, handleError: rejecting as never } },
    ],
    [
      'the error handler returns nothing',
      {
        errorHandler: {
          createValidationError: () => undefined as never,
          handleError: () => undefined as never,
        },
      },
    ],
  ])('the call returns an error result if %s', async (_what, options) => {
    const registry = new ToolRegistry(options).register(toolWith(failing));
    for (const name of ['t', 'unknown', Object.create(null) as string])
      expect(await registry.executeTool({ name })).toMatchObject({ isError: true });
  });

  it('the call returns an error result if a registry middleware returns nothing or throws, and the error is logged', async () => {
    const { lines, logger } = collectLogs();
    const registry = new ToolRegistry({ logger }).register(toolWith(() => 1)).use(() => undefined);
    expect(await registry.executeTool({ name: 't' })).toMatchObject({ isError: true });
    const broken = new ToolRegistry({ logger }).register(toolWith(() => 1)).use(failing);
    expect(await broken.executeTool({ name: 't' })).toMatchObject({ isError: true });
    expect(JSON.stringify(lines)).toContain('disk full');
  });

  it('the call returns an error result if one schema rejects and another throws, without an unhandled rejection', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const builder = new GroupedToolBuilder('b')
      .commonSchema(z.object({ a: z.string().refine(rejecting) }))
      .action({ name: 'x', inputSchema: z.object({ b: z.string().refine(failing) }), handler: () => 1 });
    expect((await builder.execute({ action: 'x', a: '1', b: '1' })).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('the call rejects if the request is missing, and returns an error result if a formatter or security wrapper returns nothing', async () => {
    const { logger } = collectLogs();
    for (const registry of [
      new ToolRegistry({ logger }).register(toolWith(() => 1)),
      new ToolRegistry({ logger }).register(toolWith(() => 1)).use((_request, next) => next()),
    ]) {
      await expect(registry.executeTool(undefined as never)).rejects.toThrow('executeTool takes one object');
    }
    const odd = [
      { format: () => '', runWithMinifyOverride: () => undefined },
      { format: () => undefined, runWithMinifyOverride: (_minify: unknown, run: () => unknown) => run() },
    ];
    for (const responseFormatter of odd) {
      const registry = new ToolRegistry({ responseFormatter: responseFormatter as never }).register(
        toolWith(() => ({ a: 1 })),
      );
      expect(await registry.executeTool({ name: 't' })).toMatchObject({ isError: true });
    }
    const idle = new ToolRegistry({ withSecurityWrapper: () => () => undefined }).register(toolWith(() => 1));
    expect(await idle.executeTool({ name: 't' })).toMatchObject({ isError: true });
  });
});
