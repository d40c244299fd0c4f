import { didYouMean, nearestName } from '@toolfold/schema/internal';
import { describeTarget, readTarget } from '../../target/read-target.js';
import type { ReadArguments } from '../../terminal/read-arguments.js';
import { exitCodes, UsageError } from '@toolfold/analysis/internal';
import { withSignals } from '../../terminal/terminal.js';
import { serverExits } from '../../terminal/command.js';
import type { Command } from '../../terminal/command.js';
import type { Terminal } from '../../terminal/terminal.js';
import { openToolSearch, readLimit, searchSpecs } from '../open-search.js';
import type { OpenedSearch } from '../open-search.js';
import { writeExplanation } from './write-explanation.js';
import type { ExplanationReport } from './write-explanation.js';

const DEFAULT_LIMIT = 5;
const MAX_QUERY = 2_000;

export const explainCommand: Command = {
  summary: 'Show why the search ranks each tool where it does',
  about: `Show why the search of a server ranks each tool where it does.

Usage:
  toolfold search explain [options] <file> <question>
  toolfold search explain [options] <url> <question>
  toolfold search explain [options] <question> -- <command> [arguments]

The file exports a server or a registry, or is a saved tools/list (JSON).`,
  specs: {
    tool: {
      value: 'address',
      isRepeatable: true,
      help: 'Also explain this tool, even if it is not found',
    },
    limit: { value: 'number', help: `Number of results to explain. Default: ${DEFAULT_LIMIT}` },
    ...searchSpecs,
    json: { help: 'Print the explanation, or the error, as JSON' },
  },
  examples: [
    'toolfold search explain server.ts "give a buyer the money back"',
    'toolfold search explain server.ts "give a buyer the money back" --tool shop/orders.refund',
    'toolfold search explain tools.json "close a ticket" --search-file search.json',
    'toolfold search explain "close a ticket" -- npx -y some-server',
  ],
  exits: {
    0: 'the explanation is printed, also if no tool is found',
    1: 'the tools cannot be read',
    ...serverExits,
  },
  run: explain,
};

async function explain(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const { target, others } = readTarget(read, read.rest === undefined);
  const [query, unexpected] = others;
  if (query === undefined || query.trim() === '')
    throw new UsageError('No question given. Write it in quotes: toolfold search explain server.ts "…"');
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument "${unexpected}". Write the question in quotes.`);
  if (query.length > MAX_QUERY)
    throw new UsageError(`The question has ${query.length} characters. At most ${MAX_QUERY} are searched.`);
  const limit = readLimit(options.get('limit')?.[0]) ?? DEFAULT_LIMIT;
  const wanted = options.get('tool') ?? [];
  return withSignals(terminal.host, async (signal) => {
    const opened = await openToolSearch(target, read, { terminal, signal });
    const addresses = wanted.map((address) => findAddress(opened, address));
    const report: ExplanationReport = {
      source: describeTarget(target),
      query,
      searched: opened.documents.length,
      ...opened.search.explain(query, { addresses, limit }),
    };
    if (opened.settings.ranker)
      terminal.notify('The server has a ranker, which the explanation of the built-in search leaves out.');
    if (options.has('json')) terminal.printJson(report);
    else terminal.print(writeExplanation(report));
    return exitCodes.done;
  });
}

function findAddress({ documents, find }: OpenedSearch, written: string): string {
  const address = find(written);
  if (address !== undefined) return address;
  const nearest = nearestName(
    written,
    documents.map((document) => document.address),
  );
  throw new UsageError(`No tool has the address "${written}".${didYouMean(nearest)}`);
}
