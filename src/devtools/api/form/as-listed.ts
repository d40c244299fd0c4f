import type { McpTool } from '../../../model.js';
import type { Snapshot } from '../snapshot.js';
import type { FormAndProfile } from './forms.js';

/**
 * Returns the tools of a view as the page shows and counts them, in the same order. The registry gives the tools of another server
 * portable names, and descriptions if they have none. Without a profile, the page shows such tools as their server lists them.
 */
export function asListed(
  { source }: Snapshot,
  { form, profile }: FormAndProfile,
  tools: readonly McpTool[],
): readonly McpTool[] {
  // The search and code forms list tools of their own, which may have the name of a tool of the server.
  const isOwn = profile === 'none' && (form === 'flat' || form === 'grouped');
  const upstream = isOwn ? source.upstream?.() : undefined;
  return upstream ? tools.map((tool) => upstream.tools.get(tool.name) ?? tool) : tools;
}
