import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { Selection } from '../callers/caller.js';
import { hashOf } from '../callers/session-context.js';
import { Exposure } from './exposure.js';
import type { ToolsetConfig } from './toolset-config.js';

const tool = (name: string, readOnly = true) => ({
  name,
  description: name,
  readOnly,
  inputSchema: {},
  handler: () => name,
});

function open(config: Partial<ToolsetConfig> = {}): Exposure {
  const toolsets: ToolsetConfig = {
    catalog: {
      plain: { name: 'Plain', description: 'There', tools: [tool('there'), tool('change', false)] },
      loaded: { name: 'Loaded', description: 'Loaded', modules: ['loaded'] },
    },
    moduleLoaders: { loaded: () => [tool('mine')] },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: {},
    exposurePolicy: {},
    ...config,
  };
  return new Exposure(new ToolRegistry({ name: 'acme' }), { toolsets });
}

const names = async (exposure: Exposure, request: Parameters<Exposure['viewFor']>[0]): Promise<string[]> => [
  ...(await exposure.viewFor(request)).tools.keys(),
];
const sessionOf = (accessToken: string) => ({ context: { accessToken }, hash: hashOf({ accessToken }) });

describe('an exposure', () => {
  it('gives one view to callers with equal grants and selections', async () => {
    const exposure = open({ select: (auth) => ({ toolsets: [...(auth?.scopes ?? [])], readOnly: true }) });
    const ask = (at: number, scopes: readonly string[]) =>
      exposure.viewFor({
        caller: { auth: { token: `t${at}`, clientId: `c${at}`, scopes: [...scopes] } },
        selection: { tools: ['there'] },
        clientId: `c${at}`,
      });
    const views = await Promise.all(Array.from({ length: 100 }, (_, at) => ask(at, ['plain'])));
    expect(new Set(views).size).toBe(1);
    expect([...views[0]!.tools.keys()]).toEqual(['there']);
    await expect(async () => ask(0, ['loaded'])).rejects.toThrow('Unknown tool "there" in the selection');
  });

  it('applies the current grant of the operator on each request, even from the same object', async () => {
    const granted: { toolsets: string[]; readOnly: boolean } = { toolsets: ['plain'], readOnly: false };
    const exposure = open({ select: (): Selection => granted });
    expect(await names(exposure, {})).toEqual(['there', 'change']);
    granted.readOnly = true;
    expect(await names(exposure, {})).toEqual(['there']);
    granted.toolsets.splice(0, 1, 'loaded');
    expect(await names(exposure, {})).toEqual(['mine']);
    granted.toolsets = [];
    expect(await names(exposure, {})).toEqual([]);
  });

  it('creates separate views only for contexts that modules were loaded for', async () => {
    const header = { name: 'x-config', encoding: 'json', allowedKeys: ['accessToken'] } as const;
    const exposure = open({ sessionContext: { header } });
    const ask = (token: string, toolset: string) =>
      exposure.viewFor({ session: sessionOf(token), clientId: token, selection: { toolsets: [toolset] } });
    expect(await ask('ada', 'plain')).toBe(await ask('bob', 'plain'));
    expect(await ask('ada', 'loaded')).not.toBe(await ask('bob', 'loaded'));
    expect(await ask('ada', 'loaded')).toBe(await ask('ada', 'loaded'));
  });
});
