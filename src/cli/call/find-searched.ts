import type { CallToolResult } from '../../index.js';
import { isJsonObject } from '../../values/json-value.js';
import { parseJson } from './convert-text.js';
import { CommandError, exitCodes, UsageError } from '../terminal/exit-codes.js';
import type { FoundTool } from '../target/find-tool.js';
import type { ListedTool } from '../target/listed-tool.js';
import type { ToolRequest } from '../target/open-target.js';
import { toLine } from '../terminal/output.js';

const DESCRIBE = 'describe_tools';
const callers = new Set(['call_read_tool', 'call_write_tool']);

/** Whether tools are listed that find and call others. */
export function isSearched(tools: readonly ListedTool[]): boolean {
  const names = new Set(tools.map(({ tool }) => tool.name));
  return [DESCRIBE, ...callers].every((name) => names.has(name));
}

/** Finds what a server in the search form does not list, by asking it. It is called through the tool that it names. */
export async function findSearched(
  tools: readonly ListedTool[],
  address: string,
  call: (request: ToolRequest) => Promise<CallToolResult>,
): Promise<FoundTool> {
  const result = await call({ name: DESCRIBE, arguments: { addresses: [address] } });
  const [first] = result.content ?? [];
  const text = first?.type === 'text' ? first.text : '';
  if (result.isError === true) throw new UsageError(toLine(text, 1_000));
  const described = result.structuredContent ?? parseJson(text);
  const [found] = isJsonObject(described) && Array.isArray(described['tools']) ? described['tools'] : [];
  const { callWith, inputSchema } = isJsonObject(found) ? found : {};
  const listed = tools.find(({ tool }) => tool.name === callWith);
  if (!listed || !callers.has(listed.tool.name) || !isJsonObject(inputSchema))
    throw new CommandError(`What ${DESCRIBE} says of "${address}" cannot be understood.`, exitCodes.protocol);
  return {
    listed,
    action: undefined,
    inputSchema,
    fixed: {},
    isFilled: false,
    toArguments: (values) => ({ address, arguments: values }),
  };
}
