import { isJsonObject } from '@toolfold/schema/internal';
import type { CallToolResult } from 'toolfold';
import { chooseAction, findListed, findSearched, findTool, isSearched } from '../target/find-tool.js';
import type { FoundTool } from '../target/find-tool.js';
import { withTarget } from '../target/open-target.js';
import type { CallHooks, LogMessage, Progress, ToolRequest } from '@toolfold/analysis/internal';
import {
  describeForms,
  readFormOptions,
  readProfile,
  readTarget,
  readTargetOptions,
  targetSpecs,
} from '../target/read-target.js';
import { assertCallable } from '../target/saved-list.js';
import { exitCodes, UsageError, withShownActions } from '@toolfold/analysis/internal';
import { describeError } from '../terminal/describe-error.js';
import { withDeadline } from '../terminal/deadline.js';
import { toLine } from 'toolfold/internal';
import { readList } from '../terminal/read-arguments.js';
import type { ReadArguments } from '../terminal/read-arguments.js';
import type { Command } from '../terminal/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { createAsker } from './ask-person.js';
import { printResult } from './print-result.js';
import { assertComplete, readAssignments, readFields, readText } from './read-fields.js';
import type { Assignment } from './read-fields.js';

export const callCommand: Command = {
  summary: 'Call a tool',
  about: `Call a tool, or an action of a tool.

Usage:
  toolfold call [options] <file> <address> [key=value …]
  toolfold call [options] <url> <address> [key=value …]
  toolfold call [options] <address> [key=value …] -- <command> [arguments]

An address is a tool (ping), an action (platform/users.create), or a tool with its action as a field (platform
action=users.create). Fields are converted using the schema of the tool:
  limit=5 dry=true note=null   a number, a boolean or null if the field accepts it; otherwise text
  tag=a tag=b                  a list
  owner.name=Ada               a field of an object; rows.0.name=Ada is a field of a list item
  filter:='{"a":1}'            JSON
  text=@notes.md               the content of a file; text=@- reads standard input
  rows:=@a.json                the content of a file, as JSON`,
  specs: {
    input: {
      value: 'json|-',
      help: 'All arguments as JSON, or - to read them from standard input; fields override them',
    },
    output: {
      value: 'folder',
      help: 'Folder for images, audio and other files. Default: the current folder',
    },
    force: { help: 'Overwrite existing files' },
    scopes: { value: 'a,b', isRepeatable: true, help: 'With a file: the scopes of the caller' },
    ...describeForms('With a file: the form whose tools can be called. Default: grouped'),
    profile: {
      value: 'name',
      help: 'With a file: take the arguments in the form that this client sees. Default: the form of the author',
    },
    ...targetSpecs,
    json: { help: 'Print the whole result, or the error, as JSON, and write no files' },
  },
  examples: [
    'toolfold call server.ts platform/users.list workspace_id=w1 limit=5',
    'toolfold call https://example.com/mcp search query=tea --header "Authorization: Bearer $TOKEN"',
    'toolfold call server.ts run_code code=@report.js --form code',
    'toolfold call get-sum a=1 b=2 -- npx -y @modelcontextprotocol/server-everything',
  ],
  exits: {
    0: 'the tool returned a result',
    1: 'the tool could not be called',
    3: 'the tool reported an error',
    4: 'the server rejected the request, or its answer is not valid MCP',
    130: 'Ctrl-C',
  },
  run: call,
};

