import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../../build/grouped-tool-builder.js';
import type { ExecuteRequest } from '../../engine/request.js';
import { toWireName } from '../../protocol/wire-name.js';
import { ToolRegistry } from '../tool-registry.js';

const kinds = ['text', 'data', 'throws', 'idempotent', 'cached', 'scoped', 'async', 'error'] as const;

interface ToolModel {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly isGrouped: boolean;
  readonly kinds: readonly (typeof kinds)[number][];
}

const name = fc.stringMatching(/^[a-z][a-z_]{0,6}$/);
const toolModel: fc.Arbitrary<ToolModel> = fc.record({
  name,
  namespace: fc.option(name, { nil: undefined }),
  isGrouped: fc.boolean(),
  kinds: fc.uniqueArray(fc.constantFrom(...kinds), { minLength: 1, maxLength: 4 }),
});
const registryModel = fc.record({
  tools: fc.uniqueArray(toolModel, {
    minLength: 1,
    maxLength: 4,
    selector: (model) =>
      model.namespace === undefined ? model.name : toWireName(model.namespace, model.name),
  }),
  hasMiddleware: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
});

function action(kind: (typeof kinds)[number]) {
  let runs = 0;
  return {
    name: kind,
    description: kind,
    readOnly: kind === 'cached',
    ...(kind === 'scoped' ? { scopes: ['s'] } : {}),
    ...(kind === 'idempotent' ? { idempotency: { field: 'id' } } : {}),
    ...(kind === 'cached' ? { cached: { ttlMs: 60_000 } } : {}),
    ...(kind === 'data' ? { outputSchema: z.object({ id: z.string(), runs: z.number() }) } : {}),
    inputSchema: z.object({ id: z.string() }),
    handler: async ({ input, context }: { input: { id: string }; context: { app: unknown } }) => {
      if (kind === 'async') await Promise.resolve();
      runs++;
      if (kind === 'throws') throw new Error(`failed ${input.id}`);
      if (kind === 'error') return { isError: true, content: [{ type: 'text', text: input.id }] };
      return kind === 'data' ? { id: input.id, runs } : `${input.id} ${runs} ${JSON.stringify(context.app)}`;
    },
  };
}

type Model = typeof registryModel extends fc.Arbitrary<infer Each> ? Each : never;

function createRegistry({ tools, hasMiddleware, limit }: Model): ToolRegistry {
  const registry = new ToolRegistry<unknown>({
    name: 'inner',
    contextFactory: (request) => ({ who: request.caller?.auth?.clientId }),
    rateLimiter: limit === undefined ? false : { calls: limit, windowMs: 60_000 },
    clock: () => 0,
  });
  if (hasMiddleware)
    registry.use(async (request, next) => ({
      ...((await next()) as object),
      _meta: { seen: request.params['name'] },
    }));
  for (const model of tools) {
    const options = model.namespace === undefined ? {} : { namespace: model.namespace };
    if (model.isGrouped) {
      const group = new GroupedToolBuilder(model.name, options);
      for (const kind of model.kinds) group.action(action(kind) as never);
      registry.register(group);
    } else registry.register({ ...action(model.kinds[0] ?? 'text'), ...options, name: model.name } as never);
  }
  return registry;
}

const callModel = fc.record({
  tool: fc.nat(),
  kind: fc.constantFrom(...kinds, undefined, 'unknown'),
  args: fc.constantFrom({}, { id: 'a' }, { id: 'b' }, { id: 1 }, { id: 'a', other: 1 }),
  caller: fc.constantFrom(
    undefined,
    { auth: { clientId: 'ada', scopes: ['s'] } },
    { auth: { clientId: 'bob', scopes: [] } },
  ),
});

describe('calls through a mount', () => {
  it('have the results of calls of the mounted registry itself, for any registries, forms and depths', async () => {
    await fc.assert(
      fc.asyncProperty(
        registryModel,
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('grouped' as const, 'flat' as const),
        fc.array(callModel, { maxLength: 12 }),
        async (model, prefixes, form, calls) => {
          const alone = createRegistry(model);
          let root: ToolRegistry = createRegistry(model);
          for (const prefix of prefixes)
            root = new ToolRegistry({ name: prefix, rateLimiter: { calls: 1, windowMs: 1 } }).mount(
              prefix,
              root,
            ) as unknown as ToolRegistry;
          const names = [...alone.view({ form }).tools.keys()];
          const mounted = [...root.view({ form }).tools.keys()];
          expect(mounted).toHaveLength(names.length);
          expect(
            root
              .view({ form })
              .listTools()
              .map(({ inputSchema }) => inputSchema),
          ).toEqual(
            alone
              .view({ form })
              .listTools()
              .map(({ inputSchema }) => inputSchema),
          );
          for (const { tool, kind, args, caller } of calls) {
            const at = tool % names.length;
            const request = {
              arguments: { ...args, ...(kind === undefined ? {} : { action: kind }) },
              caller,
            } satisfies Partial<ExecuteRequest>;
            const [one, other] = [
              await alone.executeTool({ name: names[at] ?? '', ...request }, alone.view({ form })),
              await root.executeTool({ name: mounted[at] ?? '', ...request }, root.view({ form })),
            ];
            expect(other).toEqual(one);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
