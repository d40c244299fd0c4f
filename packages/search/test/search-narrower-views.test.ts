import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { CreateRanker } from '@toolfold/search';
import { Exposure } from 'toolfold/web';

const tool = (name: string) => ({
  name,
  description: name,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});
const base = { moduleLoaders: {}, context: {}, exposurePolicy: {} };
const namesOf = (view: { listTools: () => readonly { name: string }[] }) =>
  view.listTools().map(({ name }) => name);

describe('searching a narrower view', () => {
  it('creates no index over hidden tools, for any choice of toolsets', async () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    const catalog = {
      big: {
        name: 'Big',
        description: 'Many',
        tools: Array.from({ length: 300 }, (_, at) => tool(`big_${at}`)),
      },
      ...Object.fromEntries(
        keys.map((key) => [key, { name: key, description: key, tools: [tool(`small_${key}`)] }]),
      ),
    };
    let documents = 0;
    const ranker: CreateRanker = (tools) => {
      documents += tools.length;
      return { rank: async () => [] };
    };
    const registry = new ToolRegistry();
    const exposure = new Exposure(registry, {
      view: { form: 'search', search: { ranker } },
      toolsets: { ...base, catalog, startup: { mode: 'STATIC', toolsets: 'ALL' } },
    });
    const ask = async (toolsets?: readonly string[]) => {
      const view = await exposure.viewFor(toolsets ? { selection: { toolsets } } : {});
      await registry.executeTool({ name: 'search_tools', arguments: { query: 'small' } }, view);
      return view;
    };
    const kept = [await ask()];
    for (let choice = 1; choice < 2 ** keys.length; choice++)
      kept.push(await ask(keys.filter((_, at) => (choice >> at) & 1)));
    // The whole index once, and for each narrower view at most its tools: 32 choices contain each key.
    expect(documents).toBeLessThanOrEqual(306 + keys.length * 32);
    expect(kept).toHaveLength(64);
  });

  it('omits pinned tools that a tenant does not have', async () => {
    const exposure = new Exposure(new ToolRegistry(), {
      view: { form: 'search', pinned: ['admin_report'] },
      toolsets: {
        ...base,
        catalog: { all: { name: 'All', description: 'All', modules: ['m'] } },
        moduleLoaders: {
          m: (context) => [tool('ping'), ...(context?.['plan'] === 'gold' ? [tool('admin_report')] : [])],
        },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
        context: { plan: 'gold' },
        sessionContext: { header: { name: 'ctx', encoding: 'json', allowedKeys: ['plan'] } },
      },
    });
    const viewOf = async (plan: string) => {
      const session = exposure.contextOf({ header: () => JSON.stringify({ plan }), query: () => [] });
      return namesOf(await exposure.viewFor({ session }));
    };
    expect(await viewOf('gold')).toContain('admin_report');
    expect(await viewOf('free')).toEqual([
      'search_tools',
      'describe_tools',
      'call_read_tool',
      'call_write_tool',
      'list_toolsets',
    ]);
  });

  it('works although a module has a tool with the name of a search tool', async () => {
    const errors: unknown[] = [];
    const exposure = new Exposure(new ToolRegistry(), {
      onError: (error) => errors.push(error),
      toolsets: {
        ...base,
        catalog: {
          good: { name: 'Good', description: 'Good', tools: [tool('ping')] },
          bad: { name: 'Bad', description: 'Bad', modules: ['upstream'] },
        },
        moduleLoaders: { upstream: () => [tool('search_tools')] },
        startup: { mode: 'DYNAMIC', toolsets: ['good', 'bad'] },
      },
    });
    expect(namesOf(await exposure.viewFor({ protocolVersion: '2026-07-28' }))).toContain('ping');
  });
});
