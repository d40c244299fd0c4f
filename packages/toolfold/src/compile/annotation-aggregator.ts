import { ToolAnnotations } from '../model/tool.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import type { Hints } from '../define/tool-definition.js';

/**
 * The default strategy for annotations: derives the hints of a tool from those of its actions. Explicit annotations of the tool
 * take precedence. A hint that depends on actions which do not declare it is omitted, so MCP's default applies.
 */
export function aggregateAnnotations(
  actions: readonly Hints[],
  explicit: ToolAnnotationsInit = {},
): ToolAnnotations {
  const readOnly = actions.map((action) => action.readOnly ?? (action.destructive ? false : undefined));
  const destructive = actions.map((action) => action.destructive ?? (action.readOnly ? false : undefined));
  const aggregated: ToolAnnotationsInit = {
    readOnlyHint: every(readOnly),
    destructiveHint: some(destructive),
    idempotentHint: every(actions.map((action) => action.idempotent)),
    openWorldHint: some(actions.map((action) => action.openWorld)),
  };
  for (const [name, value] of Object.entries(explicit) as [keyof ToolAnnotationsInit, never][]) {
    if (value !== undefined) aggregated[name] = value;
  }
  return new ToolAnnotations(aggregated);
}

/** True if all values are true, false if one is false, otherwise undefined. */
function every(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(false)) return false;
  return values.length === 0 || values.includes(undefined) ? undefined : true;
}

/** True if one value is true, false if all are false, otherwise undefined. */
function some(values: readonly (boolean | undefined)[]): boolean | undefined {
  if (values.includes(true)) return true;
  return values.length === 0 || values.includes(undefined) ? undefined : false;
}
