import { findSearchedCall, isSearched as isSearchedList } from '@toolfold/testing/internal';
import { toLine, toWireName } from 'toolfold/internal';
import { isJsonObject, listNames } from '@toolfold/schema/internal';
import type { CallToolResult, JsonSchemaObject } from 'toolfold';
import { assertKnown, CommandError, exitCodes, hintNames, UsageError } from '@toolfold/analysis/internal';
import { parseJson } from '../call/field-schema.js';
import type { ListedAction, ListedTool, ToolRequest } from '@toolfold/analysis/internal';

export interface FoundTool {
  readonly listed: ListedTool;
  readonly action: ListedAction | undefined;
  /** Input without the argument that selects the action. */
  readonly inputSchema: JsonSchemaObject;
  /** The argument that selects the action, if there is one. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly isFilled: boolean;
  /** Wraps the arguments if the call goes through another tool. */
  readonly toArguments?: (values: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

interface Candidate {
  readonly names: readonly string[];
  readonly listed: ListedTool;
  readonly action?: ListedAction;
}

/** Finds a tool or action by its address, flat name or id. */
export function findTool(tools: readonly ListedTool[], address: string): FoundTool {
  const found = findListed(tools, address);
  if (found) return found;
  const known = tools.flatMap(candidatesOf).map(({ names }) => names[0] as string);
  const hint = address === 'run_code' ? 'With a file, add --form code.' : hintNames(address, known);
  throw new UsageError(`Unknown tool or action "${address}". ${hint}`);
}

export function findListed(tools: readonly ListedTool[], address: string): FoundTool | undefined {
  const candidates = tools.flatMap(candidatesOf);
  const found =
    candidates.find(({ names }) => names.includes(address)) ??
    candidates.find(({ names }) => names.some((name) => plain(name) === plain(address))) ??
    tools.flatMap(formerOf).find(({ names }) => names.includes(address));
  return found && toFound(found);
}

export function chooseAction({ listed }: FoundTool, key: string | undefined): FoundTool {
  const { discriminator, actions, tool } = listed;
  const keys = actions.map((each) => each.key);
  if (key === undefined)
    throw new UsageError(
      `"${tool.name}" needs an action: ${discriminator}=… or ${tool.name}/…. Available: ${listNames(keys)}.`,
    );
  const action =
    actions.find((each) => each.key === key) ?? actions.find(({ aliases }) => aliases?.includes(key));
  if (action) return toFound({ names: [], listed, action });
  throw new UsageError(`"${tool.name}" has no action "${key}". ${hintNames(key, keys)}`);
}

function candidatesOf(listed: ListedTool): Candidate[] {
  const { tool, id, actions } = listed;
  return [
    { names: id === undefined ? [tool.name] : [tool.name, id], listed },
    ...actions.map((action) => ({
      names: [action.address, toWireName(tool.name, ...action.key.split('.'))],
      listed,
      action,
    })),
  ];
}

function namesOf(tool: string, key: string): string[] {
  return [`${tool}/${key}`, toWireName(tool, ...key.split('.'))];
}

function formerOf(listed: ListedTool): Candidate[] {
  const { tool, aliases = [], actions } = listed;
  return [
    { names: aliases, listed },
    ...actions.map((action) => {
      const keys = [action.key, ...(action.aliases ?? [])];
      const names = [tool.name, ...aliases].flatMap((name) => keys.flatMap((key) => namesOf(name, key)));
      return { names, listed, action };
    }),
  ];
}

/** Normalises a name, so that address, qualified name and wire name are equal. */
function plain(name: string): string {
  return name.replaceAll(/[./]/g, '_');
}

function toFound({ listed, action }: Candidate): FoundTool {
  const { tool, discriminator } = listed;
  return {
    listed,
    action,
    inputSchema: action?.inputSchema ?? tool.inputSchema,
    fixed: action && discriminator !== undefined ? { [discriminator]: action.key } : {},
    isFilled: action?.isFilled ?? listed.isFilled,
  };
}

const DESCRIBE = 'describe_tools';
const callers = new Set(['call_read_tool', 'call_write_tool']);

export function isSearched(tools: readonly ListedTool[]): boolean {
  return isSearchedList(tools.map(({ tool }) => tool));
}

/** Finds a tool on a server in the search form, which does not list it. The call goes through another tool. */
export async function findSearched(
  tools: readonly ListedTool[],
  address: string,
  call: (request: ToolRequest) => Promise<CallToolResult>,
): Promise<FoundTool> {
  const names = new Set(tools.map(({ tool }) => tool.name));
  if (![...callers].every((name) => names.has(name))) return findInCodeForm(tools, address, call);
  const result = await call({ name: DESCRIBE, arguments: { addresses: [address] } });
  const [first] = result.content ?? [];
  const text = first?.type === 'text' ? first.text : '';
  if (result.isError === true) throw new UsageError(toLine(text, 1_000));
  const described = result.structuredContent ?? parseJson(text);
  const [found] = isJsonObject(described) && Array.isArray(described['tools']) ? described['tools'] : [];
  const { callWith, inputSchema } = isJsonObject(found) ? found : {};
  const listed = tools.find(({ tool }) => tool.name === callWith);
  if (!listed || !callers.has(listed.tool.name) || !isJsonObject(inputSchema))
    throw new CommandError(
      `${DESCRIBE} did not return a usable description of "${address}".`,
      exitCodes.protocol,
    );
  return {
    listed,
    action: undefined,
    inputSchema,
    fixed: {},
    isFilled: false,
    toArguments: (values) => ({ address, arguments: values }),
  };
}

/** Finds a tool on a server in the code form. The server returns no schema, so fields are sent as text unless they are JSON. */
async function findInCodeForm(
  tools: readonly ListedTool[],
  address: string,
  call: (request: ToolRequest) => Promise<CallToolResult>,
): Promise<FoundTool> {
  const found = await findSearchedCall(
    tools.map(({ tool }) => tool),
    address,
    {},
    async (request) => ({ ...(await call(request)) }),
  );
  const inputSchema = { type: 'object' } as const;
  return {
    listed: { ...(tools[0] as ListedTool), tool: { name: found.name, inputSchema } },
    action: undefined,
    inputSchema,
    fixed: {},
    isFilled: true,
    toArguments: (values) => ({ ...found.arguments, arguments: values }),
  };
}

export interface ToolChoice {
  /** Include only tools whose name starts with one of these words. */
  readonly toolsets?: readonly string[] | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly excludeTools?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
}

/** A tool as a server lists it, or a Toolfold definition. */
interface Chooseable {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean | undefined } | undefined;
  readonly metadata?: { readonly annotations?: { readonly readOnlyHint?: boolean | undefined } } | undefined;
}

export function assertChoice(
  tools: readonly Chooseable[],
  { toolsets, tools: only, excludeTools }: ToolChoice,
): void {
  const names = tools.map(({ name }) => name);
  for (const name of [...(only ?? []), ...(excludeTools ?? [])]) assertKnown('tool', name, names);
  const words = [...new Set(names.map(firstWord))];
  for (const name of toolsets ?? []) assertKnown('toolset', name, words);
}

export function selectTools<T extends Chooseable>(tools: readonly T[], choice: ToolChoice): T[] {
  const { toolsets, tools: only, excludeTools = [], readOnly } = choice;
  return tools.filter(
    (tool) =>
      (!toolsets || toolsets.includes(firstWord(tool.name))) &&
      (!only || only.includes(tool.name)) &&
      !excludeTools.includes(tool.name) &&
      (readOnly !== true || (tool.annotations ?? tool.metadata?.annotations)?.readOnlyHint === true),
  );
}

function firstWord(name: string): string {
  return /^[^_-]+/.exec(name)?.[0] ?? name;
}
