import { deepFreeze } from '../compile/deep-freeze.js';
import { McpToolConverter } from '../model/converters/mcp-tool.js';
import type { McpTool, ProtocolVersion } from '../model/converters/mcp-types.js';
import type { Tool } from '../model/tool.js';

/** A tool as clients of one revision are told of it. */
export class WireTool {
  readonly tool: McpTool;
  #text: string | undefined;

  constructor(tool: McpTool) {
    this.tool = tool;
  }

  /** Its JSON text, written once. */
  get text(): string {
    return (this.#text ??= JSON.stringify(this.tool));
  }
}

const converters = new Map<ProtocolVersion, McpToolConverter>();
const wireTools = new WeakMap<Tool, Map<ProtocolVersion, WireTool>>();

/** What clients are told of a tool that nothing changes any more: made once, whichever views it is in. */
export function wireToolOf(tool: Tool, version: ProtocolVersion): WireTool {
  let byVersion = wireTools.get(tool);
  if (!byVersion) wireTools.set(tool, (byVersion = new Map()));
  let wire = byVersion.get(version);
  if (!wire)
    byVersion.set(version, (wire = new WireTool(deepFreeze(converterFor(version).convertFrom(tool)))));
  return wire;
}

function converterFor(protocolVersion: ProtocolVersion): McpToolConverter {
  let converter = converters.get(protocolVersion);
  if (!converter) converters.set(protocolVersion, (converter = new McpToolConverter({ protocolVersion })));
  return converter;
}
