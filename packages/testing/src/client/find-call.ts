import type { McpTool } from '@toolfold/profiles';
import { AUTHORED_NAME, toWireName, wireNameOf } from 'toolfold/internal';
import { isJsonObject } from '@toolfold/schema/internal';
import { findDiscriminator } from './find-discriminator.js';

/** The name and arguments that the server receives. */
export interface WireCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Whether the action has an output schema. `undefined` for an action of a grouped tool, whose schema covers all its actions. */
  readonly hasOutput?: boolean | undefined;
}

type Arguments = Readonly<Record<string, unknown>>;

/** One way to split a path into namespace, tool and key of the action. */
interface Reading {
  readonly namespace: string | undefined;
  readonly tool: string;
  readonly key: string;
}

/**
 * Finds the listed tool that runs an action, in whatever form the client sees it. The name is a listed tool, a path (`platform.users.list`)
 * or an address (`platform/users.list`). Returns `undefined` if no listed tool fits.
 */
export function findCall(tools: readonly McpTool[], name: string, input: Arguments): WireCall | undefined {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  for (const tool of tools) {
    const authored = tool._meta?.[AUTHORED_NAME];
    if (typeof authored === 'string' && !byName.has(authored)) byName.set(authored, tool);
  }
  const readings = readingsOf(name);
  for (const flat of [name, ...readings.map(flatName)]) {
    const tool = byName.get(flat);
    if (tool) return { name: tool.name, arguments: input, hasOutput: outputOf(tool) };
  }
  const grouped = readings.flatMap(({ namespace, tool, key }) =>
    // A tool that is split by risk is listed as two tools.
    [tool, toWireName(tool, 'read'), toWireName(tool, 'write')].flatMap((part) => {
      const listed = byName.get(wireNameOf({ namespace, name: part }));
      const actions = listed && findDiscriminator(listed);
      return actions && key !== '' ? [{ name: listed.name, key, ...actions }] : [];
    }),
  );
  // The server rejects a key that its tool does not have, and suggests others.
  const found = grouped.find(({ key, keys }) => keys.includes(key)) ?? grouped[0];
  // The path decides which action runs, so a field of the input must not replace the key.
  return found && { name: found.name, arguments: { ...input, [found.discriminator]: found.key } };
}

/** Grouped tools may not list the output schemas of their actions, so the answer is known only for other tools. */
function outputOf(tool: McpTool): boolean | undefined {
  return findDiscriminator(tool) ? undefined : tool.outputSchema !== undefined;
}

const DESCRIBE = 'describe_tools';
const READ = 'call_read_tool';
const WRITE = 'call_write_tool';
const searchTools = [DESCRIBE, READ, WRITE];
const codeTools = [DESCRIBE, 'search_tools', 'run_code'];

type Call = (call: WireCall) => Promise<Readonly<Record<string, unknown>>>;

/** Whether the client sees the search form or the code form, whose tools find and call all others. */
export function isSearched(tools: readonly McpTool[]): boolean {
  return hasAll(tools, searchTools) || hasAll(tools, codeTools);
}

function hasAll(tools: readonly McpTool[], names: readonly string[]): boolean {
  return names.every((each) => tools.some(({ name }) => name === each));
}

/**
 * Finds an action in the search form by asking `describe_tools` which tool calls it, as a model does. An action that does not exist is
 * called too, so that the caller gets the error of the server.
 */
export async function findSearchedCall(
  tools: readonly McpTool[],
  name: string,
  input: Arguments,
  call: Call,
): Promise<WireCall> {
  const addresses = addressesOf(name);
  if (!hasAll(tools, searchTools)) return findCallInCodeForm(addresses, name, input, call);
  const { structuredContent } = await call({ name: DESCRIBE, arguments: { addresses } });
  const listed = isJsonObject(structuredContent) ? structuredContent['tools'] : undefined;
  const [found] = Array.isArray(listed) ? (listed as unknown[]) : [];
  const { callWith, address, outputSchema } = isJsonObject(found) ? found : {};
  if (typeof callWith === 'string' && typeof address === 'string')
    return {
      name: callWith,
      arguments: { address, arguments: input },
      hasOutput: outputSchema !== undefined,
    };
  return { name: WRITE, arguments: { address: addresses[0] ?? name, arguments: input } };
}

/**
 * Finds an action in the code form, whose `describe_tools` returns only declarations. A call with invalid arguments runs nothing, but its
 * error says whether the address exists and which tool calls it.
 */
async function findCallInCodeForm(
  addresses: readonly string[],
  name: string,
  input: Arguments,
  call: Call,
): Promise<WireCall> {
  for (const address of addresses) {
    const { _meta } = await call({ name: READ, arguments: { address, arguments: [] } });
    const error = isJsonObject(_meta) ? _meta['toolfold/error'] : undefined;
    const { code, suggestions } = isJsonObject(error) ? error : {};
    if (code === 'ErrUnknownTool') continue;
    const isWrite = Array.isArray(suggestions) && suggestions.includes(WRITE);
    return { name: isWrite ? WRITE : READ, arguments: { address, arguments: input } };
  }
  return { name: WRITE, arguments: { address: addresses[0] ?? name, arguments: input } };
}

/** `describe_tools` takes at most this many addresses. */
const MAX_ADDRESSES = 20;

/** Returns the addresses that a path can mean: `acme.users.list` is `users.list` of `acme`, or `list` of `acme:users`. */
function addressesOf(name: string): readonly string[] {
  if (/[/:]/.test(name)) return [name];
  const readings = readingsOf(name).map(({ namespace, tool, key }) => {
    const id = namespace === undefined ? tool : `${namespace}:${tool}`;
    return key === '' ? id : `${id}/${key}`;
  });
  return readings.slice(0, MAX_ADDRESSES);
}

/** Returns all ways to read a path or an address. Tools without a namespace and with a name without dots come first. */
function readingsOf(name: string): readonly Reading[] {
  const parts = name.split(/[./:]/);
  const join = (from: number, to?: number): string => parts.slice(from, to).join('.');
  const readings = parts.flatMap((_, start) =>
    parts.slice(start).map((__, at) => ({
      namespace: start === 0 ? undefined : join(0, start),
      tool: join(start, start + at + 1),
      key: join(start + at + 1),
      dots: at,
    })),
  );
  return readings.toSorted((one, other) => one.dots - other.dots);
}

function flatName({ namespace, tool, key }: Reading): string {
  return wireNameOf({ namespace, name: key === '' ? tool : toWireName(tool, ...key.split('.')) });
}
