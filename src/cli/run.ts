import { nearestName } from '../compile/nearest-name.js';
import { ToolfoldError } from '../index.js';
import { packageVersion } from '../serve/package-version.js';
import { exitCodes, UsageError } from './exit-codes.js';
import { proxy } from './proxy.js';

interface Command {
  readonly summary: string;
  readonly run: (argv: readonly string[]) => Promise<number>;
}

const commands: Readonly<Record<string, Command>> = {
  proxy: { summary: 'Offers another MCP server in another form', run: proxy },
};

const help = `Usage: toolfold <command> [options]

Commands:
${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name}  ${summary}`)
  .join('\n')}

Options:
  --help     Show this, or with a command what it takes
  --version  Show the version

Examples:
  toolfold proxy --help
  toolfold proxy -- npx -y @modelcontextprotocol/server-everything
`;

/** Runs a command line, and says what the process ends with. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    process.stderr.write(`toolfold: ${describe(error)}\n`);
    return error instanceof UsageError ? exitCodes.usage : exitCodes.failed;
  }
}

async function dispatch([first, ...rest]: readonly string[]): Promise<number> {
  if (first === '--help' || first === '-h' || first === 'help') process.stdout.write(help);
  else if (first === '--version' || first === '-v') process.stdout.write(`${packageVersion}\n`);
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
function describe(error: Error): string {
  const { code, port } = error as { code?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') return `The port ${String(port)} is taken. Choose another one: --http port`;
  if (code === 'EACCES') return `The port ${String(port)} may not be used. Choose another one: --http port`;
  const isKnown = error instanceof UsageError || error instanceof ToolfoldError;
  return isKnown ? error.message : (error.stack ?? error.message);
}
