import { expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ToolsOf, TypedCaller } from 'toolfold';

const invoices = new GroupedToolBuilder('invoices').action({
  name: 'get',
  inputSchema: z.object({ id: z.string() }),
  outputSchema: z.object({ cents: z.number() }),
  handler: () => ({ cents: 1 }),
});
const billing = new ToolRegistry({ name: 'billing' }).register(invoices);
const acme = new ToolRegistry({ name: 'acme' }).mount('billing', billing);
const root = new ToolRegistry<{ user: string }>({
  name: 'root',
  contextFactory: () => ({ user: 'ada' }),
}).mount('acme', acme);

/** Never runs: compiling it is the test. */
export async function callMounted(
  caller: TypedCaller<ToolsOf<typeof acme>>,
  deep: TypedCaller<ToolsOf<typeof root>>,
): Promise<void> {
  expectTypeOf(await caller.billing.invoices.get({ id: 'i1' })).toEqualTypeOf<{ cents: number }>();
  expectTypeOf(await deep.acme.billing.invoices.get({ id: 'i1' })).toEqualTypeOf<{ cents: number }>();
  // @ts-expect-error The mounted tools are only under the prefix.
  void caller.invoices;
  // @ts-expect-error The types of arguments are those of the mounted registry.
  void caller.billing.invoices.get({ id: 1 });
}

it('has the mounted tools under their prefixes, at any depth', () => {
  expectTypeOf<TypedCaller<ToolsOf<typeof root>>>().toHaveProperty('acme');
});

it('keeps its own type of context.app beside mounted registries with another', () => {
  expectTypeOf(root.register).toBeFunction();
  root.register({
    name: 'me',
    description: 'The user',
    inputSchema: {},
    handler: ({ context }) => {
      expectTypeOf(context.app).toEqualTypeOf<{ user: string }>();
      return context.app.user;
    },
  });
});
