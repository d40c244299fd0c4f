import { ToolRegistry } from 'toolfold';
import { internalsOf, packageVersion, toLine, toWireName } from 'toolfold/internal';
import { untilAborted } from '@toolfold/schema/internal';
import { CommandError, hintNames, UsageError } from '@toolfold/analysis/internal';
import type { ConfiguredServer, GatewayConfig } from './config/read-config.js';
import { splitAddress, splitOverrides } from './config/read-overrides.js';
import type { OfferPlan } from './offer-tools.js';
import { ProxiedServer } from './proxied-server.js';
import { isOwnTool } from './proxy-parts.js';
import type { Proxy, ProxyParts } from './proxy-parts.js';
import type { ProxySettings } from './read-settings.js';

/** Milliseconds that the gateway waits for its servers. After that it serves those that have answered. */
const START_MS = 15_000;

export async function createGateway(config: GatewayConfig, parts: ProxyParts): Promise<Proxy> {
  const { settings, notices, signal, observe, own } = parts;
  const chosen = chooseServers(config, settings);
  const known = chosen.map(({ name }) => name);
  for (const notice of config.notices) notices.say(notice, { level: 'warn' });
  const { byServer, notices: unknown } = splitOverrides(
    settings.overrides?.file ?? '',
    settings.overrides?.tools ?? {},
    known,
  );
  for (const notice of unknown) notices.say(notice, { level: 'warn' });
  const registry = new ToolRegistry({
    name: 'gateway',
    version: packageVersion,
    ...(observe ? { observe } : {}),
  });
  const endOfStart = internalsOf(registry).preferFirstMounts();
  const started = chosen.map((entry) => {
    const { name, prefix, description, target } = entry;
    const mounted = new ToolRegistry({
      name,
      version: packageVersion,
      ...(settings.rateLimit === undefined
        ? {}
        : { rateLimiter: { calls: settings.rateLimit, windowMs: 60_000 } }),
    });
    registry.mount(prefix, mounted, { toolset: { name, description } });
    const server = new ProxiedServer({ name, target, notices, takesRoots: false });
    own(server);
    const plan = planOf(entry, settings, byServer.get(name) ?? {});
    const following = server.follow(mounted, { plan, signal, mustRun: false }).catch((error: unknown) => {
      // Keep serving the other servers if the tools of one cannot be offered.
      if (!signal.aborted)
        notices.say(`cannot be offered: ${describeError(error)}`, { level: 'error', server: name });
    });
    return { server, following };
  });
  const servers = started.map(({ server }) => server);
  await firstAttempts(
    started.map(({ following }) => following),
    signal,
  );
  // From now on, no server can take over items of another one.
  endOfStart();
  if (!servers.some(({ isUp }) => isUp)) reportNone(servers, parts);
  return {
    registry,
    servers,
    sessionKeys: [...new Set(chosen.flatMap(({ sessionKeys }) => sessionKeys))],
    addressOf: (name) => addressOf(name, chosen, settings),
    title: servers.length === 1 ? `the server "${servers[0]?.name}"` : `${servers.length} servers`,
  };
}

function describeError(error: unknown): string {
  return toLine(error instanceof Error ? error.message : String(error), 500);
}

async function firstAttempts(attempts: readonly Promise<void>[], signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, START_MS)));
  try {
    await untilAborted(Promise.race([Promise.allSettled(attempts), late]), signal);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Ends the proxy over stdio if no server works, because a stdio client would keep an empty tool list. Over HTTP, the proxy keeps
 * trying.
 */
function reportNone(servers: readonly ProxiedServer[], { settings, notices }: ProxyParts): void {
  const reasons = servers.map(({ name, reason }) => `"${name}"${reason === undefined ? '' : ` (${reason})`}`);
  const message = `no server can be reached: ${reasons.join(', ')}`;
  if (!settings.http)
    throw new CommandError(notices.redact(`${message[0]?.toUpperCase()}${message.slice(1)}.`));
  notices.say(`${message}. The gateway serves and keeps trying.`, { level: 'error' });
}

function chooseServers(
  { file, servers }: GatewayConfig,
  settings: ProxySettings,
): readonly ConfiguredServer[] {
  const names = servers.map(({ name }) => name);
  for (const name of settings.toolsets ?? [])
    if (!names.includes(name))
      throw new UsageError(`${file} has no server "${name}". ${hintNames(name, names)}`);
  for (const address of [...(settings.tools ?? []), ...(settings.excludeTools ?? []), ...settings.pinned])
    if (!splitAddress(address, names) && !isOwnTool(address, settings.form))
      throw new UsageError(
        `With --config, tools are written as server/tool, not "${address}". The servers are ${names.join(', ')}.`,
      );
  const wanted = settings.tools?.map((address) => splitAddress(address, names)?.server);
  const chosen = servers.filter(
    ({ name }) => (settings.toolsets?.includes(name) ?? true) && (wanted?.includes(name) ?? true),
  );
  if (chosen.length === 0) throw new UsageError('The options choose no server.');
  const personal = chosen.find(({ isComplete }) => !isComplete);
  if (personal && !settings.http)
    throw new UsageError(
      `The server "${personal.name}" needs values of the caller's session (${personal.sessionKeys.join(', ')}), which only HTTP clients can send. Add --http, or defaults: \${session:key:-default}.`,
    );
  return chosen;
}

function planOf(
  entry: ConfiguredServer,
  settings: ProxySettings,
  overrides: OfferPlan['overrides'],
): OfferPlan {
  const { name, description } = entry;
  const ofServer = (addresses: readonly string[] | undefined): readonly string[] | undefined =>
    addresses?.flatMap((address) => {
      const found = splitAddress(address, [name]);
      return found ? [found.tool] : [];
    });
  const { form, review, readOnly } = settings;
  return {
    server: name,
    label: name,
    choice: { tools: ofServer(settings.tools), excludeTools: ofServer(settings.excludeTools), readOnly },
    overrides,
    review,
    form,
    // No server name here, because mounting adds it as a prefix.
    groupName: 'tools',
    description,
    assertSession: entry.sessionKeys.length > 0 ? entry.assertSession : undefined,
    prefix: undefined,
  };
}

function addressOf(
  address: string,
  servers: readonly ConfiguredServer[],
  { overrides }: ProxySettings,
): string | undefined {
  const found = splitAddress(
    address,
    servers.map(({ name }) => name),
  );
  const server = servers.find(({ name }) => name === found?.server);
  if (!found || !server) return undefined;
  return `${server.prefix}:${overrides?.tools[address]?.name ?? toWireName(found.tool)}`;
}
