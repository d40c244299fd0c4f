import { isJsonObject } from '../../values/json-value.js';
import type { CallToolResult } from '../../index.js';
import { createAsker } from './ask-person.js';
import { CommandError, exitCodes, UsageError } from '../terminal/exit-codes.js';
import { findSearched, isSearched } from './find-searched.js';
import { chooseAction, findListed, findTool } from '../target/find-tool.js';
import type { FoundTool } from '../target/find-tool.js';
import { openTarget } from '../target/open-target.js';
import type { CallHooks, LogMessage, Progress, ToolRequest } from '../target/open-target.js';
import { Patience, untilAborted } from '../terminal/deadline.js';
import { complain, passOn, print, printJson, toLine, withNotice } from '../terminal/output.js';
import { printResult } from './print-result.js';
import { describeOptions, readArguments, readList } from '../terminal/read-arguments.js';
import type { OptionSpecs } from '../terminal/read-arguments.js';
import { assertComplete, readAssignment, readFields } from './read-fields.js';
import type { Assignment } from './read-fields.js';
import { readText } from './read-file.js';
import { readTarget } from '../target/read-target.js';
import { readTargetOptions, targetSpecs } from '../target/target-options.js';
import { withSignals } from '../terminal/with-signals.js';

export const callSpecs: OptionSpecs = {
  input: { value: 'json|-', help: 'All arguments as JSON, or - for standard input; fields come on top' },
  output: { value: 'folder', help: 'Where images, audio and other files go. Default: this folder' },
  force: { help: 'Overwrite files that are there' },
  scopes: { value: 'a,b', isRepeatable: true, help: 'With a file: the scopes that the call has' },
  ...targetSpecs,
  json: { help: 'Print the whole result as JSON, or what went wrong, and write no files' },
  help: { help: 'Show this' },
};

export const callHelp = `Calls a tool, or an action of one.

Usage:
  toolfold call [options] <file> <address> [key=value …]
  toolfold call [options] <https://address> <address> [key=value …]
  toolfold call [options] <address> [key=value …] -- command [arguments]

An address is a tool (ping), an action (platform/users.create), or a tool whose action is a field (platform
action=users.create). Fields are typed by the schema:
  limit=5 dry=true note=null   a number, true or false, null, where the field takes them; otherwise text
  tag=a tag=b                  a list
  owner.name=Ada               a field of an object, or of an item of a list: rows.0.name=Ada
  filter:='{"a":1}'            JSON
  text=@notes.md  rows:=@a.json    what a file holds; text=@- what standard input holds

Options:
${describeOptions(callSpecs)}

Examples:
  toolfold call server.ts platform/users.list workspace_id=w1 limit=5
  toolfold call https://example.com/mcp search query=tea --header "Authorization: Bearer $TOKEN"
  toolfold call get-sum a=1 b=2 -- npx -y @modelcontextprotocol/server-everything

It ends with 0 when the tool gave a result, 1 when it could not be called, 2 when the command line is wrong, 3 when the
tool says that it failed, 4 when the server refused the request or its answer is no MCP, and 130 on Ctrl-C.
`;

/** Calls once, and prints what comes. */
export async function call(argv: readonly string[]): Promise<number> {
  const read = readArguments(argv, callSpecs);
  const { options } = read;
  if (options.has('help')) {
    print(callHelp);
    return exitCodes.done;
  }
  const { target, others } = readTarget(read);
  const [address, ...words] = others;
  if (address === undefined)
    throw new UsageError('Which tool? Write its name or address. toolfold inspect lists them.');
  const settings = readTargetOptions(read);
  const scopes = readList(options.get('scopes')) ?? [];
  if (scopes.length > 0 && !('file' in target))
    throw new UsageError('--scopes is for files: a server decides by credentials, which --header can send.');
  const assignments = words.map((word) => readAssignment(word));
  const input = readInput(options.get('input')?.[0]);
  return withSignals(async (signal) => {
    const opened = await openTarget(target, {
      ...settings,
      signal,
      onStderr: passOn,
    });
    try {
      const request = (each: ToolRequest): Promise<CallToolResult> =>
        runWithin(settings.timeoutMs, { signal, scopes, run: (hooks) => opened.call(each, hooks) });
      const { tools } = opened;
      const found =
        !findListed(tools, address) && isSearched(tools)
          ? await findSearched(tools, address, request)
          : findTool(tools, address);
      const { name, values } = prepare(found, assignments, input);
      const result = await withNotice(`waiting for ${name}`, request({ name, arguments: values }));
      if (options.has('json')) printJson(result);
      else
        printResult(result, {
          name: found.toArguments ? address : name,
          folder: options.get('output')?.[0] ?? '.',
          force: options.has('force'),
          ...(result.isError === true ? { write: complain } : {}),
        });
      return result.isError === true ? exitCodes.toolFailed : exitCodes.done;
    } finally {
      await opened.close().catch(() => undefined);
    }
  });
}

/** What is sent: the fields that were written, on top of what was given as a whole, with the action that is meant. */
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
  // Whoever gives all arguments at once, or a tool that fills them in, knows what may be missing.
  if (input === undefined && !chosen.isFilled) assertComplete(values, chosen.inputSchema);
  const { fixed, toArguments = (all) => ({ ...fixed, ...all }) } = chosen;
  return { name: tool.name, values: toArguments(values) };
}

function readInput(text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  const json = text === '-' ? readText({ path: '-', wantedBy: '--input' }).replace(/^\uFEFF/, '') : text;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new UsageError(`--input needs JSON: ${(error as Error).message}`);
  }
  if (!isJsonObject(value)) throw new UsageError('--input needs an object: {"key": "value"}.');
  return value;
}

interface Running {
  readonly signal: AbortSignal;
  readonly scopes: readonly string[];
  readonly run: (hooks: CallHooks) => Promise<CallToolResult>;
}

/** Runs a call as long as it gives signs of life. Neither a silent server nor a tool in this process is waited for. */
async function runWithin(timeoutMs: number, { signal, scopes, run }: Running): Promise<CallToolResult> {
  const patience = new Patience(timeoutMs);
  const either = AbortSignal.any([signal, patience.signal]);
  const ask = createAsker(either);
  try {
    const running = run({
      signal: either,
      scopes,
      ask: (question) => patience.pause(() => ask(question)),
      onProgress: (progress) => {
        patience.renew();
        showProgress(progress);
      },
      onLog: (message) => {
        patience.renew();
        showLog(message);
      },
    });
    return await untilAborted(running, either);
  } catch (error) {
    if (!patience.signal.aborted || signal.aborted) throw error;
    throw new CommandError(`There was no answer for ${timeoutMs / 1_000} s. --timeout gives it longer.`);
  } finally {
    patience.end();
  }
}

function showProgress({ progress, total, message }: Progress): void {
  const far = total === undefined ? String(progress) : `${progress}/${total}`;
  complain(`[${far}]${message === undefined ? '' : ` ${toLine(message)}`}`);
}

function showLog({ level, data, logger }: LogMessage): void {
  const text = typeof data === 'string' ? data : JSON.stringify(data);
  complain(`[${toLine(level)}]${logger === undefined ? '' : ` ${toLine(logger)}:`} ${toLine(text)}`);
}
