import { ErrInvalidPolicy, ErrUpstreamLost } from '../../errors.js';
import { GroupedToolBuilder, ToolRegistry } from '../../index.js';
import { fromMcpServer, serveHttp, serveStdio } from '../../node.js';
import type { UpstreamLoader, UpstreamTarget, UpstreamToolDefinition } from '../../node.js';
import type { ProfileName } from '../../profiles/profile.js';
import { toWireName } from '../../protocol/wire-name.js';
import { untilAborted } from '../../upstream/connect.js';
import { isJsonObject } from '../../values/json-value.js';
import type { SearchSidecar } from '../../search.js';
import { searchToolNames } from '../../search/form/search-form.js';
import { isSearchForm } from '../../views/offers.js';
import type { OfferedView } from '../../web.js';
import { readSidecarFile, warnOfUnknownAddresses } from '../search/read-sidecar.js';
import { assertInstalled } from '../target/open-server.js';
import type { Form, Selection } from '../target/opened-target.js';
import { describeForms, readFormOptions, readProfile, readServer } from '../target/read-target.js';
import { assertChoice, assertKnown, selectTools } from '../target/find-tool.js';
import type { ToolChoice } from '../target/find-tool.js';
import {
  CommandError,
  exitCodes,
  UsageError,
  toLine,
  untilSignal,
  withSignals,
} from '../terminal/terminal.js';
import { describeOptions, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../terminal/read-arguments.js';
import type { Terminal } from '../terminal/terminal.js';

export const proxySpecs: OptionSpecs = {
  http: {
    value: 'port',
    withoutValue: '3000',
    help: 'Serve HTTP on 127.0.0.1 instead of standard input and output. Default port: 3000',
  },
  ...describeForms('Form in which the tools are offered. Default: grouped'),
  profile: {
    value: 'name|client',
    help: 'Client or model API that must accept the tools, or client to choose by the client. Default: portable',
  },
  toolsets: {
    value: 'a,b',
    isRepeatable: true,
    help: 'Only tools whose names start with one of these words',
  },
  tools: { value: 'a,b', isRepeatable: true, help: 'Only these tools, by their names on the server' },
  'exclude-tools': { value: 'a,b', isRepeatable: true, help: 'Leave these tools out' },
  readonly: { help: 'Only tools that are marked read-only' },
  pinned: {
    value: 'a,b',
    isRepeatable: true,
    help: 'With --form search or code: tools that are always listed',
  },
  'search-file': {
    value: 'file',
    help: 'With --form search or code: keywords by the names of tools on the server, as toolfold search draft writes them',
  },
  prefix: { value: 'name', help: 'Prefix of the tool names; in the grouped form, the name of the tool' },
  header: { value: 'name:value', isRepeatable: true, help: 'HTTP header for every request to the server' },
  json: { help: 'With --http: print the address, or the error, as one line of JSON' },
  help: { help: 'Show this help' },
};

export const proxyHelp = `Serve another MCP server in a different form.

Usage:
  toolfold proxy [options] -- <command> [arguments]
  toolfold proxy [options] <url>

Options:
${describeOptions(proxySpecs)}

Examples:
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
  toolfold proxy --form search --readonly -- npx -y @modelcontextprotocol/server-filesystem .
  toolfold proxy --form search --search-file search.json -- npx -y some-server
  toolfold proxy --form code --code-allow write -- npx -y @modelcontextprotocol/server-everything
  toolfold proxy --form flat --profile gemini -- npx -y @modelcontextprotocol/server-everything
  toolfold proxy --http 8080 --header "Authorization: Bearer $TOKEN" https://example.com/mcp

Exit codes:
  0    the proxy was stopped
  1    the server cannot be reached, or nothing can be served
  2    the command line is invalid
  130  Ctrl-C before the proxy serves
`;

interface ProxySettings extends ToolChoice {
  readonly target: UpstreamTarget;
  readonly form: Form;
  readonly code: Selection['code'];
  readonly profile: ProfileName | 'client' | undefined;
  readonly port: number | undefined;
  readonly prefix: string | undefined;
  readonly pinned: readonly string[];
  /** The search file and its content. */
  readonly words: { readonly file: string; readonly sidecar: SearchSidecar } | undefined;
  readonly isJson: boolean;
}

/** Serves another server until a signal, or the end of the client, stops it. */
export async function proxy(read: ReadArguments, terminal: Terminal): Promise<number> {
  const settings = readSettings(read);
  const { target, form, prefix } = settings;
  assertInstalled(
    form === 'code' ? 'toolfold proxy --form code needs' : 'toolfold proxy needs',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/server',
    ...(form === 'code' ? ['quickjs-wasi'] : []),
  );
  const skipped = new Set<string>();
  let isServing = false;
  const upstream = fromMcpServer(target, {
    ...(prefix === undefined ? {} : { name: prefix }),
    // Lists are read again when they change, but each skipped tool is reported once.
    onSkipped: (name, reason) => {
      if (!skipped.has(name)) terminal.notify(`left out "${toLine(name)}": ${toLine(reason)}`);
      skipped.add(name);
    },
    onStderr: (text) => terminal.writeError(text),
    onError: (error) => {
      // Other errors are about single streams of the client, and do not help the user.
      if (isServing && error instanceof ErrUpstreamLost) terminal.notify(error.message);
    },
    // Over stdio the proxy has a single client, so the server cannot mix up the roots of two callers.
    roots: settings.port === undefined && 'url' in target,
  });
  try {
    const tools = await withSignals(terminal.host, (signal) =>
      terminal.withNotice('connecting', untilAborted(upstream(), signal)),
    );
    assertChoice(tools, settings);
    const names = new Set(selectTools(tools, settings).map((tool) => tool.name));
    for (const name of settings.pinned) if (!isOwnTool(name, form)) assertKnown('tool', name, [...names]);
    const { words } = settings;
    if (words)
      warnOfUnknownAddresses(words.file, words.sidecar, new Set(tools.map(({ name }) => name)), terminal);
    isServing = true;
    return await serve(upstream, tools, settings, terminal);
  } finally {
    await upstream.close();
  }
}

async function serve(
  upstream: UpstreamLoader,
  tools: readonly UpstreamToolDefinition[],
  settings: ProxySettings,
  terminal: Terminal,
): Promise<number> {
  const onError = (error: unknown): void => {
    // The proxy compares the search file with all tools of the server at its start.
    if (error instanceof ErrInvalidPolicy && 'addresses' in error.details) return;
    terminal.notify(error instanceof Error ? error.message : String(error));
  };
  const { name = 'proxy', version = '0.0.0', instructions } = upstream.server ?? {};
  const registry = new ToolRegistry({
    name,
    version,
    ...(instructions === undefined ? {} : { instructions }),
  });
  const count = offer(registry, tools, settings);
  if (count === 0) throw new CommandError('No tool of the server matches the options.');
  const forget = upstream.onChange(follow(registry, upstream, settings, terminal));
  const view = viewOf(settings);
  try {
    if (settings.port === undefined) {
      const running = serveStdio(registry, { view, closeOnSignals: false, onError });
      await untilSignal(terminal.host, running.ended);
      await running.close();
    } else {
      const running = await serveHttp(registry, {
        view,
        port: settings.port,
        closeOnSignals: false,
        onError,
      });
      const { form, isJson } = settings;
      if (isJson) terminal.printJson({ url: running.url, server: name, tools: count, form }, 0);
      else
        terminal.print(
          `Serving ${count} ${count === 1 ? 'tool' : 'tools'} of "${toLine(name)}" in the ${form} form at ${running.url}`,
        );
      await untilSignal(terminal.host);
      await running.close();
    }
  } finally {
    forget();
  }
  return exitCodes.done;
}

/** Registers the chosen tools, and returns their number. */
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

/** Offers the new tools when the server's list changes. If that fails, the old ones stay. */
function follow(
  registry: ToolRegistry,
  upstream: UpstreamLoader,
  settings: ProxySettings,
  terminal: Terminal,
): () => void {
  let last: Promise<void> = Promise.resolve();
  const update = async (): Promise<void> => {
    try {
      const tools = await upstream();
      const names = new Set(selectTools(tools, settings).map(({ name }) => name));
      const gone = settings.pinned.find((name) => !names.has(name) && !isOwnTool(name, settings.form));
      if (gone !== undefined) throw new Error(`the pinned tool "${gone}" no longer exists`);
      registry.clear();
      offer(registry, tools, settings);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.notify(`the server's tools changed, but the old ones are still offered: ${reason}`);
    }
  };
  return () => {
    last = last.then(update);
  };
}

function viewOf({ form, code, profile, pinned, prefix, words }: ProxySettings): OfferedView {
  if (!isSearchForm(form)) return { form, profile };
  const search = words ? { sidecar: withPrefix(words.sidecar, prefix) } : {};
  const names = pinned.map((name) => (isOwnTool(name, form) ? name : nameOf(name, prefix)));
  return { form, code, profile, pinned: names, search };
}

/** Whether a name is a tool of the search form, which the code form lists only if it is pinned. */
function isOwnTool(name: string, form: Form): boolean {
  return form === 'code' && searchToolNames.has(name);
}

/** A sidecar for tools that the proxy offers with a prefix. */
function withPrefix({ version, tools }: SearchSidecar, prefix: string | undefined): SearchSidecar {
  const entries = Object.entries(tools).map(([name, words]) => [nameOf(name, prefix), words] as const);
  return { version, tools: Object.fromEntries(entries) };
}

function nameOf(name: string, prefix: string | undefined): string {
  return prefix === undefined ? name : toWireName(prefix, name);
}

function readSettings(read: ReadArguments): ProxySettings {
  const { options } = read;
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const { form = 'grouped', code } = readFormOptions(read);
  const pinned = readList(options.get('pinned')) ?? [];
  if (pinned.length > 0 && !isSearchForm(form))
    throw new UsageError('--pinned works only with --form search or --form code.');
  const file = one('search-file');
  if (file !== undefined && !isSearchForm(form))
    throw new UsageError('--search-file works only with --form search or --form code.');
  const port = one('http');
  if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) < 65_536))
    throw new UsageError(`--http must be a port from 0 to 65535, not "${port}".`);
  const isJson = options.has('json');
  if (isJson && port === undefined)
    throw new UsageError('--json works only with --http. Without it, standard output carries MCP.');
  const prefix = one('prefix');
  if (prefix !== undefined && !/^[A-Za-z0-9_-]{1,32}$/.test(prefix))
    throw new UsageError('--prefix must have at most 32 letters, digits, _ and -.');
  const { target, others } = readServer(read);
  if (others.length > 0)
    throw new UsageError(`Unexpected argument "${others[0]}". See toolfold proxy --help.`);
  return {
    target,
    form,
    code,
    profile: readProfile(one('profile'), true),
    port: port === undefined ? undefined : Number(port),
    prefix,
    pinned,
    words: file === undefined ? undefined : { file, sidecar: readSidecarFile(file) },
    isJson,
    toolsets: readList(options.get('toolsets')),
    tools: readList(options.get('tools')),
    excludeTools: readList(options.get('exclude-tools')),
    readOnly: options.has('readonly'),
  };
}

/** Names for the argument that selects the action. The first one that no tool uses as a field is taken. */
const discriminators = ['action', 'operation', 'tool_action', 'toolfold_action'] as const;

/**
 * Folds the tools of a server into one grouped tool. A single tool, instead of one per name prefix, keeps the address of
 * each action stable when the server adds tools.
 */
export function foldTools(name: string, tools: readonly UpstreamToolDefinition[]): GroupedToolBuilder {
  const builder = new GroupedToolBuilder(name).description(`Tools of the server "${name}".`);
  const fields = new Set(
    tools.flatMap(({ inputSchema: { properties } }) =>
      isJsonObject(properties) ? Object.keys(properties) : [],
    ),
  );
  const free = discriminators.find((each) => !fields.has(each));
  if (free !== undefined) builder.discriminator(free);
  for (const tool of tools) builder.action(tool as never);
  return builder;
}
