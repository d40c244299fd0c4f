const KEY = 'toolfold-token';

/**
 * The token of the address. It arrives in the fragment, which browsers never send, and moves to the storage of the tab, so that the
 * fragment can hold the route and the address can be shared without it.
 */
export function readToken(): string {
  const [, token] = /^#token=([\w-]+)/.exec(location.hash) ?? [];
  if (token !== undefined) {
    sessionStorage.setItem(KEY, token);
    history.replaceState(undefined, '', `${location.pathname}#/surface`);
  }
  return sessionStorage.getItem(KEY) ?? '';
}

/** Takes the token of an address that is pasted into an open tab, which does not load the page again by itself. */
export function followToken(): void {
  addEventListener('hashchange', () => {
    const before = sessionStorage.getItem(KEY) ?? '';
    if (readToken() !== before) location.reload();
  });
}
