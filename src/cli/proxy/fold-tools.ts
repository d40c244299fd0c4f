import { GroupedToolBuilder } from '../../index.js';
import { isJsonObject } from '../../values/json-value.js';
import type { UpstreamToolDefinition } from '../../node.js';

/** The argument that names the action, with others for tools that have a field of that name themselves. */
const discriminators = ['action', 'operation', 'tool_action', 'toolfold_action'] as const;

/**
 * Folds the tools of a server into one whose actions they are. One, and not one for each word that names begin with:
 * where a tool is found does not change then when the server gets another one.
 */
export function foldTools(name: string, tools: readonly UpstreamToolDefinition[]): GroupedToolBuilder {
  const builder = new GroupedToolBuilder(name).description(`Tools of the server "${name}".`);
  const fields = new Set(
    tools.flatMap(({ inputSchema: { properties } }) =>
      isJsonObject(properties) ? Object.keys(properties) : [],
    ),
  );
  const free = discriminators.find((each) => !fields.has(each));
  if (free !== undefined) builder.discriminator(free);
  for (const tool of tools) builder.action(tool as never);
  return builder;
}
