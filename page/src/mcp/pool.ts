import type { Connection } from './connection.js';
import type { Endpoint, Era } from './endpoint.js';
import { loadConnection } from './load.js';

interface Pooled {
  readonly era: Era;
  readonly opening: Promise<Connection>;
  isOpen: boolean;
  /** Calls and subscriptions that use the connection. */
  users: number;
}

/** A connection, until it is released. */
export interface HeldConnection {
  readonly connection: Connection;
  /** Whether the connection was not open yet. */
  readonly isNew: boolean;
  /** Called once, when the connection is not used any more. */
  readonly release: () => void;
}

/** The connections by endpoint, the last used one at the end. */
const pool = new Map<string, Pooled>();

/**
 * The connection for an endpoint. It is shared by calls, and opened again after it was lost. Browsers open six connections to a host
 * for all tabs together, and each of the era 2025 takes one for good, so unused connections are closed.
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

/** Uses a connection for one piece of work. */
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

/** Closes unused connections, except for the last used ones of each era. */
export function closeUnused(kept: number): void {
  const left = { 2026: kept, 2025: kept };
  for (const [key, pooled] of [...pool].toReversed()) {
    if (pooled.users > 0 || left[pooled.era]-- > 0) continue;
    pool.delete(key);
    close(pooled);
  }
}

function close({ opening }: Pooled): void {
  // A connection that failed is closed already.
  opening.then((connection) => connection.close()).catch(() => undefined);
}
