import { writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { exitCodes, hintNames, UsageError } from '@toolfold/analysis/internal';
import type { ListedTool } from '@toolfold/analysis/internal';
import { describeTarget, readOnlyTarget, readTargetOptions, targetSpecs } from '../target/read-target.js';
import { assertCallable } from '../target/saved-list.js';
import type { Target } from '../target/read-target.js';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import { withSignals } from '../terminal/terminal.js';
import { serverExits } from '../terminal/command.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import type { Fc } from './scalars.js';
import { checkOperation } from './contract.js';
import { OutputDrafts } from './draft-output.js';
import { operationsOf, riskOf } from './operations.js';
import type { Operation } from './operations.js';
import { TestSession } from './session.js';
import { writeCall, writeOperation, writeRepeat, writeSummary } from './test-report.js';
import type { TestedOperation, TestReport } from './test-report.js';

const DEFAULT_RUNS = 25;
const MAX_RUNS = 10_000;
/** Milliseconds for each property of an operation. */
const LIMIT_MS = 30_000;

export const testCommand: Command = {
  summary: 'Test a server with inputs that its schemas describe',
  about: `Test whether a server keeps the promises of its schemas and hints, with generated inputs.

Usage:
  toolfold test [options] <file>
  toolfold test [options] <url>
  toolfold test [options] -- <command> [arguments]

For every tool and action:
  valid input    causes no protocol error, no crash and no unreadable error; the result matches outputSchema
  invalid input  is rejected with an error that a model can read
  repeated call  of an action that is marked idempotent, or has an idempotency key, has no further effect

The list of tools must be the same for a second client. Actions that may destroy something are skipped, unless you pass
--include-destructive. A failing input is made as small as possible and printed with a command line that repeats the call.
Needs the package fast-check.`,
  specs: {
    only: { value: 'a,b', isRepeatable: true, help: 'Only these tools and actions, by name or address' },
    runs: { value: 'number', help: `Inputs for each property of an action. Default: ${DEFAULT_RUNS}` },
    seed: { value: 'number', help: 'Repeat the inputs of an earlier run, which printed this seed' },
    'include-destructive': {
      help: 'Also call actions that are destructive, or that are neither marked read-only nor not destructive',
    },
    'write-output-schemas': {
      value: 'file',
      help: 'Write drafts of output schemas, from the results of actions that have none, as JSON',
    },
    scopes: { value: 'a,b', isRepeatable: true, help: 'With a file: the scopes of the caller' },
    ...targetSpecs,
    json: { help: 'Print the report, or the error, as JSON' },
  },
  examples: [
    'toolfold test server.ts',
    'toolfold test server.ts --only users/list --seed 42 --runs 200',
    'toolfold test https://example.com/mcp --header "Authorization: Bearer $TOKEN"',
    'toolfold test -- npx -y @modelcontextprotocol/server-everything',
  ],
  exits: {
    0: 'every tested action keeps its promises',
    1: 'an action does not, no action could be tested, or the server could not be opened',
    ...serverExits,
  },
  run: test,
};

async function test(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const target = readOnlyTarget(read, 'test');
  assertCallable(target);
  const settings = readTargetOptions(read);
  const runs = readCount('runs', options.get('runs')?.[0] ?? String(DEFAULT_RUNS), 1, MAX_RUNS);
  const seed = readSeed(options.get('seed')?.[0]);
  const scopes = readList(options.get('scopes')) ?? [];
  if (scopes.length > 0 && !('file' in target))
    throw new UsageError('--scopes works only with a file. Pass credentials with --header.');
  return withSignals(terminal.host, async (signal) => {
    const drafts = new OutputDrafts();
    const draftFile = options.get('write-output-schemas')?.[0];
    const session = await TestSession.open(target, { ...settings, isWhole: true, terminal, signal }, scopes);
    try {
      const report = await runTests(session, {
        target,
        only: readList(options.get('only')),
        isDestructive: options.has('include-destructive'),
        drafts,
        scopes,
        protocol: settings.protocol,
        runs,
        seed,
        signal,
        terminal,
        isJson: options.has('json'),
      });
      if (draftFile !== undefined) writeFileSync(draftFile, `${JSON.stringify(drafts, undefined, 2)}\n`);
      if (options.has('json')) terminal.printJson(report);
      else terminal.print(writeSummary(report));
      if (report.passed + report.failed === 0)
        terminal.notify(
          'No action was tested. Pass --include-destructive if the server may be changed, or --scopes if callers need scopes.',
        );
      return report.failed > 0 || report.passed === 0 ? exitCodes.failed : exitCodes.done;
    } finally {
      await session.close();
    }
  });
}

interface RunOptions {
  readonly target: Target;
  readonly only: readonly string[] | undefined;
  readonly isDestructive: boolean;
  readonly drafts: OutputDrafts;
  readonly scopes: readonly string[];
  readonly protocol: string;
  readonly runs: number;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  readonly isJson: boolean;
}

async function runTests(session: TestSession, options: RunOptions): Promise<TestReport> {
  const { target, only, runs, seed, terminal, isJson } = options;
  const { tools } = session.opened;
  const all = operationsOf(tools);
  const chosen = only ? choose(all, only) : all;
  const width = Math.min(40, Math.max(10, ...chosen.map(({ address }) => address.length)));
  if (!isJson)
    terminal.print(
      `${describeTarget(target)}: ${chosen.length} action${chosen.length === 1 ? '' : 's'}, ${runs} inputs each, seed ${seed}\n`,
    );
  const operations: TestedOperation[] = [];
  const add = (tested: TestedOperation): void => {
    operations.push(tested);
    if (!isJson) terminal.print(writeOperation(tested, width));
  };
  const fc = await import('fast-check');
  const readers = all.filter(({ hints }) => hints.readOnly === true);
  for (const operation of chosen)
    add(
      await terminal.withNotice(
        `testing ${operation.address}`,
        testOperation(operation, session, { ...options, fc, readers }),
      ),
    );
  const unstable = findUnstable(tools, await session.listAgain());
  if (unstable !== undefined) add(unstable);
  const count = (status: TestedOperation['status']): number =>
    operations.filter((each) => each.status === status).length;
  return {
    seed,
    runs,
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    operations,
  };
}

interface OperationOptions extends RunOptions {
  readonly fc: Fc;
  readonly readers: readonly Operation[];
}

const DENIED = 'the caller may not call it; pass --scopes for a file, or --header for a URL';

async function testOperation(
  operation: Operation,
  session: TestSession,
  options: OperationOptions,
): Promise<TestedOperation> {
  const { address } = operation;
  const { target, isDestructive, drafts, fc, seed, runs, signal, readers } = options;
  const risk = riskOf(operation);
  if (risk !== undefined && !isDestructive) return { address, status: 'skipped', reason: risk, checks: [] };
  session.startOperation();
  const checked = await checkOperation(operation, {
    fc,
    seed,
    runs,
    limitMs: LIMIT_MS,
    signal,
    call: async (called, input) => {
      const outcome = await session.call(called, input);
      drafts.observe(called, outcome);
      return outcome;
    },
    isExhausted: () => session.isExhausted,
    readers: readers.filter((reader) => reader !== operation),
  });
  const [first] = checked;
  if (checked.every((each) => each.runs === 0 && !each.failure))
    return { address, status: 'skipped', reason: first?.note ?? 'it has nothing to test', checks: [] };
  if (checked.some(({ isDenied }) => isDenied))
    return { address, status: 'skipped', reason: DENIED, checks: [] };
  const checks = checked.map((each) =>
    each.failure
      ? {
          ...each,
          call: writeCall(target, address, each.failure.input, options),
          repeat: writeRepeat(target, address, { seed, runs, isRisky: risk !== undefined }, options),
        }
      : each,
  );
  return { address, status: checked.some(({ failure }) => failure) ? 'failed' : 'passed', checks };
}

function isNamed({ address, toolName }: Operation, name: string): boolean {
  return address === name || toolName === name || address.replace('/', '.') === name;
}

function choose(operations: readonly Operation[], only: readonly string[]): readonly Operation[] {
  for (const name of only)
    if (!operations.some((operation) => isNamed(operation, name)))
      throw new UsageError(
        `--only: unknown tool or action "${name}". ${hintNames(
          name,
          operations.map(({ address }) => address),
        )}`,
      );
  return operations.filter((operation) => only.some((name) => isNamed(operation, name)));
}

/** Reports an operation as failed if a second client sees another list. */
function findUnstable(
  before: readonly ListedTool[],
  after: readonly ListedTool[],
): TestedOperation | undefined {
  const [one, other] = [before, after].map((tools) => tools.map(({ tool }) => tool));
  if (isDeepStrictEqual(one, other)) return undefined;
  const changed = one?.find((tool, index) => !isDeepStrictEqual(tool, other?.[index]));
  const message = changed
    ? `A second client does not see "${changed.name}" at the same place with the same definition.`
    : 'A second client sees more tools.';
  const failure = { message, input: {}, shrinks: 0 };
  return {
    address: 'tools/list',
    status: 'failed',
    checks: [{ name: 'repeated', runs: 2, succeeded: 2, isDenied: false, failure }],
  };
}

function readCount(name: string, text: string, least: number, most: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UsageError(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}

function readSeed(text: string | undefined): number {
  return text === undefined
    ? Math.trunc(Math.random() * 2 ** 31)
    : readCount('seed', text, -(2 ** 31), 2 ** 31 - 1);
}
