import { describeTarget, readTarget } from '../../target/read-target.js';
import type { ReadArguments } from '../../terminal/read-arguments.js';
import { CommandError, exitCodes, UsageError } from '@toolfold/analysis/internal';
import { withSignals } from '../../terminal/terminal.js';
import { serverExits } from '../../terminal/command.js';
import type { Command } from '../../terminal/command.js';
import type { Terminal } from '../../terminal/terminal.js';
import { evaluate } from './evaluate.js';
import type { Evaluation } from './evaluate.js';
import { openToolSearch, readLimit, searchSpecs } from '../open-search.js';
import type { OpenedSearch } from '../open-search.js';
import { readQuestions } from './questions.js';
import type { Question } from './questions.js';
import { isBelow } from './report.js';
import type { EvaluationReport, Minimums } from './report.js';
import { writeEvaluation } from './write-evaluation.js';

const DEFAULT_LIMIT = 5;

export const evalCommand: Command = {
  summary: 'Measure what the search finds for questions, and explain each miss',
  about: `Measure what the search of a server finds for questions, and explain each miss.

Usage:
  toolfold search eval [options] <file> <questions.json>
  toolfold search eval [options] <url> <questions.json>
  toolfold search eval [options] <questions.json> -- <command> [arguments]

The file exports a server or a registry, or is a saved tools/list (JSON). The questions are
{"queries": [{"query": "…", "tools": ["address"]}]}. "tools": [] marks a question that no tool answers. A list among the tools names
alternatives, "match": "any" makes one of the tools enough, and "steps": ["…"] asks several queries in one search.`,
  specs: {
    'min-first': { value: 'percent', help: 'Exit with 1 if a needed tool is first for fewer questions' },
    'min-five': { value: 'percent', help: 'Exit with 1 if a needed tool is among five for fewer questions' },
    limit: { value: 'number', help: `Number of results that count. Default: ${DEFAULT_LIMIT}` },
    ...searchSpecs,
    json: { help: 'Print the report, or the error, as JSON' },
  },
  examples: [
    'toolfold search eval server.ts questions.json',
    'toolfold search eval server.ts questions.json --min-five 85',
    'toolfold search eval tools.json questions.json --search-file search.json --json',
    'toolfold search eval questions.json -- npx -y some-server',
  ],
  exits: {
    0: 'the questions are asked, and no minimum is missed',
    1: 'a minimum is missed, the questions name an unknown address, or the tools or the questions cannot be read',
    ...serverExits,
  },
  run: evalSearch,
};

async function evalSearch(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  // With a command, the first argument is the file of questions.
  const { target, others } = readTarget(read, read.rest === undefined);
  const [file, unexpected] = others;
  if (file === undefined)
    throw new UsageError('No questions given. Pass a file: toolfold search eval server.ts questions.json');
  if (unexpected !== undefined)
    throw new UsageError(`Unexpected argument "${unexpected}". See toolfold search eval --help.`);
  if (/\.[cm]?[jt]sx?$/.test(file))
    throw new UsageError(
      `"${file}" is not a file of questions. Pass it first: toolfold search eval ${file} questions.json`,
    );
  const limit = readLimit(options.get('limit')?.[0]) ?? DEFAULT_LIMIT;
  const minimums = {
    first: readPercent('--min-first', options.get('min-first')?.[0]),
    five: readPercent('--min-five', options.get('min-five')?.[0]),
  };
  return withSignals(terminal.host, async (signal) => {
    const questions = readQuestions(file);
    assertMeasurable(file, questions, minimums);
    const opened = await openToolSearch(target, read, { terminal, signal });
    const found = await ask(opened, questions, { limit, signal, terminal });
    const report: EvaluationReport = {
      source: describeTarget(target),
      file,
      tools: opened.documents.length,
      questions: questions.length,
      ...found,
      minimums,
      isFailed: isBelow(found, minimums) || found.unknown.length > 0,
    };
    if (options.has('json')) terminal.printJson(report);
    else terminal.print(writeEvaluation(report));
    return report.isFailed ? exitCodes.failed : exitCodes.done;
  });
}

const PROGRESS_MS = 2_000;

function ask(
  opened: OpenedSearch,
  questions: readonly Question[],
  {
    limit,
    signal,
    terminal,
  }: { readonly limit: number; readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<Evaluation> {
  const isWatched = terminal.host.stderr.isTTY === true;
  let last = performance.now();
  const onProgress = (done: number): void => {
    if (!isWatched || performance.now() - last < PROGRESS_MS) return;
    last = performance.now();
    terminal.notify(`${done} of ${questions.length} questions …`);
  };
  return evaluate(opened, questions, { limit, signal, onProgress });
}

/** Rejects a minimum if no tool answers any question, because it could not be measured. */
function assertMeasurable(file: string, questions: readonly Question[], { first, five }: Minimums): void {
  if ((first ?? five) !== undefined && questions.every(({ needed }) => needed.length === 0))
    throw new CommandError(
      `${file} has only questions that no tool answers, so --min-first and --min-five have nothing to measure.`,
    );
}

function readPercent(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 0 && value <= 100))
    throw new UsageError(`${option} must be a number from 0 to 100, not "${text}".`);
  return value;
}
