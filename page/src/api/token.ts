const KEY = 'toolfold-token';

let current = takeFromAddress() ?? sessionStorage.getItem(KEY) ?? '';
const waiting = new Set<() => void>();

/** The token that every request carries; empty if the page has none. */
export function currentToken(): string {
  return current;
}

/** Resolves when the page gets another token. */
export function untilTokenChanges(): Promise<void> {
  return new Promise((resolve) => void waiting.add(resolve));
}

/**
 * The token of the address. It arrives in the fragment, which browsers never send, and moves to the storage of the tab, so that the
 * fragment can hold the route and the address can be shared without it.
 */
function takeFromAddress(): string | undefined {
  const [, token] = /^#token=([\w-]+)/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  sessionStorage.setItem(KEY, token);
  history.replaceState(history.state, '', `${location.pathname}#/surface`);
  return token;
}

function adopt(token: string): void {
  if (token === current) return;
  current = token;
  sessionStorage.setItem(KEY, token);
  const resolves = [...waiting];
  waiting.clear();
  for (const resolve of resolves) resolve();
}

let channel: BroadcastChannel | undefined;

/**
 * Takes the token of an address that is pasted into this tab, which does not load the page again by itself, and shares the token with
 * the other tabs of this origin: a link that is opened in a new tab has none, and a server that was started again has a new one.
 * `isValid` tells whether the server accepts the current token.
 */
export function shareToken(isValid: () => boolean): void {
  addEventListener('hashchange', () => {
    const token = takeFromAddress();
    if (token === undefined || token === current) return;
    // The server has not accepted this token yet, so an open page is not valid until it has.
    if (isValid()) location.reload();
    else adopt(token);
  });
  channel = new BroadcastChannel(KEY);
  channel.addEventListener('message', ({ data }: MessageEvent<{ readonly token?: string }>) => {
    if (data.token === undefined) offerToken(isValid);
    else if (!isValid()) adopt(data.token);
  });
}

/** Sends a valid token to the tabs that have none. */
export function offerToken(isValid: () => boolean): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A BroadcastChannel reaches only its own origin.
  if (isValid()) channel?.postMessage({ token: current });
}

/** Asks the other tabs for a valid token. */
export function askForToken(): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A BroadcastChannel reaches only its own origin.
  channel?.postMessage({});
}
