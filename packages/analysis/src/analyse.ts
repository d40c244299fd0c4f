import type { McpTool } from 'toolfold/model';
import type { Comparison } from './diff/compare-surfaces.js';
import { compareSurfaces } from './diff/compare-surfaces.js';
import { readSurface } from './diff/surface.js';
import type { Surface } from './diff/surface.js';
import type { Finding } from './lint/finding.js';
import { readSettings } from './lint/lint-settings.js';
import { lintTools } from './lint/lint-tools.js';
import { defaultProfiles } from './lint/profile-rules.js';
import { listWireTool } from './target/list-tools.js';
import { createToolCounter } from './tokens/tool-counter.js';

/** Linter for the tools of a server: reports what makes them hard to use for models or clients, the worst first. */
export function lint(tools: readonly McpTool[]): readonly Finding[] {
  const options = { profiles: defaultProfiles, isChosen: false, settings: readSettings(undefined) };
  return lintTools(tools.map(listWireTool), options).findings;
}

/** The number of o200k tokens that each tool costs in a model's context. */
export async function countTokens(tools: readonly McpTool[]): Promise<readonly number[]> {
  const counter = await createToolCounter();
  return counter.count(tools);
}

/** Compares two lists of tools, and reports which calls would break. */
export function compare(before: readonly McpTool[], after: readonly McpTool[]): Promise<Comparison> {
  return compareSurfaces(toSurface(before), toSurface(after));
}

function toSurface(tools: readonly McpTool[]): Surface {
  return readSurface({ kind: 'saved', server: {}, tools: tools.map(listWireTool) });
}
