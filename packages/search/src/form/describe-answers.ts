import { flatToolOf, toJson, toStructuredResult, toToon } from 'toolfold/internal';
import type { ErrUnknownTool } from 'toolfold/errors';
import { McpToolConverter } from 'toolfold/model';
import type { CallToolResult } from 'toolfold';
import { callToolOf } from './entries.js';
import type { SearchEntries, SearchEntry } from './entries.js';
import { countTools } from './toolset-counts.js';

const converter = new McpToolConverter();

/** Answers a call of `describe_tools`. Throws if no action has any of the addresses. */
export function answerDescribe(
  addresses: readonly string[],
  { byAddress }: SearchEntries,
  unknown: (address: string) => ErrUnknownTool,
): CallToolResult {
  const asked = [...new Set(addresses)];
  const known = new Set(asked.flatMap((address) => byAddress.get(address) ?? []));
  const problems = asked.filter((address) => !byAddress.has(address)).map(unknown);
  const [first] = problems;
  if (first && known.size === 0) throw first;
  const described = { tools: [...known].map(describe) };
  return toStructuredResult(
    first ? { ...described, problems: problems.map(({ message }) => message) } : described,
    toJson,
  );
}

function describe({ compiled, kind, toolsets }: SearchEntry): object {
  const { title, description, inputSchema, outputSchema, annotations } = converter.convertFrom(
    flatToolOf(compiled).tool,
  );
  const { scopes } = compiled.action;
  return {
    address: compiled.address,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    kind,
    callWith: callToolOf[kind],
    ...(toolsets.length > 0 ? { toolsets } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(annotations === undefined ? {} : { annotations }),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}

export function answerToolsets(entries: SearchEntries): CallToolResult {
  const { toolsets, others } = countTools(entries);
  const hasCriteria = toolsets.some(({ decisionCriteria }) => decisionCriteria !== undefined);
  const rows = toolsets.map(({ key, name, description, decisionCriteria = '', tools }) => ({
    key,
    name,
    description,
    ...(hasCriteria ? { decisionCriteria } : {}),
    tools,
  }));
  const next = others > 0 ? { others, next: 'search_tools also finds tools that are in no toolset.' } : {};
  return toStructuredResult({ toolsets: rows, ...next }, toToon);
}
