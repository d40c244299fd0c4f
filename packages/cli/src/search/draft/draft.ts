import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { SearchSidecar } from '@toolfold/search';
import { untilAborted } from '@toolfold/schema/internal';
import { splitWords } from '../../diff/read-sides.js';
import { openTarget, whileOpen } from '../../target/open-target.js';
import { readOnlyTarget, readTargetOptions, targetSpecs } from '../../target/read-target.js';
import type { ReadArguments } from '../../terminal/read-arguments.js';
import {
  assertListed,
  CommandError,
  exitCodes,
  MAX_INPUT_BYTES,
  saveFile,
  UsageError,
} from '@toolfold/analysis/internal';
import { withSignals } from '../../terminal/terminal.js';
import { serverExits } from '../../terminal/command.js';
import type { Command } from '../../terminal/command.js';
import type { Terminal } from '../../terminal/terminal.js';
import { toLine } from 'toolfold/internal';
import { readSidecarFile, SEARCH_FILE, warnOfUnknownAddresses } from '../read-sidecar.js';
import { askCommand } from './ask-command.js';
import { readAnswer } from './draft-answer.js';
import type { Draft } from './draft-answer.js';
import { fileLimits, isPrompt, splitBatches, writePrompt } from './draft-prompt.js';
import { readDraftedTools } from './drafted-tools.js';
import type { DraftedTool } from './drafted-tools.js';
import { compareSidecars, withKeywords, wordsIn, writeChanges, writeSidecar } from './search-file.js';

const PROMPT_FILE = 'search-prompt.md';
const ALL_DRAFTED = 'All tools have keywords. Pass --all to replace those in the search file.';

export const draftCommand: Command = {
  summary: 'Write the keywords of tools to a file, with any model',
  about: `Draft the keywords by which the search finds tools, and write them to a search file for review.

Usage:
  toolfold search draft [options] <file>
  toolfold search draft [options] <url>
  toolfold search draft [options] -- <command> [arguments]

The file exports a registry, or is a saved tools/list (JSON). The command writes a prompt. Give it to any model, and pass its answer with
--answer. With --command, a program asks the model: the prompt is its standard input, and its standard output must be the answer.
Keywords that are already in the search file, or in a definition, are kept.`,
  specs: {
    output: { value: 'file', help: `The search file to create or complete. Default: ${SEARCH_FILE}` },
    prompt: {
      value: 'file',
      help: `The file for the prompt, or - for standard output. Default: ${PROMPT_FILE}`,
    },
    answer: {
      value: 'file',
      help: 'The answer of a model to the prompt, or - for standard input, to check and add to the search file',
    },
    command: {
      value: '"program arguments"',
      help: 'Program that gets the prompt on standard input and prints the answer of a model',
    },
    all: {
      help: 'Draft keywords for all tools, and replace those in the search file. Default: only missing ones',
    },
    'dry-run': { help: 'Write nothing' },
    ...targetSpecs,
    json: { help: 'Print the changes, or the error, as JSON' },
  },
  examples: [
    'toolfold search draft server.ts',
    'toolfold search draft server.ts --answer answer.json',
    'toolfold search draft server.ts --command "llm -m my-model"',
    'toolfold search draft --command "llm -m my-model" -- npx -y some-server',
  ],
  exits: {
    0: 'the prompt or the search file is written, or nothing is missing',
    1: 'the server could not be read, or the model did not answer with keywords',
    ...serverExits,
  },
  run: draft,
};

