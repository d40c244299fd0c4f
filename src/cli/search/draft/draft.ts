import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { SearchSidecar } from '../../../search.js';
import { untilAborted } from '../../../upstream/connect.js';
import { splitWords } from '../../diff/read-sides.js';
import { openTarget } from '../../target/open-target.js';
import { readOnlyTarget, readTargetOptions, targetSpecs } from '../../target/read-target.js';
import { describeOptions } from '../../terminal/read-arguments.js';
import type { OptionSpecs, ReadArguments } from '../../terminal/read-arguments.js';
import { CommandError, MAX_INPUT_BYTES, UsageError } from '../../../analysis/command-error.js';
import { withSignals } from '../../terminal/terminal.js';
import type { Terminal } from '../../terminal/terminal.js';
import { assertListed } from '../../../analysis/search/documents.js';
import { readSidecarFile, SEARCH_FILE, warnOfUnknownAddresses } from '../read-sidecar.js';
import { readAnswer, UnreadableAnswer } from './draft-answer.js';
import { readDraftedTools } from './drafted-tools.js';
import type { DraftedTool } from './drafted-tools.js';
import { fillBatches } from './fill-batches.js';
import type { FilledBatches } from './fill-batches.js';
import { finishDraft, hasKeywords } from './finish-draft.js';
import { PROMPT_FILE, writeForAnyModel } from './offline-draft.js';
import { runModel } from './run-model.js';
import { serveDraft } from './serve-draft.js';

const DEFAULT_ANSWER_TIMEOUT_S = 300;
const ALL_DRAFTED = 'All tools have keywords. Pass --all to replace those in the search file.';

export const draftSpecs: OptionSpecs = {
  output: { value: 'file', help: `The search file to create or complete. Default: ${SEARCH_FILE}` },
  prompt: {
    value: 'file',
    help: `Without a model: the file for the prompt, or - for standard output. Default: ${PROMPT_FILE}`,
  },
  command: {
    value: '"program arguments"',
    help: 'Program that gets the prompt on standard input and prints the answer of a model',
  },
  answer: {
    value: 'file',
    help: 'The answer of a model to the prompt, or - for standard input, to check and add to the search file',
  },
  serve: {
    help: 'Serve MCP over standard input and output, with one tool that lets the model of the connected client draft the keywords (sampling)',
  },
  all: {
    help: 'Draft keywords for all tools, and replace those in the search file. Default: only missing ones',
  },
  'answer-timeout': {
    value: 'seconds',
    help: `Limit for one answer of the program. Default: ${DEFAULT_ANSWER_TIMEOUT_S}`,
  },
  yes: { help: 'Write the search file without asking at a terminal' },
  'dry-run': { help: 'Write nothing' },
  ...targetSpecs,
  json: { help: 'Print the changes, or the error, as JSON' },
  help: { help: 'Show this help' },
};

export const draftHelp = `Draft the keywords by which the search finds tools, and write them to a search file for review.

Usage:
  toolfold search draft [options] <file>
  toolfold search draft [options] <url>
  toolfold search draft [options] -- <command> [arguments]

The file exports a registry, or is a saved tools/list (JSON). Without a model, the command writes a prompt and a search file with all
addresses. Give the prompt to any model, and pass its answer with --answer. With --command, a program asks the model: the prompt is its
standard input, and its standard output must be the answer. With --serve, the model of a connected client answers. Keywords that are
already in the file, or in a definition, are kept.

Options:
${describeOptions(draftSpecs)}

Examples:
  toolfold search draft server.ts
  toolfold search draft server.ts --answer answer.json
  toolfold search draft server.ts --command "llm -m my-model"
  toolfold search draft --command "llm -m my-model" -- npx -y some-server

Exit codes:
  0    the search file is written, or nothing is missing
  1    the server could not be read, or the model did not answer with keywords
  2    the command line is invalid
  4    the server rejected a request, or its answer is not valid MCP
  130  Ctrl-C
`;

