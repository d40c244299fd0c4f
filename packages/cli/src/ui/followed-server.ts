import { ToolRegistry } from 'toolfold';
import type { UpstreamToolDefinition } from '@toolfold/gateway';
import { assertChoice } from '../target/find-tool.js';
import { explainLost } from '../target/explain-failure.js';
import { assertInstalled } from '../target/open-server.js';
import { describeTarget } from '../target/read-target.js';
import type { ServerTarget } from '../target/read-target.js';
import { Secrets } from '../proxy/config/redact-secrets.js';
import { Notices } from '../proxy/notices.js';
import { ProxiedServer } from '../proxy/proxied-server.js';
import { ListedUpstream } from './listed-upstream.js';
import type { ShownServer, SourceOptions } from './shown-server.js';

export async function followServer(target: ServerTarget, options: SourceOptions): Promise<ShownServer> {
  const { terminal, signal, protocol, timeoutMs, toolsets, isJson } = options;
  assertInstalled('A running server needs', '@modelcontextprotocol/server');
  const secrets = secretsOf(target);
  const upstream = new ListedUpstream('command' in target ? 'stdio' : 'http');
  const server = new ProxiedServer({
    name: 'command' in target ? undefined : describeTarget(target),
    target,
    notices: new Notices(terminal, isJson, secrets),
    takesRoots: 'url' in target,
    onSkipped: upstream.leaveOut,
    protocol,
    timeoutMs,
  });
  try {
    const registry = await terminal.withNotice('connecting', connect(server, upstream, toolsets, signal));
    const { form = 'flat', profile = 'none', code } = options;
    return {
      loaded: { registry, found: describeTarget(target), view: { form, profile, code } },
      redact: secrets.redact,
      upstream: upstream.read,
      problem: () => describeHealth(server),
      onProblem: (listener) => server.loader.onHealth(() => listener()),
      close: () => server.close(),
    };
  } catch (error) {
    await server.close();
    throw explainLost(error, { target, timeoutMs });
  }
}

/** Collects the credentials of the command line, as they appear in headers, such as `Bearer …` or the token alone, and in the URL. */
function secretsOf(target: ServerTarget): Secrets {
  const secrets = new Secrets();
  if ('command' in target) return secrets;
  for (const value of Object.values(target.headers ?? {}))
    for (const secret of [value, ...value.split(' ').slice(1)]) secrets.add(secret);
  const { searchParams, search, password } = new URL(target.url);
  for (const value of searchParams.values()) secrets.add(value);
  // Values in the query may be escaped.
  for (const pair of search.slice(1).split('&')) secrets.add(pair.slice(pair.indexOf('=') + 1));
  secrets.add(password);
  return secrets;
}

async function connect(
  server: ProxiedServer,
  upstream: ListedUpstream,
  toolsets: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<ToolRegistry> {
  const choice = { toolsets };
  assertChoice(await server.list(signal), choice);
  const { name = 'server', version = '0.0.0', instructions } = server.loader.server ?? {};
  const registry = new ToolRegistry({
    name,
    version,
    ...(instructions === undefined ? {} : { instructions }),
  });
  await server.follow(registry, {
    plan: {
      server: name,
      label: undefined,
      choice,
      overrides: {},
      review: undefined,
      // The page lists the server's tools in any form, so they are mounted flat.
      form: 'flat',
      groupName: name,
      description: undefined,
      prefix: undefined,
    },
    signal,
    mustRun: true,
    // In the flat form, each item is a tool.
    onOffered: (items) => upstream.offer(items as readonly UpstreamToolDefinition[]),
  });
  return registry;
}

function describeHealth(server: ProxiedServer): string | undefined {
  if (server.loader.health.state !== 'down') return undefined;
  const { reason = 'it does not answer.' } = server;
  return `The server is down: ${reason}\nIts tools are missing until it answers.`;
}
