import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import * as toolfold from '../index.js';
import { ToolAnnotations } from '../model/tool.js';
import { readSchema } from '@toolfold/schema';
import { aggregateAnnotations } from './annotation-aggregator.js';
import { generateDescription } from './description-generator.js';
import { generateToonDescription } from './toon-description-generator.js';
import { deepFreeze } from '@toolfold/schema/internal';
import type { InternalAction } from '../define/read-definition.js';
import { compileMiddlewareChains } from './middleware-compiler.js';
import { generateInputSchema } from './input-schema/schema-generator.js';
import type { ToolCall } from '../define/tool-definition.js';
import { compileActions, defaultStrategies } from './compile-item.js';
import type { Strategies, ToolSpec } from './compiled-tool.js';
import { compileTools } from './tool-forms.js';

/** Hand-made actions, without builder or registry. */
const handMade = (): InternalAction[] => [
  {
    definition: { name: 'list', handler: () => 'listed' },
    key: 'users.list',
    groupName: 'users',
    actionName: 'list',
    readOnly: true,
    input: readSchema({
      type: 'object',
      properties: { limit: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'integer' } },
    }),
    tags: [],
    scopes: [],
    middleware: [],
    handler: () => 'listed',
  },
  {
    definition: { name: 'ban', handler: () => 'banned' },
    key: 'users.ban',
    groupName: 'users',
    actionName: 'ban',
    description: 'Bans a user',
    destructive: true,
    input: readSchema(z.object({ id: z.string().describe('Who'), limit: z.number().optional() })),
    tags: ['admin'],
    scopes: [],
    middleware: [async (_call, next) => `${String(await next())}!`],
    handler: () => 'banned',
  },
];

const others = (): InternalAction[] =>
  handMade().map((action) => ({
    ...action,
    key: `${action.key}2`,
    destructive: false,
    description: 'Other',
  }));

const specOf = (actions: readonly InternalAction[], strategies: Partial<Strategies> = {}): ToolSpec => ({
  name: 'platform',
  description: 'Users',
  tags: [],
  discriminator: 'action',
  actions,
  globalMiddleware: [],
  unknownFields: 'strict',
  strategies: { ...defaultStrategies, ...strategies },
});

/** The listed form of a tool, and the answers of its actions. */
async function compile(spec: ToolSpec) {
  const compiled = compileActions(spec);
  const [tool] = compileTools(spec, compiled);
  const { description, inputSchema, annotations } = tool!.tool;
  const call = { input: {}, context: {} } as ToolCall;
  const answers: unknown[] = [];
  for (const { run } of compiled.values()) answers.push(await run(call));
  return { description, inputSchema, annotations: { ...annotations }, answers };
}

/** Every strategy as a function of the actions, with a comparable result. */
const strategies: Record<string, (actions: readonly InternalAction[]) => unknown> = {
  SchemaGenerator: (actions) => generateInputSchema({ name: 'x', discriminator: 'action', actions }),
  DescriptionGenerator: (actions) => generateDescription({ name: 'x', actions, hasGroup: true }),
  ToonDescriptionGenerator: (actions) => generateToonDescription({ name: 'x', actions, hasGroup: true }),
  AnnotationAggregator: (actions) => aggregateAnnotations(actions, { title: 'T' }),
  MiddlewareCompiler: (actions) =>
    Promise.all(
      [...compileMiddlewareChains(actions)].map(async ([key, chain]) => [key, await chain({} as ToolCall)]),
    ),
};

it.each([
  ['SchemaGenerator', '"description":"Who. Required for: users.ban"'],
  ['DescriptionGenerator', '`users.ban`: Bans a user'],
  ['ToonDescriptionGenerator', 'ban|Bans a user|id|true'],
  ['AnnotationAggregator', '"destructiveHint":true'],
  ['MiddlewareCompiler', '["users.ban","banned!"]'],
])('%s works on hand-made actions [S000-40]', async (name, shown) => {
  expect(JSON.stringify(await strategies[name]?.(handMade()))).toContain(shown);
});

describe.each(Object.entries(strategies))('%s', (_name, strategy) => {
  it('gives equal results for equal actions [S000-43] [S001-12]', async () => {
    expect(await strategy(handMade())).toEqual(await strategy(handMade()));
  });

  it('keeps no state between calls [S000-39]', async () => {
    const first = await strategy(handMade());
    expect(await strategy(others())).not.toEqual(first);
    expect(await strategy(handMade())).toEqual(first);
  });

  it('does not change its input [S000-42]', async () => {
    const frozen = deepFreeze(handMade());
    const before = await Promise.all(Object.values(strategies).map((each) => each(frozen)));
    await strategy(frozen);
    expect(await Promise.all(Object.values(strategies).map((each) => each(frozen)))).toEqual(before);
  });
});

