import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ErrDuplicateName, ErrInvalidOptions } from '@toolfold/schema/errors';
import { GroupedToolBuilder } from '../../build/grouped-tool-builder.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { RegistryChange } from '../../stores/contracts.js';
import { ToolRegistry } from '../tool-registry.js';
import { internalsOf } from '../any-registry.js';

const text = ({ content }: CallToolResult): string => {
  const [block] = content;
  return block?.type === 'text' ? block.text : JSON.stringify(block);
};
const tool = (name: string, reply: string = name) => ({
  name,
  description: `Answers ${reply}`,
  inputSchema: {},
  handler: () => reply,
});
const names = (registry: ToolRegistry<never> | ToolRegistry): string[] =>
  registry.listTools().map(({ name }) => name);

const invoices = () =>
  new GroupedToolBuilder('invoices')
    .action({
      name: 'list',
      readOnly: true,
      inputSchema: z.object({ limit: z.number().default(2) }),
      handler: ({ input }) => `${input.limit} invoices`,
    })
    .action({
      name: 'void',
      destructive: true,
      scopes: ['billing:write'],
      inputSchema: z.object({ id: z.string() }),
      handler: ({ input }) => `voided ${input.id}`,
    });

describe('a mounted registry', () => {
  it('is listed under its prefix in every form', () => {
    const billing = new ToolRegistry({ name: 'billing' }).register(invoices(), tool('status'));
    const root = new ToolRegistry({ name: 'root' }).register(tool('status')).mount('billing', billing);
    expect(names(root)).toEqual(['status', 'billing_invoices', 'billing_status']);
    const listed = (policy: object): string[] => [...root.view(policy).tools.keys()];
    expect(listed({ form: 'flat' })).toEqual([
      'status',
      'billing_invoices_list',
      'billing_invoices_void',
      'billing_status',
    ]);
    expect(listed({ split: 'risk' })).toEqual([
      'status',
      'billing_invoices_read',
      'billing_invoices_write',
      'billing_status',
    ]);
    expect(listed({ actions: ['billing:invoices/list'] })).toEqual(['billing_invoices']);
    expect(root.has('billing:invoices')).toBe(true);
    expect(root.size).toBe(3);
    expect(root.getToolDefinition('billing:invoices')?.actions?.map(({ key }) => key)).toEqual([
      'list',
      'void',
    ]);
    expect(names(billing)).toEqual(['invoices', 'status']);
  });

  it.each([
    ['grouped', {}, 'billing_invoices', { action: 'list' }],
    ['flat', { form: 'flat' as const }, 'billing_invoices_list', {}],
    ['split', { split: 'risk' as const }, 'billing_invoices_read', { action: 'list' }],
  ])('runs calls in the %s form', async (_, policy, name, args) => {
    const billing = new ToolRegistry({ name: 'billing' }).register(invoices());
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    const result = await root.executeTool({ name, arguments: args }, root.view(policy));
    expect(text(result)).toBe('2 invoices');
  });

  it('runs with its own context, middleware, observer and error handler, inside those of the root', async () => {
    const steps: string[] = [];
    const billing = new ToolRegistry<{ db: string }>({
      name: 'billing',
      contextFactory: () => ({ db: 'ledger' }),
      observe: async ({ record }, run) => {
        await run();
        steps.push(`billing observed ${record.address}`);
      },
    });
    billing.register({
      ...tool('where'),
      handler: ({ context }: { context: { app: { db: string } } }) => context.app.db,
    } as never);
    billing.use(async (request, next) => {
      steps.push(`billing ${String(request.params['name'])}`);
      return next();
    });
    const root = new ToolRegistry<{ db: string }>({
      name: 'root',
      contextFactory: () => ({ db: 'main' }),
      observe: async ({ record }, run) => {
        await run();
        steps.push(`root observed ${record.address}`);
      },
    });
    root.use(async (request, next) => {
      steps.push(`root ${String(request.params['name'])}`);
      return next();
    });
    root.mount('billing', billing);
    expect(text(await root.executeTool({ name: 'billing_where' }))).toBe('ledger');
    expect(steps).toEqual([
      'root billing_where',
      'billing where',
      'billing observed where',
      'root observed billing:where',
    ]);
  });

  it('counts calls of both ways against its own rate limit, and not against that of the root', async () => {
    const billing = new ToolRegistry({ rateLimiter: { calls: 2, windowMs: 60_000 } }).register(tool('pay'));
    const root = new ToolRegistry({ rateLimiter: { calls: 1, windowMs: 60_000 } }).mount('billing', billing);
    const caller = { auth: { clientId: 'ada' } };
    const viaRoot = () => root.executeTool({ name: 'billing_pay', caller });
    expect((await viaRoot()).isError).toBeUndefined();
    expect((await billing.executeTool({ name: 'pay', caller })).isError).toBeUndefined();
    expect(text(await viaRoot())).toContain('"pay" was called too often');
  });

  it('shows its later registrations, and notifies the listeners of the root', () => {
    const billing = new ToolRegistry({ name: 'billing' });
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    const changes: RegistryChange[] = [];
    root.onChange((change) => changes.push(change));
    billing.register(tool('pay'));
    expect(names(root)).toEqual(['billing_pay']);
    billing.registerPrompt({ name: 'remind', handler: () => 'Pay!' });
    expect(root.listPrompts()).toMatchObject([{ name: 'billing_remind' }]);
    billing.registerResource({ name: 'rates', uri: 'billing://rates', handler: () => '1' });
    billing.notifyResourceUpdated('billing://rates');
    billing.clear();
    expect(names(root)).toEqual([]);
    expect(changes).toEqual([
      { kind: 'tools' },
      { kind: 'prompts' },
      { kind: 'resources' },
      { kind: 'resource', uri: 'billing://rates' },
      { kind: 'tools' },
    ]);
  });

  it('lets its middleware redirect a call, but only to tools that the view of the caller shows', async () => {
    const billing = new ToolRegistry({ name: 'billing' }).register(tool('old'), tool('new'), {
      ...tool('secret'),
      tags: ['internal'],
    });
    let target = 'new';
    billing.use((request, next) => next({ ...request, params: { ...request.params, name: target } }));
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    const view = root.view({ excludeTags: ['internal'] });
    expect(text(await root.executeTool({ name: 'billing_old' }, view))).toBe('new');
    target = 'secret';
    expect(text(await root.executeTool({ name: 'billing_old' }, view))).toContain('Unknown tool "secret"');
    expect(text(await root.executeTool({ name: 'billing_old' }))).toBe('secret');
  });

  it('checks scopes for the caller that its middleware sets', async () => {
    const billing = new ToolRegistry({ name: 'billing' }).register({ ...tool('pay'), scopes: ['pay'] });
    billing.use((request, next) => next({ ...request, caller: { auth: { scopes: ['pay'] } } }));
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    expect(text(await root.executeTool({ name: 'billing_pay' }))).toBe('pay');
  });

  it('has tags of the strategies of both registries, so that policies of the root match', () => {
    const billing = new ToolRegistry({ tagStrategy: (tags) => tags.map((tag) => `inner-${tag}`) });
    billing.register({ ...tool('pay'), tags: ['money'] });
    const root = new ToolRegistry({ tagStrategy: (tags) => tags.map((tag) => `outer-${tag}`) });
    root.mount('billing', billing);
    for (const tag of ['money', 'inner-money', 'outer-money'])
      expect([...root.view({ tags: [tag] }).tools.keys()], tag).toEqual(['billing_pay']);
    expect([...root.view({ excludeTags: ['outer-money'] }).tools.keys()]).toEqual([]);
  });

  it('completes arguments of its prompts and templates, and lists them in the tree', async () => {
    const billing = new ToolRegistry({ name: 'billing' });
    billing.registerPrompt({
      name: 'remind',
      inputSchema: z.object({ who: z.string() }),
      complete: { who: (typed) => [`${typed}da`] },
      handler: ({ input }) => input.who,
    });
    billing.registerResource({
      name: 'invoice',
      uriTemplate: 'invoice://{id}',
      complete: { id: (typed) => [`${typed}1`] },
      handler: ({ variables }) => String(variables['id']),
    });
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    const complete = async (
      ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string },
      argument: string,
    ) => (await root.complete({ ref, argument: { name: argument, value: 'a' } })).values;
    expect(await complete({ type: 'ref/prompt', name: 'billing_remind' }, 'who')).toEqual(['ada']);
    expect(await complete({ type: 'ref/resource', uri: 'invoice://{id}' }, 'id')).toEqual(['a1']);
    expect((await root.readResource({ uri: 'invoice://7' })).contents).toMatchObject([{ text: '7' }]);
    const { childPrompts, childResourceTemplates } = root.view().root;
    expect([...childPrompts, ...childResourceTemplates].map((item) => item.name)).toEqual([
      'billing_remind',
      'billing_invoice',
    ]);
    await expect(root.getPrompt({ name: 'remind' })).rejects.toThrow('Unknown prompt "remind"');
  });

  it('prefers the resources of any registry to templates, and own templates to mounted ones', async () => {
    const billing = new ToolRegistry({ name: 'billing' });
    billing.registerResource({ name: 'x', uri: 'a://fixed', handler: () => 'mounted resource' });
    billing.registerResource({ name: 'y', uriTemplate: '{kind}://{id}', handler: () => 'mounted template' });
    const root = new ToolRegistry({ name: 'root' });
    root.registerResource({ name: 'z', uriTemplate: 'a://{id}', handler: () => 'own template' });
    root.mount('billing', billing);
    const read = async (uri: string) => (await root.readResource({ uri })).contents[0];
    expect(await read('a://fixed')).toMatchObject({ text: 'mounted resource' });
    expect(await read('a://other')).toMatchObject({ text: 'own template' });
    expect(await read('b://other')).toMatchObject({ text: 'mounted template' });
  });

  it('is not touched by changes of the root', () => {
    const billing = new ToolRegistry({ name: 'billing' }).register(tool('pay'));
    const changed = vi.fn<() => void>();
    billing.onChange(changed);
    const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
    root.register(tool('ping'));
    root.clear();
    expect(names(root)).toEqual(['billing_pay']);
    expect(root.unmount('billing')).toBe(true);
    expect(root.unmount('billing')).toBe(false);
    expect(names(root)).toEqual([]);
    expect(names(billing)).toEqual(['pay']);
    expect(changed).not.toHaveBeenCalled();
  });
});

