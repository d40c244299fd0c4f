import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { GroupTreeConverter } from '../model/converters/group-tree.js';
import type { Group } from '../model/group.js';
import type { Tool } from '../model/tool.js';
import { Toolsets } from '../toolsets/toolsets.js';
import { ToolRegistry } from '../registry/tool-registry.js';

const ping = { name: 'ping', description: 'Pings', inputSchema: {}, handler: () => 'pong' };

const createPlatform = () =>
  new GroupedToolBuilder('platform', { version: '2.0.0' })
    .description('Users and money')
    .group('users', 'People', (g) =>
      g
        .action({ name: 'list', description: 'Lists people', readOnly: true, handler: () => 1 })
        .action({ name: 'ban', destructive: true, handler: () => 1 }),
    )
    .group('billing', (g) => g.action({ name: 'list', readOnly: true, handler: () => 1 }));

/** Everything below a group, by fully qualified name. */
function namesBelow(group: Group): string[] {
  const items = [
    ...group.childTools,
    ...group.childPrompts,
    ...group.childResources,
    ...group.childResourceTemplates,
  ];
  return [
    ...items.map((item) => `${item.kind} ${group.getFullyQualifiedName()}.${item.name}`),
    ...group.childGroups.flatMap((child) => [`group ${child.getFullyQualifiedName()}`, ...namesBelow(child)]),
  ];
}

describe('the tree of a view', () => {
  it('has a Group for each .group() of a builder, and a leaf for each action [S000-17]', () => {
    const registry = new ToolRegistry({ name: 'acme' }).register(ping, createPlatform());
    const { root } = registry.view();
    expect(namesBelow(root)).toEqual([
      'tool acme.ping',
      'tool acme.platform',
      'group acme.platform',
      'group acme.platform.users',
      'tool acme.platform.users.list',
      'tool acme.platform.users.ban',
      'group acme.platform.billing',
      'tool acme.platform.billing.list',
    ]);
    const [platform] = root.childGroups as [Group];
    const [users] = platform.childGroups as [Group];
    expect(platform.description).toBe('Users and money');
    expect(users.description).toBe('People');
    const [list] = users.childTools as [Tool];
    expect(list).toMatchObject({
      description: 'Lists people',
      version: '2.0.0',
      inputSchema: { type: 'object' },
    });
    expect(list.annotations?.readOnlyHint).toBe(true);
    expect(list.getFullyQualifiedName()).toBe('acme.platform.users.list');
    for (const part of [root, platform, users, list]) expect(Object.isFrozen(part)).toBe(true);
  });

  it('has the listed tools in these groups in the flat form, and the structure once if a tool is split', () => {
    const registry = new ToolRegistry({ name: 'acme' }).register(createPlatform());
    const flat = registry.view({ form: 'flat' });
    const [users] = flat.root.childGroups[0]!.childGroups as [Group];
    expect({ ...users.childTools[0] }).toEqual({ ...flat.tools.get('platform_users_list')?.tool });
    expect(flat.root.childTools).toEqual([]);
    const split = registry.view({ split: 'risk' }).root;
    expect(split.childTools.map(({ name }) => name)).toEqual(['platform_read', 'platform_write']);
    expect(split.childGroups.map(({ name }) => name)).toEqual(['platform']);
    expect(split.childGroups[0]?.childGroups[0]?.childTools.map(({ name }) => name)).toEqual(['list', 'ban']);
  });

  it('contains only what the view shows', () => {
    const registry = new ToolRegistry({ name: 'acme' }).register(ping, createPlatform());
    expect(namesBelow(registry.view({ readOnly: true, exclude: ['platform/billing.list'] }).root)).toEqual([
      'tool acme.platform',
      'group acme.platform',
      'group acme.platform.users',
      'tool acme.platform.users.list',
    ]);
  });

  it.each(['grouped', 'flat'] as const)(
    'gives a leaf in two toolsets two parents, %s [S000-14]',
    async (form) => {
      const registry = new ToolRegistry({ name: 'acme' });
      const platform = createPlatform();
      const toolset = (name: string) => ({ name, description: name, tools: [platform, ping] });
      const toolsets = new Toolsets(
        registry,
        {
          catalog: { support: toolset('Support'), admin: toolset('Admin') },
          startup: { mode: 'STATIC', toolsets: 'ALL' },
        },
        { form },
      );
      const { root } = await toolsets.view(['support', 'admin'], toolsets.contextOf());
      const named = (name: string) => root.childGroups[0]!.childTools.find((tool) => tool.name === name);
      expect(named('ping')?.getFullyQualifiedNames()).toEqual(['acme.support.ping', 'acme.admin.ping']);
      const leaf = root.childGroups[0]!.childGroups[0]!.childGroups[0]!.childTools[0]!;
      expect(leaf.parentGroups.map((group) => group.getFullyQualifiedName())).toEqual([
        'acme.support.platform.users',
        'acme.admin.platform.users',
      ]);
      expect(leaf.getRoots()).toEqual([root]);
      if (form === 'grouped')
        expect(named('platform')?.getFullyQualifiedNames()).toEqual([
          'acme.support.platform',
          'acme.admin.platform',
        ]);
    },
  );

  it('contains prompts, resources and resource templates, including those registered later [S000-02]', () => {
    const registry = new ToolRegistry({ name: 'acme' })
      .register(ping)
      .registerPrompt({ name: 'greet', handler: () => 'Hello' })
      .registerResource({ name: 'note', uri: 'notes://1', handler: () => 'one' });
    const before = registry.view().root;
    registry
      .registerResource({ name: 'note', uri: 'notes://2', handler: () => 'two' })
      .registerResource({ name: 'notes', uriTemplate: 'notes://{id}', handler: () => 'any' });
    expect(namesBelow(before)).toHaveLength(3);
    const { root } = registry.view();
    expect(namesBelow(root)).toEqual([
      'tool acme.ping',
      'prompt acme.greet',
      'resource acme.note',
      'resource acme.notes://2',
      'resourceTemplate acme.notes',
    ]);
    expect(root.childPrompts[0]?.parentGroups).toEqual([root]);
    expect(registry.listResources().map(({ name }) => name)).toEqual(['note', 'note']);
  });

  it('has a Group for each namespace, and separates groups with the same name', () => {
    const registry = new ToolRegistry({ name: 'acme' });
    const search = { ...ping, name: 'search' };
    registry.register(
      new GroupedToolBuilder('billing').action({ name: 'pay', handler: () => 1 }),
      { ...search, namespace: 'billing' },
      { ...search, namespace: 'crm' },
    );
    expect(namesBelow(registry.view().root)).toEqual([
      'tool acme.billing',
      'group acme.billing',
      'tool acme.billing.pay',
      'group acme.billing (namespace)',
      'tool acme.billing (namespace).search',
      'group acme.crm',
      'tool acme.crm.search',
    ]);
  });

  it('can be written as JSON for any action names', () => {
    const registry = new ToolRegistry({ name: 'acme' }).register(
      new GroupedToolBuilder('t')
        .action({ name: 'créer', handler: () => 1 })
        .action({ name: 'crèer', handler: () => 1 })
        .action({ name: 'x'.repeat(200), handler: () => 1 }),
    );
    const tree = new GroupTreeConverter().convertFrom(registry.view().root);
    expect(tree.groups?.[0]?.tools).toHaveLength(3);
    const back = new GroupTreeConverter().convertTo(tree);
    expect(namesBelow(back)).toEqual(namesBelow(registry.view().root));
  });
});
