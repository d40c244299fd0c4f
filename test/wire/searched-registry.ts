import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';

/** Three subjects that share no word. */
export function createSearchedRegistry(): ToolRegistry {
  return new ToolRegistry({ name: 'shop', rateLimiter: false }).register(
    new GroupedToolBuilder('orders')
      .description('Orders')
      .action({
        name: 'refund',
        description: 'Pays the price of an order back',
        inputSchema: z.object({
          order: z.int().min(1),
          reason: z.enum(['damaged', 'late']).optional(),
          notify: z.boolean().default(true),
        }),
        handler: ({ input }) => `refunded ${input.order} ${input.reason ?? ''}`,
      })
      .action({
        name: 'list',
        description: 'Lists orders',
        readOnly: true,
        handler: () => 'none',
      }),
    {
      name: 'track_parcel',
      description: 'Says where a parcel is',
      readOnly: true,
      inputSchema: z.object({ number: z.string() }),
      handler: ({ input }) => `${input.number} is on its way`,
    },
    {
      name: 'read_weather',
      description: 'Says how the weather is',
      readOnly: true,
      inputSchema: z.object({ place: z.string(), day: z.iso.date().optional() }),
      handler: () => 'sunny',
    },
  );
}
