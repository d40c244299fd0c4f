import { listNames } from '../../schema/validate/describe-issues.js';
import { toWireName } from '../../protocol/wire-name.js';
import type { JsonSchemaObject } from '../../index.js';
import { UsageError } from '../terminal/exit-codes.js';
import { hintNames } from './hint-names.js';
import type { ListedAction, ListedTool } from './listed-tool.js';

/** What an address leads to: a tool, or an action of one. */
export interface FoundTool {
  readonly listed: ListedTool;
  readonly action: ListedAction | undefined;
  /** What it takes, without the argument that names the action. */
  readonly inputSchema: JsonSchemaObject;
  /** The argument that names the action, where there is one. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly isFilled: boolean;
  /** What is sent for its arguments, where another tool calls it. */
  readonly toArguments?: (values: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
}

interface Candidate {
  readonly names: readonly string[];
  readonly listed: ListedTool;
  readonly action?: ListedAction;
}

/** Finds what is to be called by its address, its name in either form, or the name of its tool. */
export function findTool(tools: readonly ListedTool[], address: string): FoundTool {
  const found = findListed(tools, address);
  if (found) return found;
  const known = tools.flatMap(candidatesOf).map(({ names }) => names[0] as string);
  throw new UsageError(`There is no tool or action "${address}". ${hintNames(address, known)}`);
}

export function findListed(tools: readonly ListedTool[], address: string): FoundTool | undefined {
  const candidates = tools.flatMap(candidatesOf);
  const found =
    candidates.find(({ names }) => names.includes(address)) ??
    candidates.find(({ names }) => names.some((name) => plain(name) === plain(address)));
  return found && toFound(found);
}

/** An action of a tool that was found, by the key that was written. */
export function chooseAction({ listed }: FoundTool, key: string | undefined): FoundTool {
  const { discriminator, actions, tool } = listed;
  const keys = actions.map((each) => each.key);
  if (key === undefined)
    throw new UsageError(
      `Which action of "${tool.name}"? Write ${discriminator}=… or ${tool.name}/…. There are: ${listNames(keys)}.`,
    );
  const action = actions.find((each) => each.key === key);
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

/** What is the same in an address, a qualified name and a name on the wire. */
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