async function draft(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const one = (name: string): string | undefined => options.get(name)?.[0];
  const file = one('output') ?? SEARCH_FILE;
  if (file === '') throw new UsageError('--output needs the name of a file.');
  const given = ['command', 'answer', 'prompt'].filter((name) => options.has(name));
  if (given.length > 1)
    throw new UsageError(`Pass only one of ${given.map((name) => `--${name}`).join(' and ')}.`);
  const command = one('command');
  const program = command === undefined ? undefined : splitWords(command, '--command');
  if (program?.length === 0) throw new UsageError('--command needs a program: --command "program arguments"');
  const answer = one('answer');

  return withSignals(terminal.host, async (signal) => {
    const tools = await listTools(read, terminal, signal);
    const before: SearchSidecar = existsSync(file) ? readSidecarFile(file) : { version: 1, tools: {} };
    warnOfUnknownAddresses(file, before, new Set(tools.map(({ address }) => address)), (message) =>
      terminal.notify(message),
    );
    const missing = tools.filter((tool) => !hasKeywords(tool, before));
    const wanted = options.has('all') ? tools : missing;
    let drafted: Draft = { keywords: new Map(), problems: [ALL_DRAFTED] };
    if (wanted.length > 0) {
      if (program) drafted = await askCommand(program, wanted, { terminal, signal });
      else if (answer !== undefined)
        drafted = readAnswer(await untilAborted(readText(answer, terminal), signal), wanted);
      else
        return savePrompt(wanted, { file, tools: tools.length, missing: missing.length }, { read, terminal });
    }
    const after = withKeywords(before, drafted.keywords);
    const changes = compareSidecars(before, after);
    const isWritten = changes.length > 0 && !options.has('dry-run');
    if (isWritten) saveFile(file, writeSidecar(after));
    for (const line of drafted.problems) terminal.notify(toLine(line));
    const open = tools.filter((tool) => !hasKeywords(tool, after)).length;
    if (options.has('json'))
      terminal.printJson({
        file,
        isWritten,
        tools: tools.length,
        missing: open,
        changes,
        problems: drafted.problems,
      });
    else {
      if (changes.length > 0) terminal.printColoured((isColoured) => writeChanges(changes, isColoured));
      const what = `${changes.length} of ${tools.length} tools changed, ${open} without keywords`;
      terminal.print(`${file}: ${what}${isWritten || changes.length === 0 ? '' : '; not written'}`);
    }
    if (drafted.failure) throw drafted.failure;
    return wanted.length > 0 && drafted.keywords.size === 0 ? exitCodes.failed : exitCodes.done;
  });
}

async function listTools(
  read: ReadArguments,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<readonly DraftedTool[]> {
  const settings = { ...readTargetOptions(read), isAuthored: true, terminal, signal };
  const opening = openTarget(readOnlyTarget(read, 'search draft'), settings);
  return whileOpen(opening, (opened) => {
    assertListed(opened);
    const tools = readDraftedTools(opened);
    if (tools.length === 0) throw new CommandError('The server has no tools.');
    return tools;
  });
}

function hasKeywords({ address, search }: DraftedTool, sidecar: SearchSidecar): boolean {
  return [search, wordsIn(sidecar, address)].some((words) => (words?.keywords ?? []).length > 0);
}

/** Writes a prompt for as many tools as a user can copy at once. */
function savePrompt(
  wanted: readonly DraftedTool[],
  counts: { readonly file: string; readonly tools: number; readonly missing: number },
  { read: { options }, terminal }: { readonly read: ReadArguments; readonly terminal: Terminal },
): number {
  const [first = []] = splitBatches(wanted, fileLimits);
  const rest = wanted.length - first.length;
  const prompt = options.get('prompt')?.[0] ?? PROMPT_FILE;
  const isPrinted = prompt === '-';
  const isWritten = !isPrinted && !options.has('dry-run');
  if (isPrinted) terminal.print(writePrompt(first));
  if (isWritten)
    saveFile(prompt, writePrompt(first), () =>
      isPrompt(readFileSync(prompt, 'utf8'))
        ? undefined
        : 'has other contents, so it is not replaced. Choose another file.',
    );
  if (options.has('json') && !isPrinted) {
    terminal.printJson({ ...counts, isWritten: false, changes: [], problems: [], prompt });
    return exitCodes.done;
  }
  const again = `run toolfold search draft again with ${options.has('all') ? '--all, ' : ''}--answer and that file.`;
  const lines = [
    `${counts.file}: ${counts.missing} of ${counts.tools} tools have no keywords.`,
    ...(isWritten ? [`${prompt}: give this prompt to a model, save its answer, and ${again}`] : []),
    ...(rest > 0
      ? [`The prompt has ${first.length} tools. Run the command again for the other ${rest}.`]
      : []),
  ];
  for (const line of lines)
    if (isPrinted) terminal.notify(line);
    else terminal.print(line);
  return exitCodes.done;
}

async function readText(file: string, terminal: Terminal): Promise<string> {
  const bytes =
    file === '-'
      ? await terminal.readInput('--answer')
      : await readFile(file).catch((error: Error) => {
          throw new CommandError(`${file} cannot be read: ${error.message}`);
        });
  if (!bytes || bytes.length > MAX_INPUT_BYTES)
    throw new CommandError(`${file} has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB.`);
  return bytes.toString();
}
