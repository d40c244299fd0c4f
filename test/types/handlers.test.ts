import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { createCaller, GroupedToolBuilder, success, ToolRegistry } from 'toolfold';
import type { CallToolResult } from 'toolfold';

const common = z.object({ workspace: z.string() });
const outputSchema = { total: z.number() };
const result: CallToolResult = { content: [{ type: 'text', text: 'a' }] };

/** Never runs: compiling it is the test. */
export function readInput(): void {
  new GroupedToolBuilder('a').commonSchema(common).action({
    name: 'b',
    handler: ({ input }) => {
      expectTypeOf(input.workspace).toEqualTypeOf<string>();
      // @ts-expect-error Neither schema has the field.
      return input.anything;
    },
  });
  new GroupedToolBuilder('a').action({
    name: 'b',
    // @ts-expect-error The action has no fields.
    handler: ({ input }) => input.anything,
  });
  new GroupedToolBuilder('a').commonSchema(common).group('b', (group) =>
    group.action({
      name: 'c',
      handler: ({ input }) => {
        expectTypeOf(input.workspace).toEqualTypeOf<string>();
        // @ts-expect-error
        return input.anything;
      },
    }),
  );
  new ToolRegistry().register({
    name: 'a',
    description: 'A',
    inputSchema: {},
    // @ts-expect-error
    handler: ({ input }) => input.anything,
  });
  new ToolRegistry().registerPrompt({
    name: 'a',
    // @ts-expect-error
    handler: ({ input }) => input.anything,
  });
}

/** Never runs: compiling it is the test. */
export function returnOutput(): void {
  const builder = new GroupedToolBuilder('a');
  builder.action({ name: 'sync', outputSchema, handler: () => ({ total: 1 }) });
  builder.action({ name: 'async', outputSchema, handler: async () => ({ total: 1 }) });
  builder.action({
    name: 'generator',
    outputSchema,
    async *handler() {
      yield { progress: 1 };
      return { total: 1 };
    },
  });
  builder.action({ name: 'success', outputSchema, handler: () => success({ total: 1 }) });
  builder.action({ name: 'result', outputSchema, handler: () => result });
  builder.action({ name: 'later', outputSchema, handler: async () => result });

  // @ts-expect-error `total` is a number.
  builder.action({ name: 'sync', outputSchema, handler: () => ({ total: '1' }) });
  // @ts-expect-error
  builder.action({ name: 'async', outputSchema, handler: async () => ({ total: '1' }) });
  // @ts-expect-error
  builder.action({ name: 'missing', outputSchema, handler: () => ({}) });
  builder.action({
    name: 'generator',
    outputSchema,
    // @ts-expect-error
    async *handler() {
      yield { progress: 1 };
      return { total: '1' };
    },
  });
  new GroupedToolBuilder('a').group('b', (group) =>
    // @ts-expect-error
    group.action({ name: 'c', outputSchema, handler: () => ({ total: '1' }) }),
  );
  const definition = { name: 'a', description: 'A', inputSchema: {}, outputSchema } as const;
  new ToolRegistry().register({ ...definition, handler: () => ({ total: 1 }) });
  // @ts-expect-error
  new ToolRegistry().register({ ...definition, handler: () => ({ total: '1' }) });
  new ToolRegistry().register(
    // @ts-expect-error
    { name: 'b', description: 'B', inputSchema: {}, handler: () => 'b' },
    { ...definition, handler: async () => ({ total: '1' }) },
  );
}

/** Never runs: compiling it is the test. */
export function returnContent(): void {
  const builder = new GroupedToolBuilder('a');
  builder.action({ name: 'text', handler: () => ({ content: [{ type: 'text', text: 'a' }] }) });
  // @ts-expect-error MCP has no content of the type `txt`.
  builder.action({ name: 'sync', handler: () => ({ content: [{ type: 'txt' }] }) });
  // @ts-expect-error
  builder.action({ name: 'async', handler: async () => ({ content: [{ type: 'txt' }] }) });
  new GroupedToolBuilder('a').group('b', (group) =>
    // @ts-expect-error
    group.action({ name: 'c', handler: () => ({ content: [{ type: 'txt' }] }) }),
  );
  const definition = { name: 'a', description: 'A', inputSchema: {} } as const;
  // @ts-expect-error
  new ToolRegistry().register({ ...definition, handler: () => ({ content: [{ type: 'txt' }] }) });
}

/** Never runs: compiling it is the test. */
export async function readResults(): Promise<void> {
  const registry = new ToolRegistry().register(
    new GroupedToolBuilder('orders')
      .commonSchema(common)
      .action({ name: 'count', outputSchema, handler: () => ({ total: 1 }) })
      .action({ name: 'find', inputSchema: { id: z.number() }, handler: () => 'a' }),
  );
  const counted = await registry.executeTool({ name: 'orders', arguments: { action: 'count' } });
  expectTypeOf(counted.structuredContent).toExtend<{ total: number } | undefined>();
  // @ts-expect-error The output schema has no such field.
  void counted.structuredContent?.other;
  const found = await registry.executeTool({ name: 'orders', arguments: { action: 'find' } });
  expectTypeOf(found).toEqualTypeOf<CallToolResult>();
  const unknown = await registry.executeTool({ name: 'others' });
  expectTypeOf(unknown).toEqualTypeOf<CallToolResult>();

  const caller = createCaller(registry);
  const { total, ...rest } = await caller.orders.count({ workspace: 'a' });
  expectTypeOf(total).toEqualTypeOf<number>();
  expectTypeOf<keyof typeof rest>().toEqualTypeOf<never>();
  expectTypeOf(await caller.orders.find({ workspace: 'a', id: 1 })).toEqualTypeOf<CallToolResult>();
  // @ts-expect-error `id` is missing.
  await caller.orders.find({ workspace: 'a' });
  // @ts-expect-error `workspace` is missing.
  await caller.orders.count();
  // @ts-expect-error
  await caller.orders.find({ workspace: 'a', id: '1' });
  // @ts-expect-error
  await caller.orders.other({});
  // @ts-expect-error
  await caller.others.count({});
}

it('types the input, the return value and the result of handlers', () => {
  expectTypeOf(readResults).returns.resolves.toBeVoid();
});
