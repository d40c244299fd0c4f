import { createUpstreamFetch } from '../serve/upstream-fetch.js';
import { CommandError } from './exit-codes.js';
import { toLine } from './output.js';

const MAX_REDIRECTS = 3;

/**
 * `fetch` for a server that need not be trusted. Messages are bounded, and headers go nowhere but to the origin that
 * was written: another one is told, and not followed.
 */
export function createFetch(address: string, maxBytes: number): typeof fetch {
  const request = createUpstreamFetch(withoutQuery(address), maxBytes);
  return async (input, init) => {
    let url = new URL(input instanceof Request ? input.url : String(input));
    for (let count = 0; ; count++) {
      const response = await request(url, { ...init, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const keepsMethod = response.status === 307 || response.status === 308;
      if (next?.origin !== url.origin || !keepsMethod || count >= MAX_REDIRECTS)
        throw new CommandError(
          `${withoutQuery(url.href)} redirects to ${toLine(withoutQuery(next?.href ?? location), 200)}, which is not followed. ` +
            'Write that address where it is meant.',
        );
      url = next;
    }
  };
}

/** An address to show: what stands in a query, or before the host, may be a secret. */
export function withoutQuery(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  const hasQuery = url.search !== '';
  url.search = '';
  url.username = '';
  url.password = '';
  return hasQuery ? `${url.href}?…` : url.href;
}
