import { ErrUpstreamLost } from '../../errors.js';
import { ToolRegistry } from '../../index.js';
import { toWireName } from '../../protocol/wire-name.js';
import { fromMcpServer, serveHttp, serveStdio } from '../../node.js';
import type { UpstreamLoader, UpstreamTarget, UpstreamToolDefinition } from '../../node.js';
import { CommandError, exitCodes, UsageError } from '../terminal/exit-codes.js';
import { foldTools } from './fold-tools.js';
import { assertInstalled } from '../target/load-client.js';
import type { Form } from '../target/open-target.js';
import { passOn, print, printJson, say, toLine, withNotice } from '../terminal/output.js';
import { untilAborted } from '../terminal/deadline.js';
import { describeOptions, readArguments, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import { readServer } from '../target/read-target.js';
import { assertChoice, assertKnown, selectTools } from '../target/select-tools.js';
import type { ToolChoice } from '../target/select-tools.js';
import { readForm } from '../target/target-options.js';
import { untilAskedToEnd } from './until-asked-to-end.js';
import { withSignals } from '../terminal/with-signals.js';

export const proxySpecs: OptionSpecs = {
  http: {
    value: 'port',
    withoutValue: '3000',
    help: 'Serve HTTP on this machine, in place of standard input and output',
  },
  form: { value: 'grouped|flat|search', help: 'How the tools are offered. Default: grouped' },
  toolsets: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only tools whose names begin with one of these words',
  },
  tools: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only these tools, by the names that the server gives them',
  },
  'exclude-tools': { value: 'a,b', isRepeatable: true, help: 'None of these tools' },
  readonly: { help: 'Only tools that say that they change nothing' },
  pinned: { value: 'a,b', isRepeatable: true, help: 'With --form search: tools that stay listed' },
  prefix: { value: 'name', help: 'Begins the names of the tools; the name of the tool in the grouped form' },
  header: { value: 'name:value', isRepeatable: true, help: 'Sent to the server with every request' },
  json: { help: 'With --http: say where it serves, or what went wrong, as a line of JSON' },
  help: { help: 'Show this' },
};

export const proxyHelp = `Offers another MCP server in another form.

Usage:
  toolfold proxy [options] -- command [arguments]
  toolfold proxy [options] https://address

Options:
${describeOptions(proxySpecs)}

Examples:
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
  toolfold proxy --form search --readonly -- npx -y @modelcontextprotocol/server-filesystem .
  toolfold proxy --http 8080 --header "Authorization: Bearer $TOKEN" https://example.com/mcp

It ends with 0 when it is asked to end, 1 when the server cannot be reached or nothing can be served, 2 when the command
line is wrong, and 130 on Ctrl-C before it serves.
`;

interface ProxySettings extends ToolChoice {
  readonly target: UpstreamTarget;
  readonly form: Form;
  readonly port: number | undefined;
  readonly prefix: string | undefined;
  readonly pinned: readonly string[];
  readonly isJson: boolean;
}

/** Runs until it is asked to end. */
export async function proxy(argv: readonly string[]): Promise<number> {
  const read = readArguments(argv, proxySpecs);
  if (read.options.has('help')) {
    print(proxyHelp);
    return exitCodes.done;
  }
  const settings = readSettings(read);
  assertInstalled('toolfold proxy needs', '@modelcontextprotocol/client', '@modelcontextprotocol/server');
  const { target, form, prefix } = settings;
  const skipped = new Set<string>();
  let isServing = false;
  const upstream = fromMcpServer(target, {
    ...(prefix === undefined ? {} : { name: prefix }),
    // Lists are read again when they change; what is left out is said once.
    onSkipped: (name, reason) => {
      if (!skipped.has(name)) say(`left out "${toLine(name)}": ${toLine(reason)}`);
      skipped.add(name);
    },
    onStderr: passOn,
    onError: (error) => {
      // What the client tells about its streams is of no use to anybody here.
      if (isServing && error instanceof ErrUpstreamLost) say(error.message);
    },
    // The server is then there for the one client that started us.
    roots: settings.port === undefined && 'url' in target,
  });
  try {
    const tools = await withSignals((signal) => withNotice('connecting', untilAborted(upstream(), signal)));
    assertChoice(tools, settings);
    if (form === 'search')
      for (const name of settings.pinned)
        assertKnown(
          'tool',
          name,
          selectTools(tools, settings).map((tool) => tool.name),
        );
    isServing = true;
    return await serve(upstream, tools, settings);
  } finally {
    await upstream.close();
  }
}

