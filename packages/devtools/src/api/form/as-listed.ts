import type { McpTool } from 'toolfold/model';
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
  // The search and code forms add tools, whose names may equal those of the server's tools.
  const isOwn = profile === 'none' && (form === 'flat' || form === 'grouped');
  const upstream = isOwn ? source.upstream?.() : undefined;
  return upstream ? tools.map((tool) => upstream.tools.get(tool.name) ?? tool) : tools;
}
