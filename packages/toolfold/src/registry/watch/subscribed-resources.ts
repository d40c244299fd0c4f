import { isJsonObject } from '@toolfold/schema/internal';

/** Starts to watch a resource, as `registry.watchResource` does. Returns a function that stops. */
export type WatchResource = (uri: string) => () => void;

export class SubscribedResources {
  readonly #stops = new Map<string, () => void>();

  /** Watches exactly these resources from now on. */
  sync(uris: readonly string[], watch: WatchResource): void {
    const wanted = new Set(uris);
    for (const [uri, stop] of this.#stops) {
      if (wanted.has(uri)) continue;
      this.#stops.delete(uri);
      stop();
    }
    for (const uri of wanted) if (!this.#stops.has(uri)) this.#stops.set(uri, watch(uri));
  }

  close(): void {
    this.sync([], () => () => undefined);
  }
}

/** Reads the URIs from a `subscriptions/listen` request of a 2026 client. */
export function listenedUris(params: unknown): readonly string[] {
  const { notifications } = isJsonObject(params) ? params : {};
  const { resourceSubscriptions: uris } = isJsonObject(notifications) ? notifications : {};
  if (!Array.isArray(uris)) return [];
  return uris.filter((uri): uri is string => typeof uri === 'string');
}

const filters = ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged', 'resourceSubscriptions'];
const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';

/**
 * Removes all parameters without effect from a `subscriptions/listen` request, because the message stays in memory until its
 * stream ends.
 */
export function trimListenParams(message: { params: unknown }): void {
  const { notifications, _meta } = message.params as { readonly [name: string]: unknown };
  const given = isJsonObject(notifications) ? notifications : {};
  const kept = Object.fromEntries(filters.filter((key) => key in given).map((key) => [key, given[key]]));
  const meta = { [VERSION]: isJsonObject(_meta) ? _meta[VERSION] : undefined, [CAPABILITIES]: {} };
  message.params = { notifications: isJsonObject(notifications) ? kept : notifications, _meta: meta };
}
