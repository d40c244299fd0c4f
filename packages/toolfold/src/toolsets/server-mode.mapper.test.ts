import { describe, expect, it } from 'vitest';
import { ToolRegistry } from '../registry/tool-registry.js';
import { ModeConfigMapper, ServerModeEnforcer, serverModes } from './server-mode.js';
import type { ToolsetConfig } from './toolset-config.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';
import { Toolsets } from './toolsets.js';

const catalog: ToolSetCatalog = Object.fromEntries(
  ['search', 'company', 'news'].map((key) => [key, { name: key, description: key, modules: [key] }]),
);
const moduleLoaders = { search: () => [], company: () => [], news: () => [] };
const enforcerFor = (...argv: string[]) =>
  new ServerModeEnforcer({ catalog, moduleLoaders, argv, credentialKey: 'ACME_KEY' });
const map = ModeConfigMapper.toToolsetConfig;

describe('ModeConfigMapper.toToolsetConfig', () => {
  it('[S003-24] maps DYNAMIC_TOOL_DISCOVERY to DYNAMIC without toolsets', () => {
    expect(map('DYNAMIC_TOOL_DISCOVERY', {}, enforcerFor()).startup).toEqual({ mode: 'DYNAMIC' });
  });

  it('[S003-25] [S003-35] maps STATIC_TOOL_SETS to STATIC with the toolsets, and allows no others', () => {
    const { startup, exposurePolicy } = map(
      'STATIC_TOOL_SETS',
      { STATIC_TOOL_SETS: 'news, search' },
      enforcerFor(),
    );
    expect(startup).toEqual({ mode: 'STATIC', toolsets: ['news', 'search'] });
    expect(exposurePolicy.allowlist).toEqual(['news', 'search']);
  });

  it('[S003-26] maps ALL_TOOLS to STATIC with ALL', () => {
    const { startup, exposurePolicy } = map('ALL_TOOLS', {}, enforcerFor());
    expect(startup).toEqual({ mode: 'STATIC', toolsets: 'ALL' });
    expect(exposurePolicy.allowlist).toBeUndefined();
  });

  it('[S003-22] applies the decision of the operator, for any mode and session', () => {
    for (const mode of serverModes) {
      const config = map(
        mode,
        { ALL_TOOLS: true, STATIC_TOOL_SETS: 'search' },
        enforcerFor('--tool-sets=news'),
      );
      expect(config.startup).toEqual({ mode: 'STATIC', toolsets: ['news'] });
      expect(config.exposurePolicy.allowlist).toEqual(['news']);
    }
  });

  it('allows nothing if no toolset is chosen in static mode', () => {
    const { startup, exposurePolicy } = map('STATIC_TOOL_SETS', {}, enforcerFor());
    expect([startup.toolsets, exposurePolicy.allowlist]).toEqual([[], []]);
  });

  it('[S003-21] [S003-23] [S003-36] [S003-37] [S003-39] returns the whole toolset configuration', () => {
    const config = map('ALL_TOOLS', {}, enforcerFor());
    expect(Object.keys(config).toSorted()).toEqual([
      'catalog',
      'context',
      'exposurePolicy',
      'moduleLoaders',
      'sessionContext',
      'startup',
    ]);
    expect(config.catalog).toBe(catalog);
    expect(config.moduleLoaders).toBe(moduleLoaders);
    expect(config.context).toEqual({});
    const others = { search: () => [] };
    const more = map('ALL_TOOLS', {}, enforcerFor(), 'server-token', others);
    expect([more.context, more.moduleLoaders]).toEqual([{ accessToken: 'server-token' }, others]);
  });

  it('[S003-38] starts in a mode, with a list of toolsets, all of them or none', () => {
    expect(map('DYNAMIC_TOOL_DISCOVERY', {}, enforcerFor()).startup).toEqual({ mode: 'DYNAMIC' });
    expect(map('ALL_TOOLS', {}, enforcerFor()).startup).toEqual({ mode: 'STATIC', toolsets: 'ALL' });
    expect(map('STATIC_TOOL_SETS', {}, enforcerFor('--tool-sets=news,search')).startup).toEqual({
      mode: 'STATIC',
      toolsets: ['news', 'search'],
    });
  });

  it.each([
    [{ mode: 'DYNAMIC' }, []],
    [{ mode: 'STATIC' }, []],
    [{ mode: 'STATIC', toolsets: ['news'] }, ['news']],
    [{ mode: 'DYNAMIC', toolsets: ['news'] }, ['news']],
    [{ mode: 'STATIC', toolsets: 'ALL' }, Object.keys(catalog)],
  ] as const)('[S003-38] serves the toolsets of the startup %j', (startup, active) => {
    const config = { ...map('ALL_TOOLS', {}, enforcerFor()), startup } as ToolsetConfig;
    expect(new Toolsets(new ToolRegistry(), config).startup).toEqual(active);
  });

  it.each([{}, { mode: 'OTHER' }, { mode: 'STATIC', toolsets: 'news' }, { mode: 'STATIC', toolsets: ['x'] }])(
    '[S003-38] rejects the startup %j',
    (startup) => {
      const config = { ...map('ALL_TOOLS', {}, enforcerFor()), startup } as never;
      expect(() => new Toolsets(new ToolRegistry(), config)).toThrow(/startup/);
    },
  );

  it('[S003-27] [S003-30] lets a session bring only its credential', () => {
    for (const mode of serverModes) {
      expect(map(mode, {}, enforcerFor()).sessionContext).toMatchObject({
        enabled: true,
        queryParam: { name: 'config', encoding: 'base64', allowedKeys: ['ACME_KEY'] },
        header: { encoding: 'base64', allowedKeys: ['ACME_KEY'] },
        merge: 'shallow',
      });
      expect(map(mode, {}, enforcerFor()).sessionContext).not.toHaveProperty('allowCredentials');
    }
  });

  it('[S003-33] [S003-34] neither renames tools nor limits the number of toolsets', () => {
    for (const mode of serverModes) {
      const { exposurePolicy } = map(mode, {}, enforcerFor());
      expect(exposurePolicy.namespaceToolsWithSetKey).toBe(false);
      expect(exposurePolicy.maxActiveToolsets).toBeUndefined();
    }
  });

  it('rejects an unknown mode', () => {
    expect(() => map('ALL' as never, {}, enforcerFor())).toThrow('There is no mode "ALL"');
  });
});
