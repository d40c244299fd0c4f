import { Redis } from 'ioredis';
import { z } from 'zod';

// The tools of the published workload, which read and write through an HTTP API and Redis; see bench/README.md. The suite starts both.

/** @type {Redis | undefined} */
let connection;
const redis = () => (connection ??= new Redis(Number(process.env['SHOP_REDIS']), '127.0.0.1'));

/**
 * @param {string} path
 * @param {RequestInit} [request]
 */
async function fetchJson(path, request) {
  const response = await fetch(`http://127.0.0.1:${process.env['SHOP_API']}${path}`, request);
  return /** @type {any} */ (await response.json());
}

const userId = z.string().default('user-00042');

const search = z.object({
  category: z.string().default('Electronics'),
  min_price: z.number().default(50),
  max_price: z.number().default(500),
  limit: z.number().int().default(10),
});

/** @param {z.output<typeof search>} input */
async function searchProducts(input) {
  const { category, min_price, max_price, limit } = input;
  const query = new URLSearchParams({
    category,
    min_price: `${min_price}`,
    max_price: `${max_price}`,
    limit: `${limit}`,
  });
  const [found, popular] = await Promise.all([
    fetchJson(`/products/search?${query}`),
    redis().zrevrange('bench:popular', 0, 9),
  ]);
  const ids = popular.map((member) => Number(member.slice('product:'.length)));
  const products = found.products.map((/** @type {Record<string, any>} */ product) => {
    const { id, sku, name, price, rating } = product;
    return { id, sku, name, price, rating, popularity_rank: ids.indexOf(id) + 1 };
  });
  return { category, total_found: found.total_found, products, top10_popular_ids: ids };
}

const cart = z.object({ user_id: userId });

/** @param {z.output<typeof cart>} input */
async function getUserCart({ user_id }) {
  const stored = await redis().hgetall(`bench:cart:${user_id}`);
  const items = JSON.parse(stored['items'] ?? '[]');
  const [, history] = await Promise.all([
    fetchJson(`/products/${items[0]?.product_id ?? 1}`),
    redis().lrange(`bench:history:${user_id}`, 0, 4),
  ]);
  return {
    user_id,
    cart: { items, item_count: items.length, estimated_total: Number(stored['total'] ?? 0) },
    recent_history: history.map((entry) => JSON.parse(entry)),
  };
}

const order = z.object({
  user_id: userId,
  items: z.array(z.object({ product_id: z.number().int(), quantity: z.number().int() })).default([
    { product_id: 42, quantity: 2 },
    { product_id: 1337, quantity: 1 },
  ]),
});

/** @param {z.output<typeof order>} input */
async function checkOut({ user_id, items }) {
  const now = Date.now();
  const limited = String(Number(user_id.split('-').at(-1)) % 100).padStart(5, '0');
  const entry = { order_id: `ORD-${user_id}-${now}`, items, ts: Math.floor(now / 1_000) };
  const [calculated, count] = await Promise.all([
    fetchJson('/cart/calculate', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ user_id, items }),
    }),
    redis().incr(`bench:ratelimit:user-${limited}`),
    redis().rpush(`bench:history:${user_id}`, JSON.stringify(entry)),
    redis().zincrby('bench:popular', 1, `product:${items[0]?.product_id ?? 1}`),
  ]);
  const { order_id, total } = calculated;
  return {
    order_id,
    user_id,
    total,
    items_count: items.length,
    rate_limit_count: count,
    status: 'confirmed',
  };
}

/**
 * @param {(input: any) => Promise<object>} work
 * @returns {(input: object) => Promise<string>}
 */
const toText = (work) => async (input) => JSON.stringify(await work(input));

/** @returns {import('../work.mjs').Tool[]} */
export const createTools = () => [
  {
    name: 'search_products',
    description: 'Search products by category and price, with their popularity',
    schema: search,
    run: toText(searchProducts),
  },
  {
    name: 'get_user_cart',
    description: 'Get the cart of a user and the latest orders',
    schema: cart,
    run: toText(getUserCart),
  },
  {
    name: 'checkout',
    description: 'Check out: calculate the total, count the call and record the order',
    schema: order,
    run: toText(checkOut),
  },
];
