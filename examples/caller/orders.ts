import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const orders = new GroupedToolBuilder('orders')
  .description('Orders of the shop')
  .action({
    name: 'list',
    readOnly: true,
    inputSchema: z.object({ limit: z.int().min(1).default(2) }),
    outputSchema: z.object({ ids: z.array(z.string()) }),
    handler: ({ input }) => ({ ids: ['o1', 'o2', 'o3'].slice(0, input.limit) }),
  })
  .action({
    name: 'refund',
    scopes: ['orders:write'],
    idempotency: true,
    inputSchema: z.object({ id: z.string() }),
    handler: ({ input }) => `${input.id} is refunded`,
  })
  .action({
    name: 'export',
    readOnly: true,
    handler: ({ context }) =>
      new Promise<string>((_, reject) => {
        context.signal.addEventListener('abort', () => reject(context.signal.reason));
      }),
  });

export const registry = new ToolRegistry({ name: 'shop' }).register(orders);
