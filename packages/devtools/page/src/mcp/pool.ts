import type { Connection } from './connection.js';
import type { Endpoint, Era } from './endpoint.js';
import { loadConnection } from './load.js';

interface Pooled {
  readonly era: Era;
  readonly opening: Promise<Connection>;
  isOpen: boolean;
  /** Number of calls and subscriptions that use the connection. */
  users: number;
}

interface HeldConnection {
  readonly connection: Connection;
  /** Whether the connection was opened for this request. */
  readonly isNew: boolean;
  /** Call it once, when the connection is no longer needed. */
  readonly release: () => void;
}

/** Connections by endpoint, the most recently used last. */
const pool = new Map<string, Pooled>();

/**
 * Returns a shared connection, and reopens it if it was lost. Closes unused ones, because browsers limit the connections to a host
 * to six for all tabs, and each 2025 connection occupies one.
 */
export async function holdConnection(endpoint: Endpoint): Promise<HeldConnection> {
  const key = JSON.stringify([endpoint.form, endpoint.profile, endpoint.era, endpoint.caller]);
  const pooled = pool.get(key) ?? {
    era: endpoint.era,
    opening: loadConnection().then(({ Connection: { open } }) => open(endpoint)),
    isOpen: false,
    users: 0,
  };
  const isNew = !pooled.isOpen;
  pool.delete(key);
  pool.set(key, pooled);
  pooled.users++;
  const remove = (): void => {
    if (pool.get(key) === pooled) pool.delete(key);
  };
  let connection: Connection;
  try {
    connection = await pooled.opening;
    pooled.isOpen = true;
  } catch (error) {
    remove();
    throw error;
  }
  const release = (): void => {
    pooled.users--;
    if (connection.isLost) remove();
    if (pool.get(key) === pooled) closeUnused(1);
    else if (pooled.users === 0) close(pooled);
  };
  if (!connection.isLost) return { connection, isNew, release };
  release();
  return holdConnection(endpoint);
}

/** Holds a connection for the duration of some work. */
export async function withConnection<T>(
  endpoint: Endpoint,
  work: (connection: Connection) => T | Promise<T>,
): Promise<T> {
  const { connection, release } = await holdConnection(endpoint);
  try {
    return await work(connection);
  } finally {
    release();
  }
}

/** Closes unused connections, except for the most recently used ones of each era. */
export function closeUnused(kept: number): void {
  const left = { 2026: kept, 2025: kept };
  for (const [key, pooled] of [...pool].toReversed()) {
    if (pooled.users > 0 || left[pooled.era]-- > 0) continue;
    pool.delete(key);
    close(pooled);
  }
}

function close({ opening }: Pooled): void {
  // A connection that failed to open needs no closing.
  opening.then((connection) => connection.close()).catch(() => undefined);
}
