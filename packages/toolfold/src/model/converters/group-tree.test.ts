import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrDuplicateName, ErrInvalidModel } from '@toolfold/schema/errors';
import { Group } from '../group.js';
import { Prompt, Resource, ResourceTemplate } from '../prompt-resource.js';
import { ToolAnnotations, Tool } from '../tool.js';
import { GroupTreeConverter } from './group-tree.js';
import type { GroupTree } from './group-tree.js';

const converter = new GroupTreeConverter();
const group = (name: string) => new Group({ name });
const tool = (name: string) => new Tool({ name, inputSchema: { type: 'object' } });

describe('the group tree', () => {
  it('contains groups, items and identities, and an item of two groups once', () => {
    const search = new Tool({
      name: 'search',
      title: 'Search',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'array' },
      annotations: new ToolAnnotations({ readOnlyHint: true, returnDirect: true }),
      execution: { taskSupport: 'optional' },
      namespace: 'acme',
      version: '1.0.0',
      tags: ['find'],
    });
    const users = new Group({ name: 'users', description: 'People', meta: { 'acme/x': 1 } }).add(search);
    const admin = group('admin').add(tool('purge')).add(search);
    const platform = group('platform')
      .add(users)
      .add(admin)
      .add(new Prompt({ name: 'welcome' }))
      .add(new Resource({ name: 'readme', uri: 'file:///readme' }))
      .add(new ResourceTemplate({ name: 'file', uriTemplate: 'file:///{path}' }));

    expect(converter.convertFrom(platform)).toEqual({
      name: 'platform',
      prompts: [{ name: 'welcome' }],
      resources: [{ uri: 'file:///readme', name: 'readme' }],
      resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'file' }],
      groups: [
        {
          name: 'users',
          description: 'People',
          _meta: { 'acme/x': 1 },
          tools: [
            {
              name: 'search',
              title: 'Search',
              inputSchema: { type: 'object' },
              outputSchema: { type: 'array' },
              annotations: { readOnlyHint: true, returnDirect: true },
              execution: { taskSupport: 'optional' },
              namespace: 'acme',
              version: '1.0.0',
              tags: ['find'],
            },
          ],
        },
        {
          name: 'admin',
          tools: [
            { name: 'purge', inputSchema: { type: 'object' } },
            { name: 'search', sameAs: ['platform', 'users', 'search'] },
          ],
        },
      ],
    });
  });

  it('keeps every field of groups and tools on the way back', () => {
    const text = fc.string();
    const optional = (value: fc.Arbitrary<unknown>) => fc.option(value, { nil: undefined });
    const about = {
      title: optional(text),
      description: optional(text),
      icons: optional(fc.array(fc.record({ src: text, sizes: fc.array(text) }))),
      meta: optional(fc.dictionary(text, fc.jsonValue())),
    };
    const toolInit = fc.record({
      ...about,
      namespace: optional(text),
      version: optional(text),
      outputSchema: optional(fc.constant({ type: 'array' })),
    });
    const plain = (value: object): unknown => JSON.parse(JSON.stringify({ ...value }));
    fc.assert(
      fc.property(fc.record(about), toolInit, (groupInit, init) => {
        const root = new Group({ name: 'g', ...(groupInit as object) }).add(
          new Tool({
            name: 't',
            inputSchema: { type: 'object' },
            execution: { taskSupport: 'required' },
            ...(init as object),
          }),
        );
        const back = converter.convertTo(
          JSON.parse(JSON.stringify(converter.convertFrom(root))) as GroupTree,
        );
        expect(plain(back)).toEqual(plain(root));
        expect(plain(back.childTools[0]!)).toEqual(plain(root.childTools[0]!));
      }),
    );
  });

  it('restores the same groups with the same sharing, in the same order', () => {
    const build = fc.array(fc.record({ parent: fc.nat(6), items: fc.array(fc.nat(5), { maxLength: 4 }) }), {
      minLength: 1,
      maxLength: 7,
    });
    fc.assert(
      fc.property(build, (plan) => {
        const items = [
          tool('a.b'),
          tool('a'),
          new Tool({ name: 'tagged', inputSchema: { type: 'object' } }).setTags(['Odd Tag'], (tags) => [
            ...tags,
          ]),
          new Prompt({ name: 'a' }),
          new Resource({ name: 'a', uri: 'a:a' }),
          new ResourceTemplate({ name: 'a', uriTemplate: 'a:{a}' }),
        ];
        const groups = plan.map((_, index) => group(index % 2 === 0 ? `g${index}` : `g.${index}`));
        for (const [index, { parent, items: chosen }] of plan.entries()) {
          if (index > 0) groups[parent % index]!.add(groups[index]!);
          for (const item of chosen) groups[index]!.add(items[item]!);
        }
        const tree = JSON.parse(JSON.stringify(converter.convertFrom(groups[0]!))) as GroupTree;
        const back = converter.convertTo(tree);
        expect(converter.convertFrom(back)).toEqual(tree);
        expect(countItems(back)).toBe(countItems(groups[0]!));
      }),
    );
  });

  it.each<[string, unknown]>([
    ['a missing name', {}],
    ['a child that is not an object', { name: 'a', groups: [3] }],
    ['a malformed item', { name: 'a', prompts: [{ name: 3 }] }],
    ['a reference to an unknown item', { name: 'a', tools: [{ name: 't', sameAs: ['a', 'nothing'] }] }],
    [
      'a reference to another kind',
      {
        name: 'a',
        prompts: [{ name: 'x' }],
        resources: [{ name: 'x', sameAs: ['a', 'x'] }],
      },
    ],
  ])('rejects %s', (_what, tree) => {
    expect(() => converter.convertTo(tree as GroupTree)).toThrow(ErrInvalidModel);
  });

  it('rejects two groups with the same name, and an endless tree', () => {
    expect(() => converter.convertTo({ name: 'a', groups: [{ name: 'b' }, { name: 'b' }] })).toThrow(
      ErrDuplicateName,
    );
    let deep: GroupTree = { name: 'bottom' };
    for (let level = 0; level < 5000; level++) deep = { name: 'level', groups: [deep] };
    expect(() => converter.convertTo(deep)).toThrow('more than 64 levels deep');
    let group = new Group({ name: 'bottom' });
    for (let level = 0; level < 64; level++) group = new Group({ name: 'level' }).add(group);
    expect(() => converter.convertFrom(group)).toThrow('more than 64 levels deep');
  });
});

function countItems(root: Group): number {
  const seen = new Set<object>();
  const visit = (node: Group): void => {
    for (const item of [
      node.childTools,
      node.childPrompts,
      node.childResources,
      node.childResourceTemplates,
    ].flat()) {
      seen.add(item);
    }
    for (const child of node.childGroups) visit(child);
  };
  visit(root);
  return seen.size;
}
