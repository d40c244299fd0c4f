import { describe, expect, it } from 'vitest';
import type { JsonSchemaObject } from '@toolfold/schema';
import { assertOverrides } from './tool-override.js';
import { issueSchema, tool, offer } from '../../../test/upstream/apply-overrides-setup.js';

describe('an override', () => {
  it('renames, redescribes and annotates a tool', async () => {
    const { listed, call } = offer([tool('create_issue'), tool('other')], {
      create_issue: {
        name: 'report',
        title: 'Report a bug',
        description: 'Reports a bug of the product.',
        destructive: false,
        idempotent: true,
        openWorld: true,
        tags: ['bugs'],
      },
    });
    expect(listed.map(({ name }) => name)).toEqual(['report', 'other']);
    expect(listed[0]).toMatchObject({
      title: 'Report a bug',
      description: 'Reports a bug of the product.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    });
    expect(await call({ name: 'create_issue', arguments: {} })).toContain('"create_issue"');
  });

  it('keeps the old name callable only if it is an alias', async () => {
    const { listed, call } = offer([tool('create_issue')], {
      create_issue: { name: 'report', aliases: ['create_issue'] },
    });
    expect(listed.map(({ name }) => name)).toEqual(['report']);
    expect(await call({ name: 'create_issue', arguments: { owner: 'a', title: 'b' } })).toBe(
      '{"owner":"a","title":"b"}',
    );
  });

  it('hides a tool from the list and from calls', async () => {
    const { listed, call } = offer([tool('delete_all'), tool('list')], { delete_all: { hide: true } });
    expect(listed.map(({ name }) => name)).toEqual(['list']);
    expect(await call({ name: 'delete_all', arguments: {} })).toContain('"delete_all"');
  });

  it('fills in defaults that the caller does not send, and lists them as optional', async () => {
    const { listed, call } = offer([tool('create')], {
      create: { defaults: { owner: 'acme', limit: 5 } },
    });
    expect(listed[0]?.inputSchema).toMatchObject({
      required: ['title'],
      properties: { owner: { type: 'string', default: 'acme' }, limit: { default: 5 } },
    });
    expect(JSON.parse(await call({ name: 'create', arguments: { title: 't' } }))).toEqual({
      owner: 'acme',
      limit: 5,
      title: 't',
    });
    expect(await call({ name: 'create', arguments: { title: 't', owner: 'me' } })).toContain('"owner":"me"');
  });

  it('sends fixed arguments, does not list them, and rejects callers that set them', async () => {
    const { listed, call } = offer([tool('create')], { create: { fixed: { owner: 'acme' } } });
    expect(listed[0]?.inputSchema).toMatchObject({ required: ['title'] });
    expect(Object.keys(listed[0]?.inputSchema['properties'] ?? {})).toEqual(['title', 'labels', 'limit']);
    expect(JSON.parse(await call({ name: 'create', arguments: { title: 't' } }))).toEqual({
      owner: 'acme',
      title: 't',
    });
    expect(await call({ name: 'create', arguments: { title: 't', owner: 'evil' } })).toContain(
      '"owner" has a fixed value and cannot be set. Leave it out.',
    );
  });

  it('removes a fixed argument from the alternatives of a schema too', () => {
    const schema: JsonSchemaObject = {
      ...issueSchema,
      required: [],
      anyOf: [{ required: ['owner', 'title'] }, { required: ['labels'], properties: { owner: {} } }],
      dependentRequired: { owner: ['title'], title: ['owner', 'limit'] },
    };
    const { listed } = offer([tool('create', schema)], { create: { fixed: { owner: 'acme' } } });
    expect(listed[0]?.inputSchema).toMatchObject({
      anyOf: [{ required: ['title'] }, { required: ['labels'], properties: {} }],
      dependentRequired: { title: ['limit'] },
    });
    expect(JSON.stringify(listed)).not.toContain('owner');
  });

  it('adds scopes, limits, a cache and search words', async () => {
    const { registry, call, skipped } = offer([tool('find')], {
      find: {
        readOnly: true,
        scopes: ['issues:read'],
        timeoutMs: 1_000,
        cost: 3,
        retry: { attempts: 2 },
        cached: { ttlMs: 1_000 },
        outputBudget: { tokens: 500 },
        search: { keywords: ['bug'], examples: ['which bugs are open?'] },
      },
    });
    expect(skipped).toEqual([]);
    const [action] = registry.view().tools.get('find')?.actions.values() ?? [];
    expect(action?.action).toMatchObject({
      scopes: ['issues:read'],
      timeoutMs: 1_000,
      cost: 3,
      retry: { attempts: 2 },
      cached: { ttlMs: 1_000 },
      outputBudget: { tokens: 500 },
      search: { keywords: ['bug'] },
    });
    expect(await call({ name: 'find', arguments: { owner: 'a', title: 'b' } })).toContain('issues:read');
  });

  it.each([
    ['a default of another type', { limit: 'many' }, 'defaults.limit does not fit the schema of the tool'],
    ['a default above a maximum', { limit: 101 }, 'defaults.limit does not fit the schema of the tool'],
    [
      'a default for an unknown argument',
      { ownr: 'a' },
      '"ownr", which is no argument of the tool. Did you mean "owner"?',
    ],
  ])('leaves the tool out if it has %s', (_, defaults, reason) => {
    const { skipped, listed } = offer([tool('create'), tool('other')], { create: { defaults } });
    expect(listed.map(({ name }) => name)).toEqual(['other']);
    expect(skipped.join()).toContain(reason);
  });

  it('leaves the tool out if it retries a tool that changes data', () => {
    const { skipped } = offer([tool('create')], { create: { retry: { attempts: 2 } } });
    expect(skipped.join()).toContain('retry is only allowed for idempotent or readOnly actions');
  });

  it('leaves the tool out if its new name is taken', () => {
    const { skipped, listed } = offer([tool('a'), tool('b'), tool('c')], {
      a: { name: 'b' },
      c: { aliases: ['b'] },
    });
    expect(listed.map(({ name }) => name)).toEqual(['b']);
    expect(skipped).toEqual([
      'a: another tool has the name "b" of its override',
      'c: another tool has the name "b" of its override',
    ]);
  });

  it('swaps the names of two tools', () => {
    const { skipped, listed } = offer([tool('a'), tool('b')], { a: { name: 'b' }, b: { name: 'a' } });
    expect(listed.map(({ name, description }) => [name, description])).toEqual([
      ['b', 'Does a'],
      ['a', 'Does b'],
    ]);
    expect(skipped).toEqual([]);
  });

  it('of a tool that does not exist is a warning with the nearest name', () => {
    const { warnings } = offer([tool('create_issue')], { creat_issue: { hide: true } });
    expect(warnings).toEqual([
      'There is an override for "creat_issue", but the server has no such tool. Did you mean "create_issue"?',
    ]);
  });

  it.each([
    [{ a: { descripton: 'x' } }, 'overrides["a"] has no option "descripton". Did you mean "description"?'],
    [{ a: { readOnly: 'yes' } }, 'overrides["a"].readOnly must be true or false.'],
    [{ a: { name: 'a b' } }, 'overrides["a"].name must be at most 64 letters, digits, _ and -.'],
    [{ a: { retry: { attempts: 20 } } }, 'overrides["a"].retry.attempts must be 1 to 10.'],
    [{ a: { cached: {} } }, 'overrides["a"].cached.ttlMs must be milliseconds above 0'],
    [{ a: { outputBudget: {} } }, 'overrides["a"].outputBudget must have bytes or tokens.'],
    [{ a: { search: { keyword: [] } } }, 'overrides["a"].search has no field "keyword"'],
    [{ a: { hide: true, title: 'x' } }, 'overrides["a"] hides the tool'],
    [{ a: { readOnly: true, destructive: true } }, 'both readOnly and destructive'],
    [{ a: { defaults: { x: 1 }, fixed: { x: 2 } } }, 'has "x" both in defaults and in fixed'],
    [{ a: null }, 'overrides["a"] must be an object'],
    [[], 'overrides must be an object'],
  ])('that is invalid is rejected with its place: %j', (overrides, message) => {
    expect(() => assertOverrides('overrides', overrides)).toThrow(message);
  });
});