describe('the compiler', () => {
  const replacements: { [K in keyof Strategies]: { by: Strategies[K]; changes: string; to: unknown } } = {
    inputSchema: { by: () => ({ type: 'object' }), changes: 'inputSchema', to: { type: 'object' } },
    description: { by: ({ name }) => `About ${name}`, changes: 'description', to: 'About platform' },
    annotations: {
      by: () => new ToolAnnotations({ title: 'Mine' }),
      changes: 'annotations',
      to: { ...new ToolAnnotations({ title: 'Mine' }) },
    },
    middleware: {
      by: (actions) => new Map(actions.map(({ key }) => [key, async () => `ran ${key}`])),
      changes: 'answers',
      to: ['ran users.list', 'ran users.ban'],
    },
  };

  it.each(Object.entries(replacements))(
    'accepts another %s from the author, and the other parts stay unchanged [S000-41] [S001-12]',
    async (name, { by, changes, to }) => {
      const expected = await compile(specOf(handMade()));
      expect(await compile(specOf(handMade(), { [name]: by }))).toEqual({ ...expected, [changes]: to });
    },
  );

  it('accepts the TOON table as description', async () => {
    const expected = await compile(specOf(handMade()));
    const actions = handMade();
    const description = generateToonDescription({
      name: 'platform',
      description: 'Users',
      actions,
      hasGroup: true,
    });
    expect(await compile(specOf(handMade(), { description: generateToonDescription }))).toEqual({
      ...expected,
      description,
    });
  });

  it('runs each strategy once, also for the builder [S001-06]', () => {
    const spies = {
      inputSchema: vi.fn<Strategies['inputSchema']>(generateInputSchema),
      description: vi.fn<Strategies['description']>(generateDescription),
      annotations: vi.fn<Strategies['annotations']>(aggregateAnnotations),
      middleware: vi.fn<Strategies['middleware']>(compileMiddlewareChains),
    };
    const make = () =>
      new GroupedToolBuilder('notes').action({ name: 'list', readOnly: true, handler: () => '' });
    const tool = make().strategies(spies).buildToolDefinition();
    for (const spy of Object.values(spies)) expect(spy).toHaveBeenCalledTimes(1);
    expect(tool.inputSchema).toEqual(spies.inputSchema.mock.results[0]?.value);
    expect(tool.description).toBe(spies.description.mock.results[0]?.value);
    expect(tool.annotations).toEqual(spies.annotations.mock.results[0]?.value);
    const { actions } = make().strategies(spies).compile();
    const chains = spies.middleware.mock.results[1]?.value as ReturnType<typeof compileMiddlewareChains>;
    expect(actions.get('list')?.run).toBe(chains.get('list'));

    const [input] = spies.description.mock.calls[0] ?? [];
    expect(make().toonDescription().buildToolDefinition().description).toBe(generateToonDescription(input!));
  });

  it('has strategies that an author can wrap, because the package exports them', () => {
    const tool = new GroupedToolBuilder('notes')
      .action({ name: 'list', readOnly: true, handler: () => '' })
      .strategies({
        inputSchema: (given) => ({ ...toolfold.generateInputSchema(given), title: 'Notes' }),
        description: (given) => `${toolfold.generateDescription(given)}!`,
        annotations: (...given) =>
          new ToolAnnotations({ ...toolfold.aggregateAnnotations(...given), title: 'N' }),
        middleware: (...given) => toolfold.compileMiddlewareChains(...given),
      })
      .buildToolDefinition();
    expect(tool.inputSchema).toMatchObject({ title: 'Notes', required: ['action'] });
    expect(tool.description).toBe('notes. Actions: list!');
    expect(tool.annotations).toMatchObject({ readOnlyHint: true, title: 'N' });
    expect(toolfold.generateToonDescription).toBe(generateToonDescription);
  });

  it('gives the model three layers: summary, list of actions, notes on the fields [S000-55]', async () => {
    const { description, inputSchema } = await compile(specOf(handMade()));
    expect(description?.split('\n')[0]).toBe('Users. Modules: users (list,ban)');
    expect(description?.split('\n')).toContain('- `users.ban`: Bans a user. Requires: id ⚠️ DESTRUCTIVE');
    expect(inputSchema['properties']).toMatchObject({
      id: { description: 'Who. Required for: users.ban' },
      limit: { description: 'For: users.list, users.ban' },
    });
  });
});