/** Creates or completes a search file. */
export async function draft(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const target = readOnlyTarget(read, 'search draft');
  const settings = readTargetOptions(read);
  const file = one('output') ?? SEARCH_FILE;
  if (file === '') throw new UsageError('--output needs the name of a file.');
  const model = readModel(read);
  const readBefore = (): SearchSidecar =>
    existsSync(file) ? readSidecarFile(file) : { version: 1, tools: {} };
  const listTools = async (signal: AbortSignal): Promise<readonly DraftedTool[]> => {
    const opened = await openTarget(target, {
      ...settings,
      isAuthored: true,
      terminal,
      signal,
      onStderr: () => {},
    });
    try {
      assertListed(opened);
      const tools = readDraftedTools(opened);
      if (tools.length === 0) throw new CommandError('The server has no tools.');
      warnOfUnknownAddresses(file, readBefore(), new Set(tools.map(({ address }) => address)), (message) =>
        terminal.notify(message),
      );
      return tools;
    } finally {
      await opened.close().catch(() => undefined);
    }
  };
  const isAll = options.has('all');
  if (model.kind === 'client') {
    const tools = await withSignals(terminal.host, listTools);
    return serveDraft({ terminal, file, tools, isAll, isDryRun: options.has('dry-run'), readBefore });
  }
  return withSignals(terminal.host, async (signal) => {
    const tools = await listTools(signal);
    const before = readBefore();
    const wanted = isAll ? tools : tools.filter((tool) => !hasKeywords(tool, before));
    if (model.kind === 'none') return writeForAnyModel({ read, terminal, file, before, tools, wanted });
    const filled =
      wanted.length === 0
        ? { keywords: new Map<string, readonly string[]>(), problems: [ALL_DRAFTED] }
        : await fill(model, wanted, { terminal, signal });
    return finishDraft({ read, terminal, signal, file, before, tools, filled });
  });
}

type Model =
  | { readonly kind: 'none' }
  | { readonly kind: 'client' }
  | { readonly kind: 'command'; readonly words: readonly string[]; readonly timeoutMs: number }
  | { readonly kind: 'answer'; readonly file: string };

function readModel({ options }: ReadArguments): Model {
  const [command] = options.get('command') ?? [];
  const [answer] = options.get('answer') ?? [];
  const given = ['command', 'answer', 'serve', 'prompt'].filter((name) => options.has(name));
  if (given.length > 1)
    throw new UsageError(`Pass only one of ${given.map((name) => `--${name}`).join(' and ')}.`);
  if (options.has('serve') && options.has('json'))
    throw new UsageError('--json does not work with --serve, because standard output carries MCP.');
  if (options.has('answer-timeout') && command === undefined)
    throw new UsageError('--answer-timeout works only with --command.');
  if (options.has('serve')) return { kind: 'client' };
  if (answer !== undefined) return { kind: 'answer', file: answer };
  if (command === undefined) return { kind: 'none' };
  const words = splitWords(command, '--command');
  if (words.length === 0) throw new UsageError('--command needs a program: --command "program arguments"');
  return { kind: 'command', words, timeoutMs: readSeconds(options.get('answer-timeout')?.[0]) };
}

function readSeconds(text: string | undefined): number {
  if (text === undefined) return DEFAULT_ANSWER_TIMEOUT_S * 1_000;
  const seconds = text.trim() === '' ? Number.NaN : Number(text);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new UsageError(
      `--answer-timeout must be a number of seconds above 0 and at most 86400, not "${text}".`,
    );
  return Math.ceil(seconds * 1_000);
}

interface Running {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

async function fill(
  model: Exclude<Model, { kind: 'none' | 'client' }>,
  wanted: readonly DraftedTool[],
  { terminal, signal }: Running,
): Promise<FilledBatches> {
  if (model.kind === 'answer') {
    const text = await untilAborted(readAnswerText(model.file, terminal), signal);
    try {
      return readAnswer(text, wanted);
    } catch (error) {
      if (error instanceof UnreadableAnswer)
        throw new CommandError(`${model.file === '-' ? 'The answer' : model.file} ${error.message}`);
      throw error;
    }
  }
  const { words, timeoutMs } = model;
  return fillBatches(wanted, {
    ask: (prompt) =>
      runModel({ words, prompt, timeoutMs, signal, onStderr: (text) => terminal.writeError(text) }),
    onBatch: (batch, batches, count) =>
      terminal.notify(`batch ${batch} of ${batches}: ${count} ${count === 1 ? 'tool' : 'tools'} …`),
  });
}

async function readAnswerText(file: string, terminal: Terminal): Promise<string> {
  const bytes =
    file === '-' ? await terminal.readInput('--answer') : await readFile(file).catch(toCommandError(file));
  if (!bytes || bytes.length > MAX_INPUT_BYTES)
    throw new CommandError(`${file} has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB.`);
  return bytes.toString();
}

function toCommandError(file: string): (error: Error) => never {
  return (error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  };
}
