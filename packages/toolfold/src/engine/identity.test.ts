import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { wireNameOf } from '../protocol/wire-name.js';
import {
  ErrDuplicateName,
  ErrInvalidPolicy,
  ErrInvalidTool,
  ErrInvalidToolID,
} from '@toolfold/schema/errors';
import { GroupTreeConverter } from '../model/converters/group-tree.js';
import { createSearchView } from '../../test/form-views.js';
import { Toolsets } from '../toolsets/toolsets.js';
import { ToolRegistry } from '../registry/tool-registry.js';

const search = (namespace: string | undefined, more: object = {}) => ({
  name: 'search',
  ...(namespace === undefined ? {} : { namespace }),
  description: `Searches ${namespace ?? 'everything'}`,
  inputSchema: {},
  handler: () => namespace ?? 'everything',
  ...more,
});

const platform = (namespace?: string) =>
  new GroupedToolBuilder('platform', namespace === undefined ? {} : { namespace, version: '2.0.0' })
    .description('The platform')
    .group('users', 'People', (g) =>
      g
        .action({ name: 'list', readOnly: true, handler: () => `${namespace} list` })
        .action({ name: 'ban', destructive: true, handler: () => `${namespace} ban` }),
    );

const textOf = ({ content }: { content: readonly unknown[] }): unknown =>
  (content[0] as { text?: string } | undefined)?.text;

describe('a namespace', () => {
  it('lets one registry hold two tools with the same name, each with its own wire name', async () => {
    const registry = new ToolRegistry().register(search(undefined), search('billing'), search('crm'));
    expect(registry.listTools().map(({ name }) => name)).toEqual(['search', 'billing_search', 'crm_search']);
    for (const [name, text] of [
      ['search', 'everything'],
      ['billing_search', 'billing'],
      ['crm_search', 'crm'],
    ] as const)
      expect(textOf(await registry.executeTool({ name }))).toBe(text);
  });

  it('is part of the wire name from the start, so a later tool does not change it', () => {
    const registry = new ToolRegistry().register(search('billing'));
    expect(registry.listTools().map(({ name }) => name)).toEqual(['billing_search']);
    registry.register(search('crm'), search(undefined));
    expect(registry.listTools().map(({ name }) => name)).toEqual(['billing_search', 'crm_search', 'search']);
  });

  it('is part of the names of flat tools and of split tools', async () => {
    const registry = new ToolRegistry().register(platform('acme'), platform('other'));
    const namesIn = (policy: object) => [...registry.view(policy).tools.keys()];
    expect(namesIn({})).toEqual(['acme_platform', 'other_platform']);
    expect(namesIn({ split: 'risk' })).toEqual([
      'acme_platform_read',
      'acme_platform_write',
      'other_platform_read',
      'other_platform_write',
    ]);
    expect(namesIn({ form: 'flat' })).toEqual([
      'acme_platform_users_list',
      'acme_platform_users_ban',
      'other_platform_users_list',
      'other_platform_users_ban',
    ]);
    const result = await registry.executeTool({ name: 'other_platform', arguments: { action: 'users.ban' } });
    expect(textOf(result)).toBe('other ban');
  });

  it('that leads to the wire name of another tool is rejected when the tool is registered', () => {
    const registry = new ToolRegistry().register({ ...search(undefined), name: 'billing_search' });
    const register = () => registry.register(search('billing'));
    expect(register).toThrow(ErrDuplicateName);
    expect(register).toThrow(
      /"billing:search" would be listed as "billing_search", and so is "billing_search"/,
    );
    expect(() => new ToolRegistry().register(search('a'), search('a'))).toThrow(
      '"a:search" is already registered',
    );
  });

  it.each(['', 'a:b', 'a b', 'finances/eu', 'ü', 'x'.repeat(65)])('cannot be %j', (namespace) => {
    expect(() => new ToolRegistry().register(search(namespace))).toThrow(ErrInvalidTool);
    expect(() => new GroupedToolBuilder('g', { namespace })).toThrow('namespace');
  });

  it('gives a portable wire name for any name, the same one every time, and another one for another namespace', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
    fc.assert(
      fc.property(part, part, part, (namespace, other, name) => {
        const wireName = wireNameOf({ namespace, name });
        expect(wireName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(wireNameOf({ namespace, name })).toBe(wireName);
        const isAlike = namespace.replaceAll('.', '_') === other.replaceAll('.', '_');
        if (!isAlike) expect(wireNameOf({ namespace: other, name })).not.toBe(wireName);
      }),
    );
  });
});

