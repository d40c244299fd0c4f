import { readFileSync } from 'node:fs';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { fromMCPJSON } from 'toolfold/model';
import type { Tool } from 'toolfold/model';
import { uniteShapes } from '../../packages/toolfold/src/compile/input-schema/shapes.js';

/** The tools of a real server, as its `tools/list` shows them. */
export const githubTools: readonly Tool[] = (
  JSON.parse(readFileSync(new URL('../data/github-tools.json', import.meta.url), 'utf8')) as {
    tools: object[];
  }
).tools.map((tool) => fromMCPJSON(tool));

/** The same tools grouped by the first word of their names: `list_issues` becomes the action `issues` of `list`. */
export function foldGithub({ toon = false } = {}): ToolRegistry {
  const registry = new ToolRegistry({ name: 'github' });
  for (const [prefix, tools] of byPrefix()) {
    // One of the tools has a field named "action".
    const builder = new GroupedToolBuilder(prefix).discriminator('operation');
    if (toon) builder.toonDescription();
    for (const tool of tools) {
      builder.action({
        name: tool.name.slice(prefix.length + 1),
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
        readOnly: tool.annotations?.readOnlyHint,
        destructive: tool.annotations?.destructiveHint,
        idempotent: tool.annotations?.idempotentHint,
        openWorld: tool.annotations?.openWorldHint,
        handler: ({ input, context }) => ({ operation: context.operation, input }),
      });
    }
    registry.register(builder);
  }
  return registry;
}

export function byPrefix(): Map<string, Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of githubTools) {
    const prefix = tool.name.split('_')[0] ?? tool.name;
    groups.set(prefix, [...(groups.get(prefix) ?? []), tool]);
  }
  return groups;
}

/** Counts the fields that tools of one group declare with incompatible shapes. */
export function countConflicts(): number {
  let conflicts = 0;
  for (const tools of byPrefix().values()) {
    const shapes = new Map<string, object[]>();
    for (const { inputSchema } of tools) {
      for (const [field, shape] of Object.entries(
        (inputSchema['properties'] ?? {}) as Record<string, object>,
      )) {
        shapes.set(field, [...(shapes.get(field) ?? []), shape]);
      }
    }
    conflicts += [...shapes.values()].filter((each) => uniteShapes(each as never).length > 1).length;
  }
  return conflicts;
}

/** Counts the groups with both read-only and writing tools. */
export function countMixed(): number {
  return [...byPrefix().values()].filter(
    (tools) => new Set(tools.map((tool) => tool.annotations?.readOnlyHint === true)).size > 1,
  ).length;
}
