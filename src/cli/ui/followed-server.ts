import { ToolRegistry } from '../../index.js';
import type { UpstreamToolDefinition } from '../../node.js';
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

/** Connects to a server, and keeps its tools, prompts and resources up to date in a registry. Calls are forwarded. */
export async function followServer(target: ServerTarget, options: SourceOptions): Promise<ShownServer> {
  const { terminal, signal, protocol, timeoutMs, toolsets, isJson } = options;
  assertInstalled('A running server needs', '@modelcontextprotocol/client', '@modelcontextprotocol/server');
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

/** The credentials of the command line: in headers, such as `Bearer …` and the token alone, and in the URL. */
function secretsOf(target: ServerTarget): Secrets {
  const secrets = new Secrets();
  if ('command' in target) return secrets;
  for (const value of Object.values(target.headers ?? {}))
    for (const secret of [value, ...value.split(' ').slice(1)]) secrets.add(secret);
  const { searchParams, search, password } = new URL(target.url);
  for (const value of searchParams.values()) secrets.add(value);
  // The same values as they are written in the URL.
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
      // The page shows the tools as the server lists them, in every form.
      form: 'flat',
      groupName: name,
      description: undefined,
      prefix: undefined,
    },
    signal,
    mustRun: true,
    // The flat form has one item for each tool.
    onOffered: (items) => upstream.offer(items as readonly UpstreamToolDefinition[]),
  });
  return registry;
}

function describeHealth(server: ProxiedServer): string | undefined {
  if (server.loader.health.state !== 'down') return undefined;
  const { reason = 'it does not answer.' } = server;
  return `The server is down: ${reason}\nIts tools are missing until it answers.`;
}
