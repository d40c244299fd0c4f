import type { McpTool } from 'toolfold/model';
import { lowerTool, lowerTools } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { yieldToEventLoop } from '../steps.js';
import type { Form, ListedTarget } from '../target/opened-target.js';
import { inParts } from './tool-counter.js';
import type { ToolCounter } from './tool-counter.js';

/** A profile, or `none` for tools that are not lowered. */
export type Lowering = ProfileName | 'none';

export type SurfaceCost = {
  readonly form?: Form | undefined;
  readonly profile: Lowering;
} & ({ readonly tools: number; readonly tokens: number } | { readonly problem: string });

export interface CountOptions {
  readonly counter: ToolCounter;
  readonly signal: AbortSignal;
}

export function lower(tool: McpTool, profile: Lowering): McpTool {
  return profile === 'none' ? tool : lowerTool(tool, profile).tool;
}

/** Lowers a list tool by tool, with pauses in which signals are handled. */
export async function lowerAll(
  tools: readonly McpTool[],
  profile: Lowering,
  options: CountOptions,
): Promise<readonly McpTool[]> {
  if (profile === 'none') return tools;
  const lowered: McpTool[] = [];
  for (const tool of tools) {
    lowered.push(lower(tool, profile));
    await yieldToEventLoop(options.signal);
  }
  const names = new Set(lowered.map(({ name }) => name));
  // When two names collide, only the whole list shows which tool keeps its name.
  return names.size === tools.length ? lowered : lowerTools(tools, profile).map(({ tool }) => tool);
}

/** Measures every form for each profile. A target with one form is measured for several profiles only. */
export async function measureSurfaces(
  opened: ListedTarget,
  profiles: readonly Lowering[],
  options: CountOptions,
): Promise<readonly SurfaceCost[]> {
  if (!opened.surfaces && profiles.length === 1) return [];
  const forms = (await opened.surfaces?.()) ?? [{ form: opened.form, tools: opened.tools }];
  const costs: SurfaceCost[] = [];
  for (const profile of profiles) {
    for (const surface of forms) {
      const { form } = surface;
      if ('problem' in surface) {
        costs.push({ form, profile, problem: surface.problem });
        continue;
      }
      const listed = surface.tools.map(({ tool }) => tool);
      const lowered = await lowerAll(listed, profile, options);
      const counts = await inParts(lowered, options.counter.count, options.signal);
      const tokens = counts.reduce((sum, count) => sum + count, 0);
      costs.push({ form, profile, tools: surface.tools.length, tokens });
    }
  }
  return costs;
}