async function call(read: ReadArguments, terminal: Terminal): Promise<number> {
  const { options } = read;
  const { target, others } = readTarget(read);
  assertCallable(target);
  const [address, ...words] = others;
  if (address === undefined)
    throw new UsageError('No tool given. Pass its name or address; toolfold inspect lists them.');
  const settings = readTargetOptions(read);
  const form = readFormOptions(read);
  const profile = readProfile(options.get('profile')?.[0]);
  if (profile !== undefined && !('file' in target))
    throw new UsageError('--profile works only with a file. A server chooses the form of its tools itself.');
  const scopes = readList(options.get('scopes')) ?? [];
  if (scopes.length > 0 && !('file' in target))
    throw new UsageError(
      '--scopes works only with a file. A server decides by credentials; pass them with --header.',
    );
  // Read standard input before signals are handled, so that Ctrl-C ends the process.
  const assignments = await readAssignments(words, terminal);
  const input = await readInput(options.get('input')?.[0], terminal);
  const opening = {
    ...settings,
    ...form,
    profile,
    isAuthored: profile === undefined,
    terminal,
    onStderr: (text: string) => terminal.writeError(text),
  };
  return withTarget(target, opening, async (opened, signal) => {
    const request = (each: ToolRequest): Promise<CallToolResult> =>
      runCall((hooks) => opened.call(each, hooks), { ...settings, terminal, signal, scopes });
    const tools = profile === undefined ? opened.tools : opened.tools.map(withShownActions);
    const found =
      !findListed(tools, address) && isSearched(tools)
        ? await findSearched(tools, address, request)
        : findTool(tools, address);
    const { name, values } = prepare(found, assignments, input);
    const calling = request({ name, arguments: values });
    const result = await terminal.withNotice(`waiting for ${name}`, calling);
    if (options.has('json')) terminal.printJson(result);
    else
      printResult(result, {
        name: found.toArguments ? address : name,
        folder: options.get('output')?.[0] ?? '.',
        force: options.has('force'),
        write: (text) => (result.isError === true ? terminal.printError(text) : terminal.print(text)),
      });
    return result.isError === true ? exitCodes.toolFailed : exitCodes.done;
  });
}

/** Combines `--input`, the fields that override it, and the action of a grouped tool. */
function prepare(
  found: FoundTool,
  assignments: readonly Assignment[],
  input: Record<string, unknown> | undefined,
): { readonly name: string; readonly values: Readonly<Record<string, unknown>> } {
  const { tool, discriminator, actions } = found.listed;
  let chosen = found;
  let rest = assignments;
  let base = input ?? {};
  if (discriminator !== undefined && actions.length > 0 && !found.action) {
    const word = assignments.find(({ key }) => key === discriminator);
    const { [discriminator]: given, ...others } = base;
    chosen = chooseAction(found, word?.text ?? (given as string | undefined));
    rest = assignments.filter((each) => each !== word);
    base = others;
  }
  const values = readFields(rest, chosen.inputSchema, base);
  // With --input, or if the tool fills in arguments itself, the server reports missing fields.
  if (input === undefined && !chosen.isFilled) assertComplete(values, chosen.inputSchema);
  const { fixed, toArguments = (all) => ({ ...fixed, ...all }) } = chosen;
  return { name: tool.name, values: toArguments(values) };
}

async function readInput(
  text: string | undefined,
  terminal: Terminal,
): Promise<Record<string, unknown> | undefined> {
  if (text === undefined) return undefined;
  const json =
    text === '-'
      ? (await readText({ path: '-', wantedBy: '--input' }, terminal)).replace(/^\uFEFF/, '')
      : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--input must be valid JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new UsageError('--input must be a JSON object: {"key": "value"}.');
  return value;
}

interface RunOptions {
  readonly terminal: Terminal;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly scopes: readonly string[];
}

/** Runs a call. Progress and log messages restart its timeout. */
function runCall(
  run: (hooks: CallHooks) => Promise<CallToolResult>,
  { terminal, timeoutMs, signal, scopes }: RunOptions,
): Promise<CallToolResult> {
  const message = `There was no answer for ${timeoutMs / 1_000} s. Raise the limit with --timeout.`;
  return withDeadline({ timeoutMs, signal, message }, (deadline) => {
    const ask = createAsker(terminal, deadline.signal);
    return run({
      signal: deadline.signal,
      scopes,
      ask: (question) => deadline.pause(() => ask(question)),
      onProgress: (progress) => {
        deadline.renew();
        terminal.printError(describeProgress(progress));
      },
      onLog: (log) => {
        deadline.renew();
        terminal.printError(describeLog(log));
      },
      onFault: (error) => terminal.printError(describeError(error)),
    });
  });
}

function describeProgress({ progress, total, message }: Progress): string {
  const step = total === undefined ? String(progress) : `${progress}/${total}`;
  return `[${step}]${message === undefined ? '' : ` ${toLine(message)}`}`;
}

function describeLog({ level, data, logger }: LogMessage): string {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  return `[${toLine(level)}]${logger === undefined ? '' : ` ${toLine(logger)}:`} ${toLine(text)}`;
}
