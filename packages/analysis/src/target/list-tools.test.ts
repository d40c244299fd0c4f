import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { listView, listWireTool } from './list-tools.js';

const registry = new ToolRegistry();
registry.register(
  new GroupedToolBuilder('desk')
    .description('A desk')
    .commonSchema(z.object({ house: z.string().describe('Which house'), room: z.string().optional() }))
    .group('users', (users) =>
      users
        .action({
          name: 'add',
          inputSchema: z.object({ name: z.string().describe('Their name!'), age: z.number().optional() }),
          handler: () => 1,
        })
        .action({ name: 'get', inputSchema: z.object({ name: z.string().optional() }), handler: () => 1 })
        .action({ name: 'all', inputSchema: {}, handler: () => 1 }),
    ),
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 1 },
);

describe('a grouped tool that a server lists', () => {
  const [desk, ping] = registry.listTools().map(listWireTool);
  const known = listView(registry.view())[0];

  it('has the actions that its discriminator names, each with its own fields', () => {
    expect(desk?.discriminator).toBe('action');
    expect(desk?.actions.map(({ address }) => address)).toEqual(known?.actions.map(({ address }) => address));
    for (const [at, { inputSchema }] of (desk?.actions ?? []).entries()) {
      const own = known?.actions[at]?.inputSchema as { properties: object; required?: string[] };
      expect(Object.keys(inputSchema['properties'] as object)).toEqual(Object.keys(own.properties));
      expect(inputSchema['required']).toEqual(own.required);
    }
  });

  it('keeps the descriptions of the author', () => {
    const properties = desk?.actions[0]?.inputSchema['properties'] as Record<string, { description: string }>;
    expect(properties['house']?.description).toBe('Which house');
    expect(properties['name']?.description).toBe('Their name!');
    expect(properties['age']?.description).toBe('');
  });

  it('is distinguished from tools without actions or with an unknown discriminator', () => {
    expect(ping).toMatchObject({ discriminator: undefined, actions: [] });
    const inputSchema = { type: 'object' as const, properties: { action: { enum: ['a', 'b'] } } };
    expect(listWireTool({ name: 'other', inputSchema }).actions).toEqual([]);
  });
});
