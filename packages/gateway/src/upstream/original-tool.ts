import type { McpTool } from '@toolfold/profiles';
import type { UpstreamToolDefinition } from './upstream-types.js';

/** The symbol is global to the process, because the package contains this file twice: in a bundle, and on its own. */
const ORIGINAL = Symbol.for('toolfold.originalTool');

type WithOriginal = UpstreamToolDefinition & { readonly [ORIGINAL]?: McpTool };

/** Links a definition, and copies of it, to the tool as the server listed it. */
export function withOriginal<T extends UpstreamToolDefinition>(definition: T, tool: unknown): T {
  return { ...definition, [ORIGINAL]: tool };
}

/** Returns the tool as the server listed it, before names were made portable and overrides were applied. */
export function originalOf(definition: UpstreamToolDefinition): McpTool {
  const { name, description, inputSchema } = definition;
  return (
    (definition as WithOriginal)[ORIGINAL] ?? {
      name,
      description,
      inputSchema: { ...inputSchema, type: 'object' },
    }
  );
}
