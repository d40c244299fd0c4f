import type { ToolsetTexts } from 'toolfold/web';
import type { SearchEntries } from './entries.js';

interface CountedToolset extends ToolsetTexts {
  readonly tools: number;
}

interface Counts {
  readonly toolsets: readonly CountedToolset[];
  /** Counts tools that are in no toolset. */
  readonly others: number;
}

const known = new WeakMap<SearchEntries, Counts>();

/** Counts the tools of each toolset. Hidden tools are not in the view. */
export function countTools(entries: SearchEntries): Counts {
  let counts = known.get(entries);
  if (!counts) known.set(entries, (counts = count(entries)));
  return counts;
}

function count({ byAddress, toolsets }: SearchEntries): Counts {
  const tools = new Map<string, number>();
  let others = 0;
  for (const entry of byAddress.values()) {
    for (const key of entry.toolsets) tools.set(key, (tools.get(key) ?? 0) + 1);
    if (entry.toolsets.length === 0) others++;
  }
  return {
    others,
    toolsets: [...toolsets.values()].map((toolset) => ({ ...toolset, tools: tools.get(toolset.key) ?? 0 })),
  };
}
