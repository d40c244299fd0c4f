import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { findFreePort } from './work.mjs';

const CARTS = 10_000;
const HISTORIES = 1_000;
const PRODUCTS = 100_000;

/** Starts the HTTP API and the Redis that the tools of `catalogs/shop.mjs` use, and tells the servers their ports. */
export async function startShop() {
  const api = spawn(process.execPath, [fileURLToPath(new URL('shop-api.mjs', import.meta.url))], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [apiPort] = await once(api, 'message');
  const redisPort = await findFreePort();
  const local = ['--bind', '127.0.0.1', '--port', String(redisPort)];
  const server = spawn('redis-server', [...local, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
  await once(server, 'spawn').catch(() => {
    throw new Error('This suite needs redis-server on the PATH.');
  });
  const redis = new Redis(redisPort, '127.0.0.1');
  // The client tries to connect until the server listens.
  redis.on('error', () => undefined);
  await redis.ping();
  process.env['SHOP_API'] = String(apiPort);
  process.env['SHOP_REDIS'] = String(redisPort);
  return {
    /** Resets the data, so that every server starts with the same. */
    seed: () => seed(redis),
    stop: () => {
      redis.disconnect();
      server.kill('SIGKILL');
      api.kill('SIGKILL');
    },
  };
}

/** @param {Redis} redis */
async function seed(redis) {
  await redis.flushall();
  const batch = redis.pipeline();
  for (let user = 1; user <= CARTS; user++) {
    const items = [7, 13, ...(user % 3 === 0 ? [17] : [])].map((step, at) => ({
      product_id: ((user * step) % PRODUCTS) + 1,
      qty: at === 2 ? 1 : 1 + (user % (3 - at)),
    }));
    const total = items.reduce(
      (sum, { product_id, qty }) => sum + (qty * ((product_id * 100) % 9_999)) / 100,
      1,
    );
    const id = userOf(user);
    batch.hset(`bench:cart:${id}`, {
      user_id: id,
      items: JSON.stringify(items),
      created: '1740000000',
      expires: '1740086400',
      total: total.toFixed(2),
    });
  }
  for (let user = 1; user <= HISTORIES; user++) {
    const orders = Array.from({ length: 20 }, (_, at) => ({
      order_id: `ORD-${user}-${at + 1}`,
      product_id: ((user * (at + 1) * 7) % PRODUCTS) + 1,
      qty: 1 + ((at + 1) % 3),
      price: (((user * (at + 1) * 13) % 9_999) + 1) / 100,
      ts: 1_740_000_000 + user * 86_400 + (at + 1) * 3_600,
    }));
    batch.rpush(`bench:history:${userOf(user)}`, ...orders.map((each) => JSON.stringify(each)));
  }
  for (let first = 1; first <= PRODUCTS; first += 5_000) {
    const members = Array.from({ length: 5_000 }, (_, at) => first + at);
    batch.zadd('bench:popular', ...members.flatMap((id) => [(id * 7) % 10_000, `product:${id}`]));
  }
  await batch.exec();
}

/** @param {number} user */
export const userOf = (user) => `user-${String(user).padStart(5, '0')}`;
