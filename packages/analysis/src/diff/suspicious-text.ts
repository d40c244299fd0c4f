import { injectionRules } from '../lint/rules/injection.js';
import type { Item } from '../lint/finding.js';
import type { Change } from './change.js';
import { textsOfEntries } from './surface-entries.js';
import type { Surface, SurfaceItem, SurfaceTool } from './surface.js';

interface Suspicion {
  readonly address: string;
  /** JSON pointer into the tool. */
  readonly pointer: string;
  readonly rule: string;
  readonly reason: string;
}

/** Finds texts of the new version that look like a prompt injection and that the old version did not have. */
export function findSuspicions(before: Surface, after: Surface): Change[] {
  const known = new Set(check(before).map(keyOf));
  return check(after)
    .filter((suspicion) => !known.has(keyOf(suspicion)))
    .map(({ address, pointer, rule, reason }) => ({
      address,
      severity: 'risky',
      kind: `text-${rule}`,
      message: `A new text at ${pointer} looks like a prompt injection. ${reason}`,
    }));
}

function keyOf({ address, rule, reason }: Suspicion): string {
  return JSON.stringify([address, rule, reason]);
}

function check({ tools, entries }: Surface): Suspicion[] {
  const items = tools.flatMap((tool) => [
    toItem(tool.name, undefined, tool),
    ...(tool.actions ?? []).map((action) => toItem(tool.name, action.name, action)),
  ]);
  for (const entry of textsOfEntries(entries)) items.push(toItem(entry.name, undefined, entry));
  return injectionRules.flatMap(({ id, check: find }) =>
    Array.from(find({ tools: [], items }), ({ tool, action, pointer, reason }) => ({
      address: action === undefined ? tool : `${tool}/${action}`,
      pointer,
      rule: id,
      reason,
    })),
  );
}

function toItem(tool: string, action: string | undefined, item: SurfaceItem | SurfaceTool): Item {
  return {
    tool,
    action,
    pointer: '',
    name: item.name,
    family: '',
    title: item.title,
    description: item.description,
    hints: {},
    inputSchema: item.inputSchema ?? {},
    outputSchema: item.outputSchema,
  };
}
