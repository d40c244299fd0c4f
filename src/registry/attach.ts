import { literal, looseObject, object, optional } from 'zod/mini';
import type { Caller, ReportProgress } from '../compile/tool-definition.js';
import { ErrUnknownTool, ToolfoldError } from '../errors.js';
import type { ProtocolVersion } from '../model/converters/mcp-types.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { ExecuteRequest } from './pipeline.js';
import type { AskClient } from './request-input.js';
import { resolveServer } from './server-resolver.js';
import type { McpServerLike } from './server-resolver.js';
import type { CompletionRequest, RegistryChange, ToolRegistry } from './tool-registry.js';
import type { View } from './view.js';

/** Takes the handlers off the server again. */
export type DetachFn = () => void;

/** What attaching needs of a registry. */
type Attachable = Pick<
  ToolRegistry,
  | 'executeTool'
  | 'intercept'
  | 'listPrompts'
  | 'getPrompt'
  | 'listResources'
  | 'listResourceTemplates'
  | 'readResource'
  | 'complete'
  | 'onChange'
>;

type RequestHandler = (request: { params?: Record<string, unknown> }, context: unknown) => Promise<unknown>;

/** The members of a server that are used where they are there. */
interface ServerMembers {
  registerCapabilities?: (capabilities: object) => void;
  removeRequestHandler?: (method: string) => void;
  sendToolListChanged?: () => Promise<void>;
  sendPromptListChanged?: () => Promise<void>;
  sendResourceListChanged?: () => Promise<void>;
  sendResourceUpdated?: (params: { uri: string }) => Promise<void>;
  onerror?: (error: unknown) => void;
}

/** JSON-RPC's code for parameters that are wrong or name something unknown. */
const INVALID_PARAMS = -32602;

/**
 * Puts the handlers of a registry on a server of either SDK: tools always, prompts and resources where there are
 * any. The cost does not depend on how many there are.
 */
export function attach(registry: Attachable, server: unknown, currentView: () => View): DetachFn {
  const target = resolveServer(server) as McpServerLike & ServerMembers;
  const subscriptions = new Set<string>();
  const hasPrompts = registry.listPrompts().length > 0;
  const hasResources = registry.listResources().length + registry.listResourceTemplates().length > 0;
  const handlers: Record<string, RequestHandler> = {
    ...toolHandlers(registry, currentView),
    ...(hasPrompts ? promptHandlers(registry) : {}),
    ...(hasResources ? resourceHandlers(registry, subscriptions) : {}),
    ...(hasPrompts || hasResources ? completionHandlers(registry) : {}),
  };
  target.registerCapabilities?.({
    tools: { listChanged: true },
    ...(hasPrompts ? { prompts: { listChanged: true } } : {}),
    ...(hasResources ? { resources: { listChanged: true, subscribe: true } } : {}),
    ...(hasPrompts || hasResources ? { completions: {} } : {}),
  });
  for (const [method, handler] of Object.entries(handlers)) {
    // A call goes through the middleware in executeTool, like one that comes from elsewhere.
    const served = method === 'tools/call' ? handler : intercepted(registry, method, handler);
    setHandler(target, method, asProtocolErrors(served));
  }
  const unsubscribe = registry.onChange((change) => {
    if (change.kind === 'resource' && !subscriptions.has(change.uri)) return;
    announce(target, change)?.catch((error: unknown) => target.onerror?.(error));
  });
  return () => {
    unsubscribe();
    for (const method of Object.keys(handlers)) {
      if (target.removeRequestHandler) target.removeRequestHandler(method);
      else setHandler(target, method, async () => nothing(method));
    }
  };
}

function intercepted(registry: Attachable, method: string, handler: RequestHandler): RequestHandler {
  return ({ params = {} }, context) =>
    registry.intercept({ ...fromSdk(context), method, params }, (request) =>
      handler({ params: { ...request.params } }, context),
    );
}

function toolHandlers(registry: Attachable, currentView: () => View): Record<string, RequestHandler> {
  return {
    'tools/list': async (_request, context) => ({ tools: currentView().listTools(versionOf(context)) }),
    'tools/call': async ({ params = {} }, context) => {
      const view = currentView();
      const name = String(params['name']);
      if (!view.tools.has(name)) throw new ErrUnknownTool(`Unknown tool "${name}".`);
      return registry.executeTool({ ...fromSdk(context), name, arguments: argumentsOf(params) }, view);
    },
  };
}

function promptHandlers(registry: Attachable): Record<string, RequestHandler> {
  return {
    'prompts/list': async () => ({ prompts: registry.listPrompts() }),
    'prompts/get': async ({ params = {} }, context) =>
      registry.getPrompt({
        ...fromSdk(context),
        name: String(params['name']),
        arguments: argumentsOf(params),
      }),
  };
}

function resourceHandlers(registry: Attachable, subscriptions: Set<string>): Record<string, RequestHandler> {
  return {
    'resources/list': async () => ({ resources: registry.listResources() }),
    'resources/templates/list': async () => ({ resourceTemplates: registry.listResourceTemplates() }),
    'resources/read': async ({ params = {} }, context) =>
      registry.readResource({ ...fromSdk(context), uri: String(params['uri']) }),
    'resources/subscribe': async ({ params = {} }) => {
      subscriptions.add(String(params['uri']));
      return {};
    },
    'resources/unsubscribe': async ({ params = {} }) => {
      subscriptions.delete(String(params['uri']));
      return {};
    },
  };
}

function completionHandlers(registry: Attachable): Record<string, RequestHandler> {
  return {
    'completion/complete': async ({ params = {} }) => ({
      completion: await registry.complete(params as unknown as CompletionRequest),
    }),
  };
}

/** Errors that are the client's become JSON-RPC errors with the right code; both SDKs read it off the error. */
function asProtocolErrors(handler: RequestHandler): RequestHandler {
  return async (request, context) => {
    try {
      return await handler(request, context);
    } catch (error) {
      if (!(error instanceof ToolfoldError) || error.audience === 'author') throw error;
      throw Object.assign(new Error(error.message, { cause: error }), { code: INVALID_PARAMS });
    }
  };
}

function announce(target: ServerMembers, change: RegistryChange): Promise<void> | undefined {
  switch (change.kind) {
    case 'tools':
      return target.sendToolListChanged?.();
    case 'prompts':
      return target.sendPromptListChanged?.();
    case 'resources':
      return target.sendResourceListChanged?.();
    case 'resource':
      return target.sendResourceUpdated?.({ uri: change.uri });
  }
}

/** The answer of a method that is no longer served, where it cannot be taken off. */
function nothing(method: string): object {
  const key = { 'tools/list': 'tools', 'prompts/list': 'prompts', 'resources/list': 'resources' }[method];
  return key === undefined ? { content: [] } : { [key]: [] };
}

function argumentsOf(params: Record<string, unknown>): Record<string, unknown> | undefined {
  return params['arguments'] as Record<string, unknown> | undefined;
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
    ask: askerOf(request),
    sdk: context,
  };
}

/**
 * The first SDK sends each question and waits. The second hands over the answers that came with the request, or
 * takes the questions as the result; to 2025-era clients it sends them itself.
 */
function askerOf(request: Record<string, unknown>): AskClient | undefined {
  const send = request['sendRequest'] as ((request: object, schema: unknown) => Promise<unknown>) | undefined;
  if (!send) return async () => record(request['inputResponses']);
  return async (questions) => {
    const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
      const { mode: _, ...asked } = params;
      return [key, await send({ method, params: asked }, looseObject({}))] as const;
    });
    return Object.fromEntries(await Promise.all(answers));
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
