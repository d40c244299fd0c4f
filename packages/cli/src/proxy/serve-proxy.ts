import { ErrInvalidPolicy } from 'toolfold/errors';
import { serveHttp, serveStdio } from 'toolfold/node';
import type { SearchSidecar } from '@toolfold/search';
import { internalsOf, isSearchForm, toLine } from 'toolfold/internal';
import type { OfferedView, ToolsetConfig } from 'toolfold/web';
import { exitCodes } from '@toolfold/analysis/internal';
import { untilSignal } from '../terminal/terminal.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Notices } from './notices.js';
import { isOwnTool } from './proxy-parts.js';
import type { Proxy } from './proxy-parts.js';
import type { HttpSettings, ProxySettings } from './read-settings.js';

/** Milliseconds that calls in flight get to finish when the proxy stops. */
const GRACE_MS = 10_000;

export async function serveProxy(
  proxied: Proxy,
  settings: ProxySettings,
  notices: Notices,
  terminal: Terminal,
): Promise<number> {
  const { registry, sessionKeys } = proxied;
  const onError = (error: unknown): void => {
    // The proxy checks the search file against all tools at its start.
    if (error instanceof ErrInvalidPolicy && 'addresses' in error.details) return;
    notices.say(error instanceof Error ? error.message : String(error), { level: 'error' });
  };
  const common = { view: viewOf(proxied, settings), closeOnSignals: false, graceMs: GRACE_MS, onError };
  if (!settings.http) {
    const running = serveStdio(registry, common);
    await untilSignal(terminal.host, running.ended);
    await running.close();
    return exitCodes.done;
  }
  const running = await serveHttp(registry, {
    ...common,
    ...listenOptions(settings.http),
    ...(sessionKeys.length > 0 ? { toolsets: sessionToolsets(sessionKeys) } : {}),
    isReady: () => proxied.servers.some(({ isUp }) => isUp),
    health: () => ({ servers: statesOf(proxied) }),
  });
  announce(proxied, settings, running.url, terminal);
  await untilSignal(terminal.host);
  await running.close();
  return exitCodes.done;
}

function listenOptions({ port, host, allowedHosts, auth }: HttpSettings) {
  return {
    port,
    ...(host === undefined ? {} : { host }),
    ...(allowedHosts ? { allowedHosts } : {}),
    ...(auth ? { auth } : {}),
  };
}

/** Reports the state of each server, without addresses and reasons, because anybody can read it. */
function statesOf({ servers }: Proxy): Record<string, unknown> {
  return Object.fromEntries(servers.map(({ name, state }) => [name, state]));
}

function announce(proxied: Proxy, { form, isJson }: ProxySettings, url: string, terminal: Terminal): void {
  const { servers, title, registry } = proxied;
  const tools = servers.reduce((sum, { counts }) => sum + counts.tools, 0);
  if (isJson) {
    const states =
      servers.length > 1 || internalsOf(registry).mounted.size > 0 ? { servers: statesOf(proxied) } : {};
    terminal.printJson({ url, server: registry.name, tools, form, ...states }, 0);
  } else
    terminal.print(
      `Serving ${tools} ${tools === 1 ? 'tool' : 'tools'} of ${toLine(title)} in the ${form} form at ${url}`,
    );
}

/** Reads the session values of callers from one header. Treats all of them as credentials. */
function sessionToolsets(keys: readonly string[]): ToolsetConfig {
  return {
    catalog: {},
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    sessionContext: {
      header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys: keys },
      credentialKeys: keys,
    },
  };
}

function viewOf({ addressOf }: Proxy, { form, code, profile, pinned, words }: ProxySettings): OfferedView {
  if (!isSearchForm(form)) return { form, profile };
  const search = words ? { sidecar: withAddresses(words.sidecar, addressOf) } : {};
  const names = pinned.map((name) => (isOwnTool(name, form) ? name : (addressOf(name) ?? name)));
  // The tools of a server are missing while it is down.
  return { form, code, profile, pinned: names, optionalPins: true, search };
}

function withAddresses({ version, tools }: SearchSidecar, addressOf: Proxy['addressOf']): SearchSidecar {
  const entries = Object.entries(tools).map(([name, words]) => [addressOf(name) ?? name, words] as const);
  return { version, tools: Object.fromEntries(entries) };
}