async function serve(
  upstream: UpstreamLoader,
  tools: readonly UpstreamToolDefinition[],
  settings: ProxySettings,
): Promise<number> {
  const { name = 'proxy', version = '0.0.0', instructions } = upstream.server ?? {};
  const registry = new ToolRegistry({
    name,
    version,
    ...(instructions === undefined ? {} : { instructions }),
  });
  const count = offer(registry, tools, settings);
  if (count === 0) throw new CommandError('the server has no tool that is chosen');
  const forget = upstream.onChange(follow(registry, upstream, settings));
  const view = viewOf(settings);
  try {
    if (settings.port === undefined) {
      const running = serveStdio(registry, { view, closeOnSignals: false, onError });
      await untilAskedToEnd(running.ended);
      await running.close();
    } else {
      const running = await serveHttp(registry, {
        view,
        port: settings.port,
        closeOnSignals: false,
        onError,
      });
      announce(running.url, name, count, settings);
      await untilAskedToEnd();
      await running.close();
    }
  } finally {
    forget();
  }
  return exitCodes.done;
}

function announce(url: string, name: string, count: number, { form, isJson }: ProxySettings): void {
  if (isJson) return printJson({ url, server: name, tools: count, form }, 0);
  const text = `Serving ${count} ${count === 1 ? 'tool' : 'tools'} of "${toLine(name)}" in the form ${form} at ${url}`;
  print(text);
}

/** Registers what is chosen, and says how many tools of the server that are. */
function offer(
  registry: ToolRegistry,
  tools: readonly UpstreamToolDefinition[],
  settings: ProxySettings,
): number {
  const chosen = selectTools(tools, settings);
  if (chosen.length === 0) return 0;
  const { form, prefix } = settings;
  if (form === 'grouped') registry.register(foldTools(prefix ?? toWireName(registry.name), chosen));
  else registry.register(...chosen.map((tool) => ({ ...tool, name: nameOf(tool.name, prefix) })));
  return chosen.length;
}

/** When the server lists other tools, those are offered. Where that is not possible, the last ones stay. */
function follow(registry: ToolRegistry, upstream: UpstreamLoader, settings: ProxySettings): () => void {
  let last: Promise<void> = Promise.resolve();
  const update = async (): Promise<void> => {
    try {
      const tools = await upstream();
      const names = new Set(selectTools(tools, settings).map(({ name }) => name));
      const gone = settings.pinned.find((name) => !names.has(name));
      if (gone !== undefined && settings.form === 'search') throw new Error(`"${gone}" is pinned, and gone`);
      registry.clear();
      offer(registry, tools, settings);
    } catch (error) {
      say(
        `the list of tools has changed and is not followed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  return () => {
    last = last.then(update);
  };
}

function viewOf({ form, pinned, prefix }: ProxySettings) {
  if (form !== 'search') return { form };
  return { form, pinned: pinned.map((name) => nameOf(name, prefix)) };
}

function nameOf(name: string, prefix: string | undefined): string {
  return prefix === undefined ? name : toWireName(prefix, name);
}

function readSettings(read: ReadArguments): ProxySettings {
  const { options } = read;
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const form = readForm(one('form')) ?? 'grouped';
  const pinned = readList(options.get('pinned')) ?? [];
  if (pinned.length > 0 && form !== 'search') throw new UsageError('--pinned is for --form search.');
  const port = one('http');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`--http needs a port from 0 to 65535, not "${port}".`);
  const isJson = options.has('json');
  if (isJson && port === undefined)
    throw new UsageError('--json is for --http: otherwise MCP has the output.');
  const prefix = one('prefix');
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw new UsageError('--prefix must be at most 32 letters, digits, _ and -.');
  const { target, others } = readServer(read);
  if (others.length > 0) throw new UsageError(`"${others[0]}" is too much. See toolfold proxy --help.`);
  return {
    target,
    form,
    port: port === undefined ? undefined : Number(port),
    prefix,
    pinned,
    isJson,
    toolsets: readList(options.get('toolsets')),
    tools: readList(options.get('tools')),
    excludeTools: readList(options.get('exclude-tools')),
    readOnly: options.has('readonly'),
  };
}

function onError(error: unknown): void {
  say(error instanceof Error ? error.message : String(error));
}
