import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';

/** A server whose calls succeed, fail, and break in the author's code. */
export function createLiveServer() {
  const shop = new GroupedToolBuilder('shop')
    .description('Orders')
    .action({
      name: 'list',
      description: 'Lists orders',
      readOnly: true,
      inputSchema: z.object({ state: z.string().optional() }),
      handler: () => ['o-1'],
    })
    .action({
      name: 'cancel',
      description: 'Cancels an order',
      destructive: true,
      inputSchema: z.object({ id: z.string() }),
      handler: ({ input }) => {
        throw new TypeError(`Order ${input.id} has no lines`);
      },
    });
  const registry = new ToolRegistry({
    name: 'live',
    // The default would reject calls of the test that makes thousands of them.
    rateLimiter: { calls: 1_000_000, windowMs: 60_000 },
  }).register(shop as unknown as GroupedToolBuilder);
  const call = (action: string, args: Record<string, unknown> = {}, clientId = 'ada') =>
    registry.executeTool({
      name: 'shop',
      arguments: { action, ...args },
      caller: { auth: { clientId, scopes: [] }, client: { name: 'cursor', version: '1.7' } },
    } as never);
  return { registry, call };
}
