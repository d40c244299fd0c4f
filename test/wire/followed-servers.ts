import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import type { ToolRegistryOptions } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { fromMcpServer } from '@toolfold/gateway';
import type { ServeHttpOptions } from 'toolfold/node';
import type { FollowOptions, FromMcpServerOptions, UpstreamLoader, UpstreamTarget } from '@toolfold/gateway';

export type Era = '2025' | '2026';

/** Every combination of the protocols of the upstream server and of the client. */
export const eras: readonly (readonly [upstream: Era, client: Era])[] = [
  ['2025', '2025'],
  ['2025', '2026'],
  ['2026', '2025'],
  ['2026', '2026'],
];

/** A registry that is served over HTTP until the test ends. */
export async function serve(registry: ToolRegistry, options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(registry, { port: 0, closeOnSignals: false, ...options });
  onTestFinished(() => server.close());
  return server.url;
}

export interface Gateway {
  readonly upstream: UpstreamLoader;
  /** The registry with the items of the server. */
  readonly followed: ToolRegistry;
  /** The registry in which it is mounted, as `far`. */
  readonly gateway: ToolRegistry;
  readonly stop: () => void;
  readonly errors: unknown[];
  readonly skipped: Map<string, string>;
}

/** Follows a server, and mounts its items in a gateway. */
export async function follow(
  target: UpstreamTarget,
  options: FromMcpServerOptions = {},
  followOptions: FollowOptions = {},
  registryOptions: ToolRegistryOptions<unknown> = {},
): Promise<Gateway> {
  const errors: unknown[] = [];
  const skipped = new Map<string, string>();
  const upstream = fromMcpServer(target, {
    onSkipped: (name, reason) => skipped.set(name, reason),
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(() => upstream.close());
  const followed = new ToolRegistry({ name: 'followed' });
  const gateway = new ToolRegistry({ name: 'gateway', ...registryOptions } as never) as ToolRegistry;
  gateway.mount('far', followed);
  const stop = await upstream.follow(followed, followOptions);
  return { upstream, followed, gateway, stop, errors, skipped };
}

/** A client that answers every question. */
export async function connect(
  url: string,
  era: Era,
  { headers = {}, capabilities = {} }: { headers?: Record<string, string>; capabilities?: object } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'person', version: '1' },
    {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {}, ...capabilities },
      versionNegotiation: { mode: era === '2026' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept' as const,
    content: { answer: 'blue' },
  }));
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant' as const,
    model: 'm',
    content: { type: 'text' as const, text: 'said by the model' },
  }));
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///project' }] }));
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  return client;
}

/** Subscribes a client of either era to a resource. Returns the updates that it gets, and a function that unsubscribes it. */
export async function subscribe(client: Client, era: Era, uri: string) {
  const updates: string[] = [];
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updates.push(params.uri);
  });
  if (era === '2026') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] });
    return { updates, unsubscribe: () => subscription.close() };
  }
  await client.subscribeResource({ uri });
  return {
    updates,
    unsubscribe: async () => {
      await client.unsubscribeResource({ uri });
    },
  };
}
