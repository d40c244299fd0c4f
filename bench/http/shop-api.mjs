// The product catalog behind the tools of `catalogs/shop.mjs`, as an HTTP API of its own: 100,000 products in memory.
import { createServer } from 'node:http';
import { listen } from './work.mjs';

const words = (/** @type {string} */ text) => text.split(' ');
const categories = words(
  'Electronics Books Clothing Sports Home Garden Toys Food Beauty Automotive Music Movies Games Office Health Pets Travel Tools Jewelry Baby',
);
const tags = words('sale new featured bestseller clearance limited popular exclusive');
const round = (/** @type {number} */ amount) => Math.round(amount * 100) / 100;

const products = Array.from({ length: 100_000 }, (_, at) => {
  const [id, category, brand] = [at + 1, categories[at % 20] ?? '', `Brand${at % 50}`];
  return {
    id,
    sku: `SKU-${String(id).padStart(6, '0')}`,
    name: `${brand} ${category} Item ${id}`,
    category,
    brand,
    price: round(1 + (at % 99_900) / 100),
    stock: at % 501,
    rating: 1 + (at % 40) / 10,
    tags: Array.from({ length: 2 + (at % 3) }, (_each, step) => tags[(at + step) % 8]),
    weight: round((1 + (at % 100)) / 10),
    description: `Quality ${category} by ${brand}. SKU ${id}.`,
  };
});

/** Answers of earlier searches, because sorting thousands of products would take longer than the servers that are measured. */
const searches = new Map();

/** @param {URL} url */
function search({ search: query, searchParams }) {
  let found = searches.get(query);
  if (!found) {
    const category = searchParams.get('category');
    const [low, high, limit] = ['min_price', 'max_price', 'limit'].map((name) =>
      Number(searchParams.get(name)),
    );
    const matching = products
      .filter((each) => each.category === category && each.price >= (low ?? 0) && each.price <= (high ?? 0))
      .toSorted((left, right) => left.price - right.price);
    found = { category, total_found: matching.length, products: matching.slice(0, limit) };
    searches.set(query, found);
  }
  return found;
}

/** @param {{ user_id: string, items: { product_id: number, quantity: number }[] }} order */
function calculate({ user_id, items }) {
  const sum = items.reduce(
    (total, { product_id, quantity }) => total + (products[product_id - 1]?.price ?? 0) * quantity,
    0,
  );
  const subtotal = round(sum);
  const [discount, shipping] = subtotal >= 100 ? [round(subtotal * 0.1), 0] : [0, 5.99];
  const tax = round(subtotal * 0.085);
  const order_id = `ORD-${user_id.replaceAll('-', '')}-${items.length}`;
  const total = round(subtotal + tax + shipping - discount);
  return { order_id, user_id, subtotal, tax, shipping, discount, total, items_count: items.length };
}

const port = await listen(
  createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const url = new URL(request.url ?? '', 'http://localhost');
    const answer =
      request.method === 'POST'
        ? calculate(JSON.parse(Buffer.concat(chunks).toString('utf8')))
        : url.pathname === '/products/search'
          ? search(url)
          : products[Number(url.pathname.split('/').at(-1)) - 1];
    const body = JSON.stringify(answer);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  }),
);
process.send?.(port);
process.on('disconnect', () => process.exit());
