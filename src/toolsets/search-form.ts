import type { ToolRegistry } from '../registry/tool-registry.js';
import type { View } from '../registry/view.js';
import type { ToolsetSummary } from './toolsets.js';
export async function createSearchView(
  _: ToolRegistry,
  inner: View,
  __: { toolsets: readonly ToolsetSummary[]; pinned: readonly string[] },
): Promise<View> {
  return inner;
}
