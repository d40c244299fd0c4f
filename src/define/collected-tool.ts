import type { AnyToolDefinition } from './read-definition.js';
import type { ToolContext } from './tool-definition.js';
import type { McpToolDefinition } from './tool-collector.js';
import type { CompilableTool } from '../compile/compile-item.js';

/** Marks the definition of a collected tool. A symbol, so that copies of the definition keep it. */
export const COLLECTED = Symbol('collected');

/** The definition of a collected tool, whose handler takes its arguments bare, as the SDKs pass them. */
export function toItem(
  tool: AnyToolDefinition | CompilableTool | McpToolDefinition,
): AnyToolDefinition | CompilableTool {
  if (!('inputSource' in tool)) return tool;
  const { name, title, description, inputSource, outputSchema, annotations, icons, meta, handler } = tool;
  const { schemaValidator } = tool;
  const definition = {
    [COLLECTED]: true,
    name,
    ...(title === undefined ? {} : { title }),
    description,
    inputSchema: inputSource,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    ...(schemaValidator ? { schemaValidator } : {}),
    ...(icons ? { icons } : {}),
    ...(meta ? { meta } : {}),
    metadata: { annotations: { ...annotations } },
    handler: ({ input, context }: { input: Readonly<Record<string, unknown>>; context: ToolContext }) =>
      handler(input, toExtra(context)),
  };
  return definition;
}

/** What handlers that were written for either SDK find beside their arguments. */
export function toExtra({ signal, caller, sdk, log }: ToolContext): object {
  if (typeof sdk === 'object' && sdk !== null) return sdk;
  const { auth, sessionId } = caller;
  return {
    signal,
    authInfo: auth,
    sessionId,
    mcpReq: { method: 'tools/call', signal, log },
    http: { authInfo: auth },
  };
}
