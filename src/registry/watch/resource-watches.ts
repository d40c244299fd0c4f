import { contextHashOf } from '../../engine/request-context.js';
import type { RequestOptions } from '../../engine/request.js';

/** The part of a request that a watch keeps. It outlives the request. */
export type WatchRequest = Pick<RequestOptions, 'session' | 'onFault'>;

/** The origin of the updates of a resource. */
export interface UpdateSource {
  /** Equal for two sources that need no restart when one replaces the other. */
  readonly identity: unknown;
  /** Starts the updates. Returns a function that stops them. */
  readonly start: () => (() => void) | undefined;
}

interface Watched {
  readonly uri: string;
  readonly request: WatchRequest;
  users: number;
  identity: unknown;
  stop: (() => void) | undefined;
  /** Whether the resource had a source that was lost or replaced, so that updates may have been missed. */
  hasGap: boolean;
}

/**
 * The resources that clients of a registry are subscribed to. Subscribers with the same session context share one source, which
 * starts with the first of them and stops with the last.
 */
export class ResourceWatches {
  readonly #watched = new Map<string, Watched>();
  readonly #find: (uri: string, request: WatchRequest) => UpdateSource | undefined;
  readonly #onGap: (uri: string) => void;

  /** `find` returns the source of a resource; `onGap` is called when its updates continue after an interruption. */
  constructor(
    find: (uri: string, request: WatchRequest) => UpdateSource | undefined,
    onGap: (uri: string) => void,
  ) {
    this.#find = find;
    this.#onGap = onGap;
  }

  /** Adds a subscriber. Returns a function that removes it. */
  watch(uri: string, { session, onFault }: WatchRequest): () => void {
    const key = JSON.stringify([contextHashOf({ session }) ?? null, uri]);
    let watched = this.#watched.get(key);
    if (!watched) {
      const request = { session, onFault };
      watched = { uri, request, users: 0, identity: undefined, stop: undefined, hasGap: false };
      this.#watched.set(key, watched);
      this.#connect(watched);
    }
    watched.users++;
    const held = watched;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      held.users--;
      if (held.users > 0) return;
      this.#watched.delete(key);
      disconnect(held);
    };
  }

  /** Finds the sources again, because resources were added or removed. */
  refresh(): void {
    for (const watched of Array.from(this.#watched.values())) this.#connect(watched);
  }

  #connect(watched: Watched): void {
    const source = this.#find(watched.uri, watched.request);
    if (source?.identity === watched.identity) return;
    if (watched.identity !== undefined) watched.hasGap = true;
    disconnect(watched);
    if (!source) return;
    watched.identity = source.identity;
    try {
      watched.stop = source.start();
    } catch (error) {
      watched.request.onFault?.(error);
    }
    if (!watched.hasGap) return;
    watched.hasGap = false;
    // The registry is telling its listeners of the change that led here.
    queueMicrotask(() => this.#onGap(watched.uri));
  }
}

function disconnect(watched: Watched): void {
  const { stop, request } = watched;
  watched.stop = undefined;
  watched.identity = undefined;
  try {
    stop?.();
  } catch (error) {
    request.onFault?.(error);
  }
}
