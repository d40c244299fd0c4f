import { contextHashOf } from '../../engine/request-context.js';
import type { RequestOptions } from '../../engine/request.js';
import type { ReportFault } from '../../engine/request.js';
import { getOrMake } from '../../values/get-or-make.js';

/** A watch keeps only this part of a request, because it outlives the request. */
export type WatchRequest = Pick<RequestOptions, 'session'> & { readonly onError?: ReportFault | undefined };

export interface UpdateSource {
  /** Equal for two sources that need no restart when one replaces the other. */
  readonly identity: unknown;
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
 * starts with the first of them and stops with the last. `onGap` is called when updates continue after an interruption.
 */
export function createResourceWatches(
  find: (uri: string, request: WatchRequest) => UpdateSource | undefined,
  onGap: (uri: string) => void,
) {
  const watches = new Map<string, Watched>();
  const connect = (watched: Watched): void => {
    const source = find(watched.uri, watched.request);
    if (source?.identity === watched.identity) return;
    if (watched.identity !== undefined) watched.hasGap = true;
    disconnect(watched);
    if (!source) return;
    watched.identity = source.identity;
    try {
      watched.stop = source.start();
    } catch (error) {
      watched.request.onError?.(error);
    }
    if (!watched.hasGap) return;
    watched.hasGap = false;
    // The registry is telling its listeners of the change that led here.
    queueMicrotask(() => onGap(watched.uri));
  };
  return {
    watch: (uri: string, { session, onError }: WatchRequest): (() => void) => {
      const key = JSON.stringify([contextHashOf({ session }) ?? null, uri]);
      const request = { session, onError };
      const watched = getOrMake(watches, key, () => ({
        uri,
        request,
        users: 0,
        identity: undefined,
        stop: undefined,
        hasGap: false,
      }));
      if (watched.users === 0) connect(watched);
      watched.users++;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        watched.users--;
        if (watched.users > 0) return;
        watches.delete(key);
        disconnect(watched);
      };
    },
    /** Call it after resources were added or removed, because watched resources may have other sources then. */
    refresh: (): void => {
      for (const watched of Array.from(watches.values())) connect(watched);
    },
  };
}

function disconnect(watched: Watched): void {
  const { stop, request } = watched;
  watched.stop = undefined;
  watched.identity = undefined;
  try {
    stop?.();
  } catch (error) {
    request.onError?.(error);
  }
}