describe('a tool ID', () => {
  it('finds a registered tool by namespace and name [S002-06]', () => {
    const registry = new ToolRegistry().register(
      search('billing', { version: '1.2.0' }),
      platform('acme'),
      search(undefined),
    );
    expect(registry.getToolDefinition('billing:search')).toMatchObject({
      name: 'search',
      namespace: 'billing',
      version: '1.2.0',
    });
    expect(registry.getToolDefinition('acme:platform')?.version).toBe('2.0.0');
    expect(registry.getToolDefinition('search')?.namespace).toBeUndefined();
    expect(registry.getToolDefinition('crm:search')).toBeUndefined();
    expect(registry.has('billing:search')).toBe(true);
    expect(registry.has('platform')).toBe(false);
    expect(() => registry.getToolDefinition('a:b:c')).toThrow(ErrInvalidToolID);
    registry.clear();
    expect(registry.has('billing:search')).toBe(false);
    registry.register(search('billing'));
  });

  it('names tools in policies, and is the prefix of action addresses', () => {
    const registry = new ToolRegistry().register(
      search(undefined),
      search('billing'),
      platform('acme'),
      platform('other'),
    );
    const namesIn = (policy: object) => [...registry.view(policy).tools.keys()];
    expect(namesIn({ actions: ['billing:search'] })).toEqual(['billing_search']);
    expect(namesIn({ actions: ['search'] })).toEqual(['search']);
    expect(namesIn({ exclude: ['search', 'acme:platform'] })).toEqual(['billing_search', 'other_platform']);
    expect(namesIn({ form: 'flat', actions: ['other:platform/users.list'] })).toEqual([
      'other_platform_users_list',
    ]);
    // A bare name never matches a tool of a namespace.
    expect(() => registry.view({ exclude: ['platform'] })).toThrow(ErrInvalidPolicy);
    expect(() => registry.view({ exclude: ['platform/users.ban'] })).toThrow(ErrInvalidPolicy);
  });

  it('separates rate limits, cached values and errors of two tools with the same name', async () => {
    let runs = 0;
    const counted = (namespace: string) =>
      search(namespace, {
        readOnly: true,
        cached: { ttlMs: 60_000 },
        handler: () => `${namespace} ${++runs}`,
      });
    const registry = new ToolRegistry({ rateLimiter: { calls: 1, windowMs: 60_000 } } as object).register(
      counted('a'),
      { ...counted('b'), security: { namespace: 'a' } },
    );
    expect(textOf(await registry.executeTool({ name: 'a_search' }))).toBe('a 1');
    expect(textOf(await registry.executeTool({ name: 'b_search' }))).toBe('b 2');
  });

  it('is the address in the search form', async () => {
    const registry = new ToolRegistry().register(search('billing'), search('crm'));
    const view = createSearchView(registry, registry.view(), { pinned: ['crm:search'] });
    expect([...view.tools.keys()]).toContain('crm_search');
    const call = { name: 'call_write_tool', arguments: { address: 'billing:search', arguments: {} } };
    expect(textOf(await registry.executeTool(call, view))).toBe('billing');
  });

  it('distinguishes tools with the same name in a toolset', async () => {
    const registry = new ToolRegistry();
    const toolsets = new Toolsets(registry, {
      catalog: {
        all: { name: 'All', description: 'All', tools: [search('billing'), search('crm'), platform('acme')] },
      },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    });
    const view = await toolsets.view(['all'], toolsets.contextOf());
    expect([...view.tools.keys()]).toEqual(['billing_search', 'crm_search', 'acme_platform']);
    expect(() => {
      void new Toolsets(registry, {
        catalog: { all: { name: 'All', description: 'All', tools: [search('crm'), search('crm')] } },
        startup: { mode: 'STATIC' },
      });
    }).toThrow('two of its tools are called "crm:search"');
  });
});

describe('namespace and version of a tool', () => {
  it('are not sent to clients unless the registry is configured to list them [S002-04]', () => {
    const tools = () => [search('billing', { version: '1.2.0', tags: ['money'] }), platform('acme')] as const;
    const plain = new ToolRegistry().register(...tools());
    expect(JSON.stringify(plain.listTools())).not.toMatch(/identity|1\.2\.0/);
    const telling = new ToolRegistry({ listIdentity: true }).register(...tools());
    expect(telling.listTools().map(({ _meta }) => _meta)).toEqual([
      { 'toolfold/identity': { namespace: 'billing', version: '1.2.0', tags: ['money'] } },
      { 'toolfold/identity': { namespace: 'acme', version: '2.0.0' } },
    ]);
    expect(JSON.parse(telling.view().listPages()[0] ?? '')).toEqual(telling.listTools());
    const view = createSearchView(telling, telling.view(), { pinned: ['billing:search'] });
    expect(view.listTools().at(-1)?._meta).toHaveProperty('toolfold/identity.version', '1.2.0');
  });

  it('are part of the tree', () => {
    const { root } = new ToolRegistry({ name: 'acme' })
      .register(search('billing', { version: '1.2.0' }))
      .view();
    const tree = new GroupTreeConverter().convertFrom(root);
    expect(tree.groups).toMatchObject([
      { name: 'billing', tools: [{ name: 'search', namespace: 'billing', version: '1.2.0' }] },
    ]);
  });

  it('belong to a whole tool, not to an action of a builder', () => {
    for (const more of [{ namespace: 'own' }, { version: '1' }])
      expect(() => new GroupedToolBuilder('g').action({ name: 'a', ...more, handler: () => 1 })).toThrow(
        ErrInvalidTool,
      );
    expect(() => new ToolRegistry().register(search('a', { version: '' }))).toThrow('version must be text');
    expect(() => new GroupedToolBuilder('g', { version: ' ' })).toThrow('version must be text');
    expect(() => new GroupedToolBuilder('g', { namespaces: 'a' } as object)).toThrow('namespace');
  });
});
