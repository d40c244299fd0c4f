import { describe, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { CreateRanker } from '@toolfold/search';
import type { OfferedView } from 'toolfold/web';
import { Exposure } from 'toolfold/web';

const tool = (name: string, description: string) => ({
  name,
  description,
  readOnly: true,
  inputSchema: {},
  handler: () => name,
});

/** A toolset that all tenants share, and one that differs for each tenant. */
function serve(view: OfferedView) {
  const registry = new ToolRegistry();
  const exposure = new Exposure(registry, {
    view: { form: 'search', ...view },
    toolsets: {
      catalog: {
        common: {
          name: 'Common',
          description: 'For all',
          tools: [tool('list_zephyrs', 'Lists zephyrs'), tool('ping', 'Answers')],
        },
        own: { name: 'Own', description: 'Of one', modules: ['own'] },
      },
      moduleLoaders: {
        own: (context) => [
          tool(`own_${String(context?.['tenant'])}`, `Project ${String(context?.['project'])}`),
        ],
      },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      context: {},
      exposurePolicy: {},
      sessionContext: { header: { name: 'ctx', encoding: 'json', allowedKeys: ['tenant', 'project'] } },
    },
  });
  const selection = Object.freeze({ toolsets: ['common'] });
  return async (tenant: string, project: string, query: string, isWhole = false) => {
    const session = exposure.contextOf({
      header: () => JSON.stringify({ tenant, project }),
      query: () => [],
    });
    const request = isWhole ? { session } : { session, selection };
    const { structuredContent } = await registry.executeTool(
      { name: 'search_tools', arguments: { query }, session },
      await exposure.viewFor(request),
    );
    return (structuredContent as { tools: { address: string }[] }).tools.map(({ address }) => address);
  };
}

describe('searching the common tools of tenants', () => {
  it('uses no ranker with tools of another tenant', async () => {
    const asked: { query: string; known: string[] }[] = [];
    const ranker: CreateRanker = (tools) => ({
      rank: async (query: string) => {
        asked.push({ query, known: tools.map(({ address }) => address) });
        return [];
      },
    });
    const ask = serve({ search: { ranker } });
    await ask('ada', 'x', 'anything', true);
    await ask('ada', 'x', 'anything');
    await ask('bob', 'y', 'question of bob');
    const ofBob = asked.filter(({ query }) => query === 'question of bob');
    expect(ofBob).toHaveLength(1);
    expect(ofBob[0]?.known).not.toContain('own_ada');
  });

  it('finds the same for any tools of another tenant', async () => {
    const found: string[][] = [];
    for (const secret of ['nothing', 'zephirs']) {
      const ask = serve({});
      await ask('ada', secret, 'anything', true);
      await ask('ada', secret, 'anything');
      found.push(await ask('bob', 'y', 'zephirs'));
    }
    expect(found[1]).toEqual(found[0]);
  });

  it('finds the same for any tools in a toolset that the caller may not reach', async () => {
    const found: string[][] = [];
    for (const secret of ['nothing', 'zephirs']) {
      const registry = new ToolRegistry();
      const exposure = new Exposure(registry, {
        view: { form: 'search' },
        toolsets: {
          catalog: {
            common: {
              name: 'Common',
              description: 'For all',
              tools: [tool('list_zephyrs', 'Lists zephyrs')],
            },
            board: { name: 'Board', description: 'For few', tools: [tool('plan', `Project ${secret}`)] },
          },
          moduleLoaders: {},
          startup: { mode: 'STATIC', toolsets: 'ALL' },
          context: {},
          exposurePolicy: {},
          select: (auth) => ({ toolsets: auth?.scopes ?? [] }),
        },
      });
      const ask = async (scopes: string[], toolsets?: string[]) => {
        const caller = { auth: { scopes } };
        const view = await exposure.viewFor({ caller, ...(toolsets ? { selection: { toolsets } } : {}) });
        const call = { name: 'search_tools', arguments: { query: 'zephirs' }, caller };
        const { structuredContent } = await registry.executeTool(call, view);
        return (structuredContent as { tools: { address: string }[] }).tools.map(({ address }) => address);
      };
      await ask(['common', 'board']);
      await ask(['common', 'board'], ['common']);
      found.push(await ask(['common'], ['common']));
    }
    expect(found[1]).toEqual(found[0]);
  });
});
