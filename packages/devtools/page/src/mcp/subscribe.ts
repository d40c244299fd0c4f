import type { Endpoint } from './endpoint.js';
import { holdConnection, withConnection } from './pool.js';

/** Whether the server reports changes of resources. */
export function canSubscribe(endpoint: Endpoint): Promise<boolean> {
  return withConnection(
    endpoint,
    ({ client }) => client.getServerCapabilities()?.resources?.subscribe === true,
  );
}

/** Follows a resource until the returned function is called: with a request in 2025, with a separate stream in 2026. */
export async function subscribe(
  endpoint: Endpoint,
  uri: string,
  onUpdate: () => void,
): Promise<() => Promise<void>> {
  const { connection, release } = await holdConnection(endpoint);
  const { client, isModern } = connection;
  const stopListening = connection.onResourceUpdate((updated) => {
    if (updated === uri) onUpdate();
  });
  const forget = (): void => {
    stopListening();
    release();
  };
  try {
    if (isModern) {
      const stream = await client.listen({ resourceSubscriptions: [uri] });
      return () => stream.close().finally(forget);
    }
    await client.subscribeResource({ uri });
    return async () => {
      if (!connection.isLost) await client.unsubscribeResource({ uri }).finally(forget);
      else forget();
    };
  } catch (error) {
    forget();
    throw error;
  }
}
