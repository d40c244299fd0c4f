import { isJsonObject } from '../../values/json-value.js';

/** Starts to watch a resource, as `registry.watchResource` does. Returns a function that stops. */
export type WatchResource = (uri: string) => () => void;

/** Maximum number of resources that one 2026 client can watch with one stream. */
const MAX_LISTENED = 1_000;

/** The resources that one client is subscribed to. */
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

  /** Stops watching. */
  close(): void {
    this.sync([], () => () => undefined);
  }
}

/** The URIs that a `subscriptions/listen` request of a 2026 client names. */
export function listenedUris(params: unknown): readonly string[] {
  const { notifications } = isJsonObject(params) ? params : {};
  const { resourceSubscriptions: uris } = isJsonObject(notifications) ? notifications : {};
  if (!Array.isArray(uris)) return [];
  return uris.filter((uri): uri is string => typeof uri === 'string').slice(0, MAX_LISTENED);
}
