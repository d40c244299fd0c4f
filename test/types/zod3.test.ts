import { expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod3';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';

it('register() takes builders and definitions with schemas of Zod 3 in one list, and types their inputs', () => {
  const users = new GroupedToolBuilder('users').action({
    name: 'ban',
    inputSchema: z.object({ id: z.string(), days: z.number().optional() }),
    handler: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ id: string; days?: number | undefined }>();
      return input.id;
    },
  });
  const registry = new ToolRegistry({ name: 'acme' }).register(users, {
    name: 'count',
    description: 'Counts',
    inputSchema: z.object({ upTo: z.number() }),
    handler: ({ input }) => {
      expectTypeOf(input).toEqualTypeOf<{ upTo: number }>();
      return `${input.upTo}`;
    },
  });
  expect(registry.size).toBe(2);
});
