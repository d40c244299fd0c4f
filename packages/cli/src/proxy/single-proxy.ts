import { ToolRegistry } from 'toolfold';
import { toWireName } from 'toolfold/internal';
import { warnOfUnknownAddresses } from '../search/read-sidecar.js';
import { explainLost } from '../target/explain-failure.js';
import { assertChoice, selectTools } from '../target/find-tool.js';
import { assertKnown, CommandError } from '@toolfold/analysis/internal';
import { describeTarget } from '../target/read-target.js';
import type { ServerTarget } from '../target/read-target.js';
import { isOwnTool } from './proxy-parts.js';
import type { Proxy, ProxyParts } from './proxy-parts.js';
import { nameOf } from './offer-tools.js';
import { ProxiedServer } from './proxied-server.js';

export async function createSingleProxy(target: ServerTarget, parts: ProxyParts): Promise<Proxy> {
  const { settings, notices, signal, observe, own } = parts;
  const { form, prefix, http, review, rateLimit, pinned, words } = settings;
  const overrides = settings.overrides?.tools ?? {};
  const server = new ProxiedServer({
    name: prefix ?? ('command' in target ? undefined : describeTarget(target)),
    target,
    notices,
    // Over stdio, the proxy has a single client, so roots of different callers cannot be mixed up.
    takesRoots: http === undefined && 'url' in target,
  });
  own(server);
  const tools = await server.list(signal).catch((error: unknown) => {
    throw explainLost(error, { target, timeoutMs: undefined });
  });
  assertChoice(tools, settings);
  const names = new Set(selectTools(tools, settings).map((tool) => tool.name));
  for (const name of pinned) if (!isOwnTool(name, form)) assertKnown('tool', name, [...names]);
  if (words)
    warnOfUnknownAddresses(words.file, words.sidecar, new Set(tools.map(({ name }) => name)), (message) =>
      notices.say(message, { level: 'warn' }),
    );
  const { name = 'proxy', version = '0.0.0', instructions } = server.loader.server ?? {};
  const registry = new ToolRegistry({
    name,
    version,
    // A lockfile does not contain instructions, so they have not been reviewed.
    ...(instructions === undefined || review ? {} : { instructions }),
    ...(rateLimit === undefined ? {} : { rateLimiter: { calls: rateLimit, windowMs: 60_000 } }),
    ...(observe ? { observe } : {}),
  });
  await server.follow(registry, {
    plan: {
      server: name,
      label: undefined,
      choice: settings,
      overrides,
      review,
      form,
      groupName: prefix ?? toWireName(name),
      description: undefined,
      prefix,
    },
    signal,
    mustRun: true,
  });
  if (server.counts.tools === 0) {
    const { quarantined } = server.counts;
    throw new CommandError(
      quarantined > 0
        ? `All ${quarantined} tools of the server differ from ${review?.file}.`
        : 'No tool of the server matches the options.',
    );
  }
  return {
    registry,
    servers: [server],
    sessionKeys: [],
    addressOf: (tool) => nameOf(overrides[tool]?.name ?? tool, prefix),
    title: `"${name}"`,
  };
}
