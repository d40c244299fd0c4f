import { profileNames } from '@toolfold/profiles';
import { nearestName } from '@toolfold/schema/internal';
import { withTarget } from '../target/open-target.js';
import {
  describeTarget,
  describeForms,
  readFormOptions,
  readOnlyTarget,
  readTargetOptions,
  targetSpecs,
  toolsetSpecs,
} from '../target/read-target.js';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { createToolCounter, exitCodes, measure, UsageError } from '@toolfold/analysis/internal';
import { serverExits } from '../terminal/command.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Lowering } from '@toolfold/analysis/internal';
import { writeReport } from './write-report.js';
import type { Layout } from './write-report.js';

const DEFAULT_TOP = 20;
const DEFAULT_WIDTH = 100;

export const tokensCommand: Command = {
  summary: 'Count the tokens of the tools, and check a budget',
  about: `Count the tokens that the tools of a server cost a model, with the tokenizer o200k.

Usage:
  toolfold tokens [options] <file>
  toolfold tokens [options] <url>
  toolfold tokens [options] -- <command> [arguments]

The file exports a registry, or is a saved tools/list (JSON). Counted are the name, the description and the inputSchema of each
tool, as compact JSON. Clients and models render tools in different ways, so the counts compare surfaces; they are no bill.`,
  specs: {
    ...describeForms('With a file: the form to measure. Default: that of the server'),
    profile: {
      value: 'name',
      help: `Lower the tools for a client first: ${profileNames.join(', ')}. Default: standard for a file that exports a registry, otherwise none`,
    },
    all: { help: 'Also measure every form for every profile' },
    top: { value: 'number', help: `Tools and actions to show. Default: ${DEFAULT_TOP}` },
    budget: { value: 'tokens', help: 'Exit with 1 if all tools together cost more' },
    'tool-budget': { value: 'tokens', help: 'Exit with 1 if a tool costs more' },
    ...toolsetSpecs,
    readonly: { help: 'Only tools and actions that are marked read-only' },
    ...targetSpecs,
    json: { help: 'Print the report, or the error, as JSON' },
  },
  examples: [
    'toolfold tokens server.ts',
    'toolfold tokens server.ts --form flat --budget 8000',
    'toolfold tokens server.ts --all',
    'toolfold tokens tools.json --profile gemini --top 5',
    'toolfold tokens -- npx -y @modelcontextprotocol/server-everything',
  ],
  exits: {
    0: 'the tools are counted, and within the budget',
    1: 'a budget is exceeded, or the server could not be inspected',
    ...serverExits,
  },
  run: tokens,
};

async function tokens(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const target = readOnlyTarget(read, 'tokens');
  const form = readFormOptions(read);
  const profile = readProfile(options.get('profile')?.[0]);
  const settings = readTargetOptions(read);
  const top = readCount('--top', options.get('top')?.[0]) ?? DEFAULT_TOP;
  const limits = {
    total: readCount('--budget', options.get('budget')?.[0]),
    perTool: readCount('--tool-budget', options.get('tool-budget')?.[0]),
  };
  const opening = {
    ...settings,
    ...form,
    toolsets: readList(options.get('toolsets')),
    readOnly: options.has('readonly'),
    isAuthored: true,
    terminal,
  };
  return withTarget(target, opening, async (opened, signal) => {
    const counter = await createToolCounter();
    const isAll = options.has('all');
    const source = describeTarget(target);
    const report = await terminal.withNotice(
      'counting tokens',
      measure(opened, { source, profile, isAll, limits, counter, signal }),
    );
    if (options.has('json')) terminal.printJson(report);
    else terminal.print(writeReport(report, { ...layoutOf(terminal), top }));
    return report.budget?.isExceeded === true ? exitCodes.failed : exitCodes.done;
  });
}

function readProfile(text: string | undefined): Lowering | undefined {
  if (text === undefined) return undefined;
  const known: readonly Lowering[] = ['none', ...profileNames];
  const found = known.find((name) => name === text);
  if (found !== undefined) return found;
  const nearest = nearestName(text, known);
  const hint = nearest === undefined ? `Available: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  throw new UsageError(`Unknown profile "${text}". ${hint}`);
}

function readCount(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value) || value === 0)
    throw new UsageError(`${option} must be a whole number above 0, not "${text}".`);
  return value;
}

/** Files, pipes and terminals with plain output get ASCII. */
function layoutOf({ host: { stdout } }: Terminal): Layout {
  const { NO_COLOR = '', TERM } = process.env;
  const isTerminal = stdout.isTTY === true;
  return {
    width: isTerminal ? (stdout.columns ?? DEFAULT_WIDTH) : DEFAULT_WIDTH,
    hasBlocks: isTerminal && NO_COLOR === '' && TERM !== 'dumb',
  };
}
