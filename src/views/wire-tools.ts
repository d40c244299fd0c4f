import { McpToolConverter } from '../model/converters/mcp-converters.js';
import type { Tool } from '../model/tool.js';
import { lowerTool } from '../profiles/lower-tool.js';
import type { LoweredTool, ProfileName } from '../profiles/profile.js';
import type { McpTool, ProtocolVersion } from '../protocol/mcp-types.js';
import { AUTHORED_NAME, wireNameOf } from '../protocol/wire-name.js';
import { deepFreeze } from '../values/json-value.js';

/** A tool in its MCP form for one protocol version, and the JSON text of that form. */
export class WireTool {
  readonly tool: McpTool;
  #text: string | undefined;

  constructor(tool: McpTool) {
    this.tool = tool;
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.tool));
  }
}

export interface WireForm {
  readonly protocolVersion: ProtocolVersion;
  /** Whether to add namespace, version and tags. */
  readonly identity: boolean;
  /** The profile that must accept the tool. Without it, the tool is listed as its author wrote it. */
  readonly profile?: ProfileName | undefined;
}

const converters = new Map<string, McpToolConverter>();
const wireTools = new WeakMap<Tool, Map<string, WireTool>>();

/** The MCP form of a frozen tool. It is made once and shared by all views that hold the tool. */
function wireToolOf(tool: Tool, form: WireForm): WireTool {
  const authored = form.identity ? `${form.protocolVersion} identity` : form.protocolVersion;
  const key = form.profile === undefined ? authored : `${authored} ${form.profile}`;
  let byForm = wireTools.get(tool);
  if (!byForm) wireTools.set(tool, (byForm = new Map()));
  let wire = byForm.get(key);
  if (!wire) {
    wire =
      form.profile === undefined
        ? new WireTool(deepFreeze(converterFor(authored, form).convertFrom(tool)))
        : lowerWire(tool, form, form.profile);
    byForm.set(key, wire);
  }
  return wire;
}

/** A tool as a view lists it under a name. */
export function listedTool(name: string, tool: Tool, form: WireForm): WireTool {
  const wire = wireToolOf(tool, form);
  // Two tools of a view may get one name from a profile. The view then gives one of them another name.
  return wire.tool.name === name ? wire : new WireTool(deepFreeze(rename(wire.tool, name, wireNameOf(tool))));
}

/** Throws if a tool cannot be sent to clients. */
export function assertListable(tool: Tool): void {
  wireToolOf(tool, { protocolVersion: '2026-07-28', identity: false });
}

function converterFor(key: string, form: WireForm): McpToolConverter {
  let converter = converters.get(key);
  if (!converter) converters.set(key, (converter = new McpToolConverter({ ...form, nameOf: wireNameOf })));
  return converter;
}

/** The form that is lowered. Its schemas fit every revision: those of 2026 may hold booleans that 2025 clients reject. */
const LOWERED_FORM: WireForm = { protocolVersion: '2025-11-25', identity: false };
const lowerings = new WeakMap<Tool, Map<ProfileName, LoweredTool>>();

/** A tool in the form that a profile accepts. It is lowered once, so its list and its calls always agree. */
export function loweringOf(tool: Tool, profile: ProfileName): LoweredTool {
  let byProfile = lowerings.get(tool);
  if (!byProfile) lowerings.set(tool, (byProfile = new Map()));
  let lowered = byProfile.get(profile);
  if (!lowered) {
    const wire = wireToolOf(tool, LOWERED_FORM).tool;
    byProfile.set(profile, (lowered = lowerTool(wire, profile)));
  }
  return lowered;
}

/** Applies the changes of a profile to the form of one revision. */
function lowerWire(tool: Tool, form: WireForm, profile: ProfileName): WireTool {
  const authored = wireToolOf(tool, { ...form, profile: undefined });
  const before = wireToolOf(tool, LOWERED_FORM).tool;
  const { tool: after } = loweringOf(tool, profile);
  if (after === before) return authored;
  const changed = Object.entries(after).filter(([key, value]) => value !== before[key as keyof McpTool]);
  if (changed.length === 0) return authored;
  const lowered: McpTool = { ...authored.tool, ...(Object.fromEntries(changed) as Partial<McpTool>) };
  return new WireTool(deepFreeze(rename(lowered, lowered.name, authored.tool.name)));
}

function rename(tool: McpTool, name: string, authored: string): McpTool {
  return name === authored ? tool : { ...tool, name, _meta: { ...tool._meta, [AUTHORED_NAME]: authored } };
}
