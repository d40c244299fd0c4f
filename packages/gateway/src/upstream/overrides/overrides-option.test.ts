import { describe, expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '../../index.js';
import type { ToolOverrides } from '../../index.js';
import { ToolRegistry } from 'toolfold';

async function start() {
  const registry = new ToolRegistry({ name: 'shop' }).register(
    {
      name: 'find',
      description: 'Finds',
      inputSchema: z.object({ shop: z.string(), query: z.string() }),
      handler: ({ input }) => `${input.shop} ${input.query}`,
    },
    { name: 'wipe', description: 'Wipes', inputSchema: {}, handler: () => 'wiped' },
  );
  const running = await serveHttp(registry, { port: 0, closeOnSignals: false });
  onTestFinished(() => running.close());
  return running.url;
}

describe('the option overrides of fromMcpServer', () => {
  it('changes the tools of loaded modules and of followed registries alike', async () => {
    const url = await start();
    const errors: unknown[] = [];
    const overrides: ToolOverrides = {
      find: { name: 'search', fixed: { shop: 'north' }, readOnly: true },
      wipe: { hide: true },
      fnd: { hide: true },
    };
    const upstream = fromMcpServer(
      { url },
      { prefix: 'shop', overrides, onError: (error) => errors.push(error) },
    );
    onTestFinished(() => upstream.close());
    expect((await upstream()).map(({ name }) => name)).toEqual(['shop_search']);
    const registry = new ToolRegistry({ name: 'proxy' });
    await upstream.follow(registry);
    expect(registry.listTools()).toMatchObject([
      { name: 'shop_search', annotations: { readOnlyHint: true } },
    ]);
    const { content } = await registry.executeTool({ name: 'shop_search', arguments: { query: 'tea' } });
    expect(content).toEqual([{ type: 'text', text: 'north tea' }]);
    expect(String(errors[0])).toContain(
      'There is an override for "fnd", but the server has no such tool. Did you mean "find"?',
    );
  });

  it('that does not fit makes loading fail, unless onSkipped is given', async () => {
    const url = await start();
    const overrides = { find: { defaults: { shop: 5 } } };
    const strict = fromMcpServer({ url }, { overrides });
    onTestFinished(() => strict.close());
    await expect(strict()).rejects.toThrow('defaults.shop does not fit the schema of the tool');
    expect(() => fromMcpServer({ url }, { overrides: { find: { hidden: true } } as never })).toThrow(
      'fromMcpServer: overrides["find"] has no option "hidden".',
    );
  });
});
