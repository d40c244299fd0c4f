import { packageVersion } from '../upstream/options.js';
import { nearestName } from '../values/nearest-name.js';
import { call, callHelp, callSpecs } from './call/call.js';
import { dev, devHelp, devSpecs } from './dev/dev.js';
import { diff, diffHelp, diffSpecs } from './diff/diff.js';
import { lock, lockHelp, lockSpecs } from './diff/lock.js';
import { init, initHelp, initSpecs } from './init/init.js';
import { inspect, inspectHelp, inspectSpecs } from './inspect/inspect.js';
import { lint, lintHelp, lintSpecs } from './lint/lint.js';
import { openapi, openapiHelp, openapiSpecs } from './openapi/openapi.js';
import { proxy, proxyHelp, proxySpecs } from './proxy/proxy.js';
import { search } from './search/search.js';
import { test, testHelp, testSpecs } from './test/test.js';
import { tokens, tokensHelp, tokensSpecs } from './tokens/tokens.js';
import { ui, uiHelp, uiSpecs } from './ui/ui.js';
import { audienceOf, isToolfoldError } from '../analysis/toolfold-error.js';
import { explainPort } from '../analysis/explain-port.js';
import { explainSpawn } from './target/explain-failure.js';
import { CommandError, exitCodes, UsageError } from '../analysis/command-error.js';
import { Interrupted, Terminal } from './terminal/terminal.js';
import { describeError } from './terminal/describe-error.js';
import { readArguments } from './terminal/read-arguments.js';
import type { Command, CommandGroup } from './terminal/command.js';
import type { Host } from './terminal/terminal.js';

const commands: Readonly<Record<string, Command | CommandGroup>> = {
  init: { summary: 'Create a project for a server', help: initHelp, specs: initSpecs, run: init },
  dev: {
    summary: 'Serve a file, and reload it when it changes',
    help: devHelp,
    specs: devSpecs,
    run: dev,
  },
  ui: { summary: 'Show a server in a browser', help: uiHelp, specs: uiSpecs, run: ui },
  inspect: {
    summary: 'Show the tools of a server and their cost in tokens',
    help: inspectHelp,
    specs: inspectSpecs,
    run: inspect,
  },
  tokens: {
    summary: 'Count the tokens of the tools, and check a budget',
    help: tokensHelp,
    specs: tokensSpecs,
    run: tokens,
  },
  test: {
    summary: 'Test a server with inputs that its schemas describe',
    help: testHelp,
    specs: testSpecs,
    run: test,
  },
  lock: {
    summary: 'Write the tools of a server to a lockfile, or check them against it',
    help: lockHelp,
    specs: lockSpecs,
    run: lock,
  },
  diff: {
    summary: 'Compare two versions of a server, and judge each change',
    help: diffHelp,
    specs: diffSpecs,
    run: diff,
  },
  lint: {
    summary: 'Find what clients reject and what misleads models',
    help: lintHelp,
    specs: lintSpecs,
    run: lint,
  },
  search,
  call: { summary: 'Call a tool', help: callHelp, specs: callSpecs, run: call },
  openapi: {
    summary: 'Serve an HTTP API from its OpenAPI specification, or write its definitions',
    help: openapiHelp,
    specs: openapiSpecs,
    run: openapi,
  },
  proxy: {
    summary: 'Serve another MCP server in a different form',
    help: proxyHelp,
    specs: proxySpecs,
    run: proxy,
  },
};

const help = `Usage: toolfold <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(7)}  ${summary}`)
  .join('\n')}

Options:
  --help     Show this help; after a command, the help of that command
  --version  Show the version

Examples:
  toolfold init my-server
  toolfold dev server.ts
  toolfold ui server.ts
  toolfold inspect server.ts
  toolfold call server.ts platform/users.list limit=5
  toolfold tokens server.ts --budget 8000
  toolfold test server.ts
  toolfold lint server.ts
  toolfold openapi openapi.yaml --form search
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
`;

/** Runs a command line with the streams and signals of a host, and returns the exit code after all output is written. */
export async function run(argv: readonly string[], host: Host = process): Promise<number> {
  const terminal = new Terminal(host);
  const exitCode = await runCommand(argv, terminal);
  await terminal.flush();
  return exitCode;
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    return await dispatch(argv, terminal);
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    const message = describe(error, argv[0] === 'dev' || argv[0] === 'ui' ? '--port' : '--http');
    const exitCode = exitCodeOf(error);
    terminal.notify(message);
    if (wantsJson(argv)) terminal.printJson({ error: { exitCode, message } }, 0);
    return exitCode;
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

/** Whether errors are printed as JSON, even if the command line is invalid. Arguments after `--` do not count. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  // Without --http, the standard output of a proxy carries MCP, as does that of `search draft --serve`.
  const isHttp = own.some((argument) => /^--http(?:=|$)/.test(argument));
  if (own[0] === 'search' && own.includes('--serve')) return false;
  if (own[0] === 'dev') return own.includes('--json') && !own.includes('--stdio');
  return own.includes('--json') && (own[0] !== 'proxy' || isHttp);
}

async function dispatch([first, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (first === undefined) throw new UsageError('No command given. See toolfold --help.');
  if (first === '--help' || first === '-h' || first === 'help') terminal.print(helpOf(rest));
  else if (first === '--version' || first === '-v') terminal.print(packageVersion);
  else {
    const found = findCommand(first, commands);
    if ('commands' in found) return dispatchIn(first, found, rest, terminal);
    return runOrHelp(found, rest, terminal);
  }
  return exitCodes.done;
}

/** The help of the commands that follow `help`. */
function helpOf([name, inner]: readonly string[]): string {
  if (name === undefined) return help;
  const found = findCommand(name, commands);
  return 'commands' in found && inner !== undefined
    ? findCommand(inner, found.commands, `toolfold ${name}`).help
    : found.help;
}

async function dispatchIn(
  name: string,
  group: CommandGroup,
  [first, ...rest]: readonly string[],
  terminal: Terminal,
): Promise<number> {
  if (first === undefined)
    throw new UsageError(`No command given after ${name}. See toolfold ${name} --help.`);
  if (first !== '--help' && first !== '-h')
    return runOrHelp(findCommand(first, group.commands, `toolfold ${name}`), rest, terminal);
  terminal.print(group.help);
  return exitCodes.done;
}

async function runOrHelp(command: Command, argv: readonly string[], terminal: Terminal): Promise<number> {
  const read = readArguments(argv, command.specs);
  if (!read.options.has('help')) return command.run(read, terminal);
  terminal.print(command.help);
  return exitCodes.done;
}

function findCommand<T>(name: string, among: Readonly<Record<string, T>>, parent = 'toolfold'): T {
  if (Object.hasOwn(among, name)) return among[name] as T;
  const known = [...Object.keys(among), '--help', ...((among as object) === commands ? ['--version'] : [])];
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `See ${parent} --help.` : `Did you mean ${nearest}?`;
  throw new UsageError(`Unknown ${name.startsWith('-') ? 'option' : 'command'} ${name}. ${hint}`);
}

/** The message of an error. Unexpected errors, and those of the author's code, are shown with their stack. */
function describe(error: unknown, portOption: string): string {
  if (!(error instanceof Error)) return String(error);
  const isKnown =
    error instanceof UsageError ||
    error instanceof CommandError ||
    // The cause of an error for others, such as a lost server, is not in the author's code.
    (isToolfoldError(error) && (error.cause === undefined || audienceOf(error) !== 'author'));
  return (
    explainPort(error, portOption) ?? explainSpawn(error) ?? (isKnown ? error.message : describeError(error))
  );
}
