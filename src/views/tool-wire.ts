import { deepFreeze } from '../values/freeze.js';
import { wireNameOf } from '../protocol/wire-name.js';
import { McpToolConverter } from '../model/converters/mcp-tool.js';
import type { McpTool, ProtocolVersion } from '../protocol/mcp-types.js';
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

interface WireForm {
  readonly protocolVersion: ProtocolVersion;
  /** Whether to add namespace, version and tags. */
  readonly identity: boolean;
}

const converters = new Map<string, McpToolConverter>();
const wireTools = new WeakMap<Tool, Map<string, WireTool>>();

/** What clients are told of a tool that nothing changes any more: made once, whichever views it is in. */
export function wireToolOf(tool: Tool, form: WireForm): WireTool {
  const key = form.identity ? `${form.protocolVersion} identity` : form.protocolVersion;
  let byForm = wireTools.get(tool);
  if (!byForm) wireTools.set(tool, (byForm = new Map()));
  let wire = byForm.get(key);
  if (!wire) byForm.set(key, (wire = new WireTool(deepFreeze(converterFor(key, form).convertFrom(tool)))));
  return wire;
}

function converterFor(key: string, form: WireForm): McpToolConverter {
  let converter = converters.get(key);
  if (!converter) converters.set(key, (converter = new McpToolConverter({ ...form, nameOf: wireNameOf })));
  return converter;
}
