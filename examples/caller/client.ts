import { createClient } from '@toolfold/testing/client';
import type { registry } from './orders.js';

/** Prints the orders of a shop that runs elsewhere. */
export async function printOrders(url: string | URL): Promise<void> {
  await using client = await createClient<typeof registry>(url, {
    headers: { authorization: 'Bearer secret' },
    timeoutMs: 10_000,
  });
  const { ids } = await client.tools.orders.list({ limit: 1 });
  console.log('over HTTP', ids);
  await client.tools.orders.refund({ id: 'o1' }).catch((thrown: unknown) => {
    console.log((thrown as { code?: string }).code);
  });
}
