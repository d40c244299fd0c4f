import { setImmediate } from 'node:timers/promises';
import type { McpTool } from '../../model.js';
import { lowerTool, lowerTools } from '../../profiles.js';
import type { ProfileName } from '../../profiles.js';
import type { Form, OpenTarget } from '../target/opened-target.js';
import type { TokenCounter } from './token-counter.js';
import { countTool } from './tool-cost.js';

/** A profile, or `none` for tools that are not lowered: as an author wrote them, or as a server or a saved list has them. */
export type Lowering = ProfileName | 'none';

/** The cost of one form for one profile, or the reason why the file cannot have that form. */
export type SurfaceCost = {
  readonly form?: Form | undefined;
  readonly profile: Lowering;
} & ({ readonly tools: number; readonly tokens: number } | { readonly problem: string });

export interface CountOptions {
  readonly counter: TokenCounter;
  readonly signal: AbortSignal;
}

export function lower(tool: McpTool, profile: Lowering): McpTool {
  return profile === 'none' ? tool : lowerTool(tool, profile).tool;
}

/** Lowers a list tool by tool, so that signals get through. */
export async function lowerAll(
  tools: readonly McpTool[],
  profile: Lowering,
  options: CountOptions,
): Promise<readonly McpTool[]> {
  if (profile === 'none') return tools;
  const lowered: McpTool[] = [];
  for (const tool of tools) {
    lowered.push(lower(tool, profile));
    await pause(options);
  }
  const names = new Set(lowered.map(({ name }) => name));
  // Only the whole list knows which of two tools keeps a name.
  return names.size === tools.length ? lowered : lowerTools(tools, profile).map(({ tool }) => tool);
}

/** Lets signals through between two tools, because counting blocks the process. */
export async function pause({ signal }: CountOptions): Promise<void> {
  await setImmediate();
  signal.throwIfAborted();
}

/** Measures every form for each of the profiles. A target with one form is measured for several profiles only. */
export async function measureSurfaces(
  opened: OpenTarget,
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
      let tokens = 0;
      const listed = surface.tools.map(({ tool }) => tool);
      for (const tool of await lowerAll(listed, profile, options)) {
        tokens += countTool(tool, options.counter);
        await pause(options);
      }
      costs.push({ form, profile, tools: surface.tools.length, tokens });
    }
  }
  return costs;
}
