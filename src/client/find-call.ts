import type { McpTool } from '../protocol/mcp-types.js';
import { toWireName } from '../protocol/wire-name.js';
import { isJsonObject } from '../values/json-value.js';
import { findDiscriminator } from './read-actions.js';

/** A call as it goes to the server. */
export interface WireCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

type Arguments = Readonly<Record<string, unknown>>;

/**
 * Finds the listed tool that runs an action, in whatever form the client sees it. The name is a listed tool, a path
 * (`platform.users.list`) or an address (`platform/users.list`). Returns `undefined` if no listed tool fits.
 */
export function findCall(tools: readonly McpTool[], name: string, input: Arguments): WireCall | undefined {
  if (tools.some((tool) => tool.name === name)) return { name, arguments: input };
  const parts = name.split(/[./:]/);
  const flat = toWireName(...parts);
  if (tools.some((tool) => tool.name === flat)) return { name: flat, arguments: input };
  for (let end = parts.length - 1; end > 0; end--) {
    const wanted = toWireName(...parts.slice(0, end));
    const key = parts.slice(end).join('.');
    const grouped = tools.flatMap((tool) => {
      const actions = findDiscriminator(tool);
      return actions && (tool.name === wanted || tool.name.startsWith(`${wanted}_`))
        ? [{ tool, ...actions }]
        : [];
    });
    // A tool that is split by risk is listed as two tools.
    const found =
      grouped.find(({ keys }) => keys.includes(key)) ?? grouped.find(({ tool }) => tool.name === wanted);
    if (found) return { name: found.tool.name, arguments: { [found.discriminator]: key, ...input } };
  }
  return undefined;
}

const DESCRIBE = 'describe_tools';

/** Whether the client sees the search form, whose tools find and call all others. */
export function isSearched(tools: readonly McpTool[]): boolean {
  return tools.some(({ name }) => name === DESCRIBE);
}

/**
 * Finds an action in the search form: `describe_tools` says which tool calls it, as it does for a model. An action that does
 * not exist is called too, so that the test gets the error of the server.
 */
export async function findSearchedCall(
  name: string,
  input: Arguments,
  call: (call: WireCall) => Promise<Readonly<Record<string, unknown>>>,
): Promise<WireCall> {
  const addresses = addressesOf(name);
  for (const address of addresses) {
    const { structuredContent } = await call({ name: DESCRIBE, arguments: { addresses: [address] } });
    const listed = isJsonObject(structuredContent) ? structuredContent['tools'] : undefined;
    const [found] = Array.isArray(listed) ? (listed as unknown[]) : [];
    const callWith = isJsonObject(found) ? found['callWith'] : undefined;
    if (typeof callWith === 'string') return { name: callWith, arguments: { address, arguments: input } };
  }
  return { name: 'call_write_tool', arguments: { address: addresses[0] ?? name, arguments: input } };
}

/** The addresses that a path can mean: `platform.users.list` is the action `users.list` of `platform`. */
function addressesOf(name: string): readonly string[] {
  if (name.includes('/') || !name.includes('.')) return [name];
  const dot = name.indexOf('.');
  return [`${name.slice(0, dot)}/${name.slice(dot + 1)}`, name];
}