it('does not keep the registries in memory in which it is mounted', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const billing = new ToolRegistry({ name: 'billing' }).register(tool('pay'));
  const references = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const root = new ToolRegistry({ name: 'root' }).mount('billing', billing);
      await root.executeTool({ name: 'billing_pay' });
      return new WeakRef(root);
    }),
  );
  const alive = (): number => references.filter((reference) => reference.deref()).length;
  for (let turn = 0; turn < 50 && alive() > 2; turn++) {
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
    collect();
  }
  expect(alive()).toBeLessThanOrEqual(2);
});

describe('mounting', () => {
  it('rejects cycles of any length, and mounts nothing then', () => {
    const [a, b, c] = ['a', 'b', 'c'].map((name) => new ToolRegistry({ name })) as [
      ToolRegistry,
      ToolRegistry,
      ToolRegistry,
    ];
    expect(() => a.mount('a', a)).toThrow('"a" cannot be mounted in "a", because it would contain itself.');
    a.mount('b', b);
    b.mount('c', c);
    expect(() => b.mount('a', a)).toThrow(ErrInvalidOptions);
    expect(() => c.mount('a', a)).toThrow('"a" cannot be mounted in "c"');
    expect(internalsOf(c).mounted.size).toBe(0);
  });

  it('rejects names that are taken, and names both', () => {
    const root = new ToolRegistry({ name: 'root' }).register(tool('billing_pay'));
    const billing = new ToolRegistry({ name: 'billing' }).register(tool('pay'));
    expect(() => root.mount('billing', billing)).toThrow(ErrDuplicateName);
    expect(() => root.mount('billing', billing)).toThrow(
      'The tool "billing:pay" would be listed as "billing_pay", and so is "billing_pay", which is registered',
    );
    root.mount('money', billing);
    expect(() => root.mount('money', billing)).toThrow('A registry is already mounted as "money".');
    expect(() => root.register(tool('money_pay'))).toThrow('registered in "billing" (mounted as "money")');
    expect(names(root)).toEqual(['billing_pay', 'money_pay']);
  });

  it('mounts nothing if the tag strategy of the root rejects a tool', () => {
    const root = new ToolRegistry({
      name: 'root',
      tagStrategy: (tags) => (tags.includes('bad') ? ('no list' as never) : [...tags]),
    });
    const billing = new ToolRegistry({ name: 'billing' }).register({ ...tool('pay'), tags: ['bad'] });
    expect(() => root.mount('billing', billing)).toThrow('tagStrategy must return a list');
    expect(internalsOf(root).mounted.size).toBe(0);
    expect(names(root)).toEqual([]);
  });

  it('says what it got instead of a prefix and a registry', () => {
    const root = new ToolRegistry() as { mount: (...given: unknown[]) => unknown };
    expect(() => root.mount(new ToolRegistry())).toThrow(
      `mount needs a prefix of at most 64 letters, digits, _ and -, but got the ToolRegistry "toolfold". Write registry.mount('billing', other).`,
    );
    expect(() => root.mount('a', Promise.resolve())).toThrow(
      'registry.mount needs a ToolRegistry, but got a promise',
    );
  });

  it('rejects URIs that both have, and names both registries', () => {
    const root = new ToolRegistry({ name: 'root' });
    root.registerResource({ name: 'rates', uri: 'rates://all', handler: () => '1' });
    const billing = new ToolRegistry({ name: 'billing' });
    billing.registerResource({ name: 'rates', uri: 'rates://all', handler: () => '2' });
    expect(() => root.mount('billing', billing)).toThrow(
      'The resource "rates://all" of "billing" (mounted as "billing") is also one of "root".',
    );
    expect(internalsOf(root).mounted.size).toBe(0);
  });

  it('reports a conflict to the author who causes it, and leaves the newcomer out', () => {
    const billing = new ToolRegistry({ name: 'billing' });
    const root = new ToolRegistry({ name: 'root' })
      .register(tool('billing_pay', 'root'))
      .mount('billing', billing);
    expect(() => billing.register(tool('pay'))).toThrow('"billing:pay" would be listed as "billing_pay"');
    expect(names(billing)).toEqual(['pay']);
    expect(names(root)).toEqual(['billing_pay']);
    expect(() => billing.register(tool('refund'))).not.toThrow();
    expect(names(root)).toEqual(['billing_pay', 'billing_refund']);
  });

  it.each([
    ['a prefix with a colon', 'a:b', new ToolRegistry(), {}],
    ['an empty prefix', '', new ToolRegistry(), {}],
    ['a builder', 'a', new GroupedToolBuilder('b'), {}],
    ['a promise', 'a', Promise.resolve(new ToolRegistry()), {}],
    ['an unknown option', 'a', new ToolRegistry(), { tolset: {} }],
    ['a toolset without a description', 'a', new ToolRegistry(), { toolset: { name: 'A' } }],
  ])('rejects %s', (_, prefix, registry, options) => {
    expect(() => new ToolRegistry().mount(prefix, registry as never, options as never)).toThrow(
      ErrInvalidOptions,
    );
  });
});

it('reads a resource from the mounted registry whose template begins with more of its URI', async () => {
  const make = (name: string, uriTemplate: string) =>
    new ToolRegistry({ name }).registerResource({ name: 'r', uriTemplate, handler: () => name });
  const host = new ToolRegistry({ name: 'host' })
    .mount('greedy', make('greedy', '{+any}'))
    .mount('notes', make('notes', 'notes://{id}'));
  expect(await host.readResource({ uri: 'notes://5' })).toMatchObject({ contents: [{ text: 'notes' }] });
  expect(await host.readResource({ uri: 'other://5' })).toMatchObject({ contents: [{ text: 'greedy' }] });
});
