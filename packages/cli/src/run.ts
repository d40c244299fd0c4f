import { packageVersion } from 'toolfold/internal';
import { nearestName } from '@toolfold/schema/internal';
import { callCommand } from './call/call.js';
import { devCommand } from './dev/dev.js';
import { diffCommand } from './diff/diff.js';
import { lockCommand } from './diff/lock.js';
import { initCommand } from './init/init.js';
import { keyCommand } from './key/key.js';
import { installCommand } from './install/install.js';
import { inspectCommand } from './inspect/inspect.js';
import { lintCommand } from './lint/lint.js';
import { openapiCommand } from './openapi/openapi.js';
import { proxyCommand } from './proxy/proxy.js';
import { search } from './search/search.js';
import { startCommand } from './start/start.js';
import { testCommand } from './test/test.js';
import { tokensCommand } from './tokens/tokens.js';
import { uiCommand } from './ui/ui.js';
import { upgradeCommand } from './upgrade/upgrade.js';
import {
  audienceOf,
  CommandError,
  exitCodes,
  isToolfoldError,
  UsageError,
} from '@toolfold/analysis/internal';
import { explainPort } from 'toolfold/internal';
import { explainSpawn } from './target/explain-failure.js';
import { Interrupted, Terminal } from './terminal/terminal.js';
import { describeError } from './terminal/describe-error.js';
import { readArguments } from './terminal/read-arguments.js';
import { helpOf, optionsOf } from './terminal/command.js';
import type { Command, CommandGroup } from './terminal/command.js';
import type { Host } from './terminal/terminal.js';

export const commands: Readonly<Record<string, Command | CommandGroup>> = {
  init: initCommand,
  dev: devCommand,
  start: startCommand,
  ui: uiCommand,
  inspect: inspectCommand,
  tokens: tokensCommand,
  test: testCommand,
  lock: lockCommand,
  diff: diffCommand,
  lint: lintCommand,
  search,
  call: callCommand,
  install: installCommand,
  key: keyCommand,
  openapi: openapiCommand,
  proxy: proxyCommand,
  upgrade: upgradeCommand,
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
  toolfold start server.ts
  toolfold ui server.ts
  toolfold inspect server.ts
  toolfold call server.ts platform/users.list limit=5
  toolfold tokens server.ts --budget 8000
  toolfold test server.ts
  toolfold lint server.ts
  toolfold openapi openapi.yaml --form search
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
`;

/** Runs a command line with the streams and signals of a host. Resolves to the exit code after all output is written. */
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
    const message = describe(error, ['dev', 'start', 'ui'].includes(argv[0] ?? '') ? '--port' : '--http');
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

/** Whether errors are printed as JSON, even for an invalid command line. Ignores arguments after `--`. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  // Without --http, standard output of a proxy carries MCP.
  const isHttp = own.some((argument) => /^--http(?:=|$)/.test(argument));
  if (own[0] === 'dev' || own[0] === 'start') return own.includes('--json') && !own.includes('--stdio');
  return own.includes('--json') && (own[0] !== 'proxy' || isHttp);
}

async function dispatch([first, ...rest]: readonly string[], terminal: Terminal): Promise<number> {
  if (first === undefined) throw new UsageError('No command given. See toolfold --help.');
  if (first === '--help' || first === '-h' || first === 'help') terminal.print(findHelp(rest));
  else if (first === '--version' || first === '-v') terminal.print(packageVersion);
  else {
    const found = findCommand(first, commands);
    if ('commands' in found) return dispatchIn(first, found, rest, terminal);
    return runOrHelp(found, rest, terminal);
  }
  return exitCodes.done;
}

function findHelp([name, inner]: readonly string[]): string {
  if (name === undefined) return help;
  const found = findCommand(name, commands);
  const hasInner = 'commands' in found && inner !== undefined;
  return helpOf(hasInner ? findCommand(inner, found.commands, `toolfold ${name}`) : found);
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
  const read = readArguments(argv, optionsOf(command));
  if (!read.options.has('help')) return command.run(read, terminal);
  terminal.print(helpOf(command));
  return exitCodes.done;
}

function findCommand<T>(name: string, among: Readonly<Record<string, T>>, parent = 'toolfold'): T {
  if (Object.hasOwn(among, name)) return among[name] as T;
  const known = [...Object.keys(among), '--help', ...((among as object) === commands ? ['--version'] : [])];
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? `See ${parent} --help.` : `Did you mean ${nearest}?`;
  throw new UsageError(`Unknown ${name.startsWith('-') ? 'option' : 'command'} ${name}. ${hint}`);
}

/** Returns the message of an error. Adds the stack for unexpected errors and for errors of the author's code. */
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
