import { GroupedToolBuilder } from '../../index.js';
import type { UpstreamToolDefinition } from '../../node.js';
import { isJsonObject } from '../../values/json-value.js';

/** Names for the argument that selects the action. The first one that no tool uses as a field is taken. */
const discriminators = ['action', 'operation', 'tool_action', 'toolfold_action'] as const;

/**
 * Folds the tools of a server into one grouped tool. A single tool, instead of one per name prefix, keeps the address of
 * each action stable when the server adds tools.
 */
export function foldTools(
  name: string,
  tools: readonly UpstreamToolDefinition[],
  description = `Tools of the server "${name}".`,
): GroupedToolBuilder {
  const builder = new GroupedToolBuilder(name).description(description);
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
