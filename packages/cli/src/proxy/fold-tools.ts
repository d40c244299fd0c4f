import { mapIn } from '@toolfold/schema/internal';
import { GroupedToolBuilder } from 'toolfold';
import type { UpstreamToolDefinition } from '@toolfold/gateway';

/** Candidate names of the argument that selects the action. The first one that no tool uses as a field is used. */
const discriminators = ['action', 'operation', 'tool_action', 'toolfold_action'] as const;

/**
 * Folds the tools of a server into one grouped tool. A single group, rather than one per name prefix, keeps the addresses of
 * actions stable when the server adds tools.
 */
export function foldTools(
  name: string,
  tools: readonly UpstreamToolDefinition[],
  description = `Tools of the server "${name}".`,
): GroupedToolBuilder {
  const builder = new GroupedToolBuilder(name).description(description);
  const fields = new Set(tools.flatMap(({ inputSchema: { properties } }) => Object.keys(mapIn(properties))));
  const free = discriminators.find((each) => !fields.has(each));
  if (free !== undefined) builder.discriminator(free);
  for (const tool of tools) builder.action(tool as never);
  return builder;
}
