import type { Shared } from '../../../stores/contracts.js';
import type { LearnedSelection, LearnedSummary } from '../../../stores/search-learning.js';
import { describeOptions } from '../../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../../terminal/read-arguments.js';
import { CommandError, exitCodes, UsageError } from '../../../analysis/command-error.js';
import { withSignals } from '../../terminal/terminal.js';
import type { Terminal } from '../../terminal/terminal.js';

const SECRET = 'TOOLFOLD_REDIS_SECRET';
/** Tools and tenants that are printed. JSON has all of them. */
const MAX_ROWS = 50;

export const learnedSpecs: OptionSpecs = {
  redis: { value: 'url', help: 'The Redis of the server: redis://…, rediss://… or the path of a socket' },
  prefix: { value: 'prefix', help: 'The prefix of its keys. Default: toolfold' },
  tenant: { value: 'tenant', help: 'Only this tenant: its name, or its id in the list. Default: all' },
  tool: { value: 'address', help: 'Only this tool. Default: all' },
  erase: { help: 'Erase what is selected. Without --tenant and --tool, also pass --all' },
  all: { help: 'With --erase: everything' },
  json: { help: 'Print the result, or the error, as JSON' },
  help: { help: 'Show this help' },
};

export const learnedHelp = `Show what the search of a server has learned from calls, or erase it.

Usage:
  ${SECRET}=… toolfold search learned --redis <url> [options]

Words and callers are stored as keyed digests, so the command lists tools, tenants and numbers. ${SECRET} is
the secret that the server passes to redis().

Options:
${describeOptions(learnedSpecs)}

Examples:
  toolfold search learned --redis redis://localhost
  toolfold search learned --redis redis://localhost --tenant acme --json
  toolfold search learned --redis redis://localhost --tool shop/orders.refund --erase

Exit codes:
  0    the links are printed or erased
  1    Redis cannot be reached
  2    the command line is invalid
  130  Ctrl-C
`;

/** Shows or erases what the search has learned in Redis. */
export async function learned(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options, positionals, rest } = read;
  const url = options.get('redis')?.[0];
  const unexpected = positionals[0] ?? rest?.[0];
  if (unexpected !== undefined) throw new UsageError(`Unexpected argument "${unexpected}".`);
  if (url === undefined) throw new UsageError('No Redis given. Write --redis redis://localhost');
  const selection: LearnedSelection = {
    tenant: options.get('tenant')?.[0],
    address: options.get('tool')?.[0],
  };
  const isWhole = selection.tenant === undefined && selection.address === undefined;
  if (options.has('all') && !options.has('erase')) throw new UsageError('--all is only for --erase.');
  if (options.has('erase') && isWhole !== options.has('all'))
    throw new UsageError(
      isWhole
        ? '--erase needs --tenant or --tool, or --all to erase everything.'
        : '--all erases everything. Leave out --tenant and --tool, or --all.',
    );
  return withSignals(terminal.host, async (signal) => {
    const shared = await open(url, options.get('prefix')?.[0]);
    const interrupted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    try {
      return await Promise.race([work(shared, selection, read, terminal), interrupted]);
    } finally {
      await shared.close();
    }
  });
}

async function work(
  shared: Shared,
  selection: LearnedSelection,
  { options }: ReadArguments,
  terminal: Terminal,
): Promise<number> {
  const learning = shared.createSearchLearning();
  const isJson = options.has('json');
  try {
    if (options.has('erase')) {
      const erased = await learning.erase(selection);
      if (isJson) terminal.printJson({ erased });
      else terminal.print(`Erased ${erased} ${erased === 1 ? 'link' : 'links'}.`);
    } else {
      const summary = await learning.inspect(selection);
      if (isJson) terminal.printJson(summary);
      else terminal.print(describe(summary));
    }
  } catch (error) {
    const { message, cause } = error as Error;
    throw new CommandError(cause instanceof Error ? `${message} ${cause.message}` : message);
  }
  return exitCodes.done;
}

/** The packages for Redis are optional, so the built command must not load them at its start. */
async function open(url: string, prefix: string | undefined): Promise<Shared> {
  const secret = process.env[SECRET];
  if (secret === undefined || secret === '')
    throw new UsageError(`Set ${SECRET} to the secret that the server passes to redis().`);
  const { redis } = await import('../../../redis.js').catch((error: unknown): never => {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CommandError(
      'The packages for Redis are missing. Run: npm install ioredis rate-limiter-flexible',
    );
  });
  return redis({ url, secret, ...(prefix === undefined ? {} : { prefix }) });
}

function describe({ links, tenants, tools }: LearnedSummary): string {
  if (links === 0) return 'Nothing is learned.';
  const rows = [
    ['tool', 'links', 'strength'],
    ...tools.map((tool) => [tool.address, String(tool.links), tool.strength.toFixed(2)]),
  ];
  const owners = [
    ['tenant', 'links', 'words'],
    ...tenants.map((tenant) => [tenant.tenant, String(tenant.links), String(tenant.words)]),
  ];
  return `${links} ${links === 1 ? 'link' : 'links'} between words and tools\n\n${table(rows)}\n\n${table(owners)}`;
}

function table(rows: readonly (readonly string[])[]): string {
  const shown = rows.slice(0, MAX_ROWS + 1);
  const widths = [0, 1].map((column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const lines = shown.map(([name = '', links = '', last = '']) =>
    `${name.padEnd(widths[0] ?? 0)}  ${links.padStart(widths[1] ?? 0)}  ${last}`.trimEnd(),
  );
  const more = rows.length - shown.length;
  return [...lines, ...(more > 0 ? [`and ${more} more; --json prints all`] : [])].join('\n');
}
