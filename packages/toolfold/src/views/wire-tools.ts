import { writtenByHand } from '../compile/tool-forms.js';
import { McpToolConverter } from '../model/converters/mcp-converters.js';
import type { Tool } from '../model/tool.js';
import { lowerTool } from '@toolfold/profiles';
import type { LoweredTool, McpTool, ProfileName } from '@toolfold/profiles';
import { rulesOf } from '@toolfold/profiles/internal';
import type { ProtocolVersion } from '../protocol/mcp-types.js';
import { AUTHORED_NAME, wireNameOf } from '../protocol/wire-name.js';
import { deepFreeze } from '@toolfold/schema/internal';
import { getOrMake } from '../values/get-or-make.js';

export interface WireForm {
  readonly protocolVersion: ProtocolVersion;
  /** Whether to add namespace, version and tags. */
  readonly identity: boolean;
  /** The profile that must accept the tool. Without it, the tool is listed as its author wrote it. */
  readonly profile?: ProfileName | undefined;
}

/** The tools of each form. Few forms are in use, so these maps are smaller than one for each tool. */
const wireTools = new Map<string, WeakMap<Tool, McpTool>>();

/** The MCP form of a frozen tool. It is made once and shared by all views that hold the tool. */
function wireToolOf(tool: Tool, form: WireForm): McpTool {
  const authored = form.identity ? `${form.protocolVersion} identity` : form.protocolVersion;
  const key = form.profile === undefined ? authored : `${authored} ${form.profile}`;
  const ofForm = getOrMake(wireTools, key, () => new WeakMap<Tool, McpTool>());
  return getOrMake(ofForm, tool, () =>
    form.profile === undefined
      ? deepFreeze(new McpToolConverter({ ...form, nameOf: wireNameOf }).convertFrom(tool))
      : lowerWire(tool, form, form.profile),
  );
}

export function listedTool(name: string, tool: Tool, form: WireForm): McpTool {
  const wire = wireToolOf(tool, form);
  // Two tools of a view may get one name from a profile. The view then gives one of them another name.
  return wire.name === name ? wire : deepFreeze(rename(wire, name, wireNameOf(tool)));
}

export function assertListable(tool: Tool): void {
  wireToolOf(tool, { protocolVersion: '2026-07-28', identity: false });
}

/** The form that is lowered. Its schemas fit every revision: those of 2026 may hold booleans that 2025 clients reject. */
const LOWERED_FORM: WireForm = { protocolVersion: '2025-11-25', identity: false };
const lowerings = new Map<ProfileName, WeakMap<Tool, LoweredTool>>();

/** A tool in the form that a profile accepts. It is lowered once, so its list and its calls always agree. */
export function loweringOf(tool: Tool, profile: ProfileName): LoweredTool {
  const ofProfile = getOrMake(lowerings, profile, () => new WeakMap<Tool, LoweredTool>());
  return getOrMake(ofProfile, tool, () => {
    const wire = wireToolOf(tool, LOWERED_FORM);
    const lowered = lowerTool(wire, profile);
    return writtenByHand.has(tool) && lowered.changes.every((change) => isOptional(change, profile))
      ? { ...lowered, tool: { ...lowered.tool, inputSchema: wire.inputSchema } }
      : lowered;
  });
}

/** Whether a change leaves the schema of an author alone, or could: the clients accept it as it was written. */
function isOptional({ rule, path }: LoweredTool['changes'][number], profile: ProfileName): boolean {
  if (!path.startsWith('/inputSchema')) return true;
  return rule === 'array-items'
    ? profile === 'standard'
    : rule === 'no-ref' && !rulesOf(profile).keywords.has('$ref');
}

/** Applies the changes of a profile to the form of one revision. */
function lowerWire(tool: Tool, form: WireForm, profile: ProfileName): McpTool {
  const authored = wireToolOf(tool, { ...form, profile: undefined });
  const before = wireToolOf(tool, LOWERED_FORM);
  const { tool: after } = loweringOf(tool, profile);
  if (after === before) return authored;
  const changed = Object.entries(after).filter(([key, value]) => value !== before[key as keyof McpTool]);
  if (changed.length === 0) return authored;
  const lowered: McpTool = { ...authored, ...(Object.fromEntries(changed) as Partial<McpTool>) };
  return deepFreeze(rename(lowered, lowered.name, authored.name));
}

function rename(tool: McpTool, name: string, authored: string): McpTool {
  return name === authored ? tool : { ...tool, name, _meta: { ...tool._meta, [AUTHORED_NAME]: authored } };
}
