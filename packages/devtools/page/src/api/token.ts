const KEY = 'toolfold-token';

const waiting = new Set<() => void>();
let current = takeFromAddress() ?? sessionStorage.getItem(KEY) ?? '';
useTicket();

/** Returns the token for requests, or an empty text if the page has none. */
export function currentToken(): string {
  return current;
}

/** Resolves when the page gets another token. */
export function untilTokenChanges(): Promise<void> {
  return new Promise((resolve) => void waiting.add(resolve));
}

/**
 * Moves the token from the fragment of the address, which browsers never send, to the session storage of the tab, so that the
 * fragment can hold the route and the address can be shared.
 */
function takeFromAddress(route = '#/surface'): string | undefined {
  const [, token] = /^#token=([\w-]+)/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  sessionStorage.setItem(KEY, token);
  history.replaceState(history.state, '', `${location.pathname}${route}`);
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

/**
 * Handles an address with a token that is pasted into this tab, which does not reload the page. Keeps the route. `isValid` says
 * whether the server accepts the current token.
 */
export function followAddress(isValid: () => boolean): void {
  addEventListener('hashchange', ({ oldURL }) => {
    const token = takeFromAddress(new URL(oldURL).hash);
    if (token === undefined || token === current) return;
    // The server has not accepted this token yet, so keep an open page only if its own token is valid.
    if (isValid()) location.reload();
    else adopt(token);
  });
}

/** A ticket names the channel on which one tab gets the token. Other scripts of the origin cannot guess it. */
function channelOf(ticket: string): BroadcastChannel {
  return new BroadcastChannel(`${KEY}-${ticket}`);
}

/** Maximum number of valid tickets. */
const MAX_TICKETS = 20;

/**
 * Adds a ticket to a link before the browser opens it in a new tab, whose storage has no token. Restores the address after any
 * other use of the link.
 */
export function giveTickets(isValid: () => boolean): void {
  const given: BroadcastChannel[] = [];
  let changed: { readonly link: Element; readonly href: string } | undefined;
  const prepare = (event: MouseEvent): void => {
    // A right click fires "auxclick" after its menu has opened, and the menu still needs the ticket.
    if (event.type === 'auxclick' && event.button !== 1) return;
    if (changed) changed.link.setAttribute('href', changed.href);
    changed = undefined;
    const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
    const opensTab = event.type !== 'click' || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!link || !opensTab || !isValid()) return;
    const href = link.getAttribute('href') ?? '';
    changed = { link, href };
    const ticket = crypto.randomUUID();
    const channel = channelOf(ticket);
    channel.addEventListener('message', () => {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A BroadcastChannel reaches only its own origin.
      channel.postMessage(current);
      channel.close();
    });
    if (given.push(channel) > MAX_TICKETS) given.shift()?.close();
    link.setAttribute('href', `#ticket=${ticket}${href.slice(1)}`);
  };
  for (const type of ['click', 'auxclick', 'contextmenu'] as const) addEventListener(type, prepare, true);
}

/** Exchanges the ticket in the address for the token. */
function useTicket(): void {
  const [, ticket, route = ''] = /^#ticket=([\w-]+)(\/.*)$/s.exec(location.hash) ?? [];
  if (ticket === undefined) return;
  history.replaceState(history.state, '', `#${route}`);
  const channel = channelOf(ticket);
  channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
    adopt(data);
    channel.close();
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- A BroadcastChannel reaches only its own origin.
  channel.postMessage('');
}
