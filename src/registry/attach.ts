import { literal, looseObject, object, optional } from 'zod/mini';
import type { Caller, ReportProgress } from '../compile/tool-definition.js';
import type { CallToolResult } from '../format/tool-result.js';
import type { ProtocolVersion } from '../model/converters/mcp-types.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { ExecuteRequest } from './pipeline.js';
import { resolveServer } from './server-resolver.js';
import type { McpServerLike } from './server-resolver.js';
import type { View } from './view.js';

/** Takes the handlers off the server again. */
export type DetachFn = () => void;

/** What attaching needs of a registry. */
interface Attachable {
  executeTool(request: ExecuteRequest, view: View): Promise<CallToolResult>;
  onListChanged(listener: () => void): () => void;
}

type RequestHandler = (request: { params?: Record<string, unknown> }, context: unknown) => Promise<unknown>;

/** The members of a server that are used where they are there. */
interface ServerMembers {
  registerCapabilities?: (capabilities: object) => void;
  removeRequestHandler?: (method: string) => void;
  sendToolListChanged?: () => Promise<void>;
  onerror?: (error: unknown) => void;
}

/** JSON-RPC's code for parameters that name something unknown. */
const INVALID_PARAMS = -32602;

/** Puts `tools/list` and `tools/call` on a server of either SDK. The cost does not depend on the number of tools. */
export function attach(registry: Attachable, server: unknown, currentView: () => View): DetachFn {
  const target = resolveServer(server) as McpServerLike & ServerMembers;
  target.registerCapabilities?.({ tools: { listChanged: true } });
  const handlers: Record<string, RequestHandler> = {
    'tools/list': async (_request, context) => ({ tools: currentView().listTools(versionOf(context)) }),
    'tools/call': async ({ params = {} }, context) => {
      const view = currentView();
      const name = String(params['name']);
      if (!view.tools.has(name))
        throw Object.assign(new Error(`Unknown tool "${name}"`), { code: INVALID_PARAMS });
      return registry.executeTool(
        { ...fromSdk(context), name, arguments: params['arguments'] as Record<string, unknown> },
        view,
      );
    },
  };
  for (const [method, handler] of Object.entries(handlers)) setHandler(target, method, handler);
  const unsubscribe = registry.onListChanged(() => {
    target.sendToolListChanged?.().catch((error: unknown) => target.onerror?.(error));
  });
  return () => {
    unsubscribe();
    for (const method of Object.keys(handlers)) {
      if (target.removeRequestHandler) target.removeRequestHandler(method);
      else
        setHandler(target, method, async () => (method === 'tools/list' ? { tools: [] } : { content: [] }));
    }
  };
}

/** The second SDK registers by method, the first by a schema with the method in it; each refuses the other's way. */
function setHandler(target: McpServerLike, method: string, handler: RequestHandler): void {
  const register = target.setRequestHandler as (key: unknown, handler: RequestHandler) => void;
  const isFirstSdk = target.setRequestHandler.length === 2;
  const key = isFirstSdk ? object({ method: literal(method), params: optional(looseObject({})) }) : method;
  register.call(target, key, handler);
}

/** The parts of both SDKs' contexts that mean the same. */
function fromSdk(context: unknown): Omit<ExecuteRequest, 'name' | 'arguments'> {
  const { request, http, sessionId } = membersOf(context);
  const auth = record(http['authInfo']) ?? record(request['authInfo']);
  const caller: Caller = { auth, sessionId: typeof sessionId === 'string' ? sessionId : undefined };
  const token = auth?.['token'];
  return {
    caller,
    accessToken: typeof token === 'string' ? token : undefined,
    signal: request['signal'] as AbortSignal | undefined,
    progress: progressOf(request),
    sdk: context,
  };
}

function progressOf(request: Record<string, unknown>): ReportProgress | undefined {
  const progressToken = record(request['_meta'])?.['progressToken'];
  const notify = (request['notify'] ?? request['sendNotification']) as
    | ((notification: object) => Promise<void>)
    | undefined;
  if (progressToken === undefined || !notify) return undefined;
  return async (progress, total, message) => {
    const params = {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    await notify.call(request, { method: 'notifications/progress', params });
  };
}

function versionOf(context: unknown): ProtocolVersion {
  const { request } = membersOf(context);
  const version = record(request['_meta'])?.['io.modelcontextprotocol/protocolVersion'];
  return typeof version === 'string' && version >= '2026-07-28' ? '2026-07-28' : '2025-11-25';
}

function membersOf(context: unknown) {
  const whole = record(context) ?? {};
  return {
    request: record(whole['mcpReq']) ?? whole,
    http: record(whole['http']) ?? {},
    sessionId: whole['sessionId'],
  };
}

function record(value: unknown): Record<string, unknown> | undefined {
  return isJsonObject(value) ? value : undefined;
}
