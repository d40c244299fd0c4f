import { nearestName } from '../values/nearest-name.js';
import { packageVersion } from '../protocol/versions.js';
import { call } from './call/call.js';
import { CommandError, exitCodes, UsageError } from './terminal/exit-codes.js';
import { explainSpawn, isToolfoldError } from './terminal/explain-failure.js';
import { inspect } from './inspect/inspect.js';
import { print, printJson, say } from './terminal/output.js';
import { proxy } from './proxy/proxy.js';
import { Interrupted } from './terminal/with-signals.js';

interface Command {
  readonly summary: string;
  readonly run: (argv: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  inspect: { summary: 'Shows what a server has, and what it costs', run: inspect },
  call: { summary: 'Calls a tool of a server', run: call },
  proxy: { summary: 'Offers another MCP server in another form', run: proxy },
};

const help = `Usage: toolfold <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(7)}  ${summary}`)
  .join('\n')}

Options:
  --help     Show this, or with a command what it takes
  --version  Show the version

Examples:
  toolfold inspect server.ts
  toolfold call server.ts platform/users.list limit=5
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
`;

/** Runs a command line, and says what the process ends with. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv);
  } catch (error) {
    if (error instanceof Interrupted) return error.exitCode;
    const message = describe(error);
    const exitCode = exitCodeOf(error);
    say(message);
    if (wantsJson(argv)) printJson({ error: { exitCode, message } }, 0);
    return exitCode;
  }
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandError) return error.exitCode;
  return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
}

/** Also where the command line is wrong otherwise. What stands after `--` is another command's. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  // Without it, MCP has the output of a proxy.
  const isHttp = own.some((argument) => /^--http(?:=|$)/.test(argument));
  return own.includes('--json') && (own[0] !== 'proxy' || isHttp);
}

async function dispatch([first, ...rest]: readonly string[]): Promise<number> {
  if (first === '--help' || first === '-h' || first === 'help') {
    if (rest[0] !== undefined) return commandFor(rest[0]).run(['--help']);
    print(help);
  } else if (first === '--version' || first === '-v') print(packageVersion);
  else if (first === undefined) throw new UsageError('Which command? See toolfold --help.');
  else return commandFor(first).run(rest);
  return exitCodes.done;
}

function commandFor(name: string): Command {
  if (Object.hasOwn(commands, name)) return commands[name] as Command;
  const known = [...Object.keys(commands), '--help', '--version'];
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? 'See toolfold --help.' : `Did you mean ${nearest}?`;
  throw new UsageError(`There is no ${name.startsWith('-') ? 'option' : 'command'} ${name}. ${hint}`);
}

/** What a person can do something about needs no stack. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code, port } = error as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') return `The port ${String(port)} is taken. Choose another one: --http port`;
  if (code === 'EACCES' && port !== undefined)
    return `The port ${String(port)} may not be used. Choose another one: --http port`;
  const isKnown = error instanceof UsageError || error instanceof CommandError || isToolfoldError(error);
  return explainSpawn(error) ?? (isKnown ? error.message : (error.stack ?? error.message));
}
