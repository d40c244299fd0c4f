import { literal, looseObject, object, optional } from 'zod/mini';
import { clip, didYouMean } from '../compile/describe-issues.js';
import type { Caller, ReportProgress } from '../compile/tool-definition.js';
import {
  ErrInputUnavailable,
  ErrInvalidServer,
  ErrUnknownResource,
  ErrUnknownTool,
  ErrValidationFailed,
  ToolfoldError,
} from '../errors.js';
import type { ErrorReport } from '../format/error-handler.js';
import type { ProtocolVersion } from '../model/converters/mcp-types.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { RequestOptions } from './request-context.js';
import type { McpRequest } from './mcp-middleware.js';
import { InputRequired } from '../compile/input-required.js';
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
  | 'complete'
  | 'counts'
  | 'executeTool'
  | 'getPrompt'
  | 'intercept'
  | 'listPrompts'
  | 'listResources'
  | 'listResourceTemplates'
  | 'onChange'
  | 'readResource'
>;

type SdkHandler = (request: { params?: Record<string, unknown> }, context: unknown) => Promise<unknown>;
/** Serves a request as it comes out of the middleware. */
type Handler = (request: McpRequest) => Promise<unknown>;

/** The members of a server that are used where they are there. */
interface ServerMembers {
  transport?: unknown;
  registerCapabilities?: (capabilities: object) => void;
  assertCanSetRequestHandler?: (method: string) => void;
  removeRequestHandler?: (method: string) => void;
  sendToolListChanged?: () => Promise<void>;
  sendPromptListChanged?: () => Promise<void>;
  sendResourceListChanged?: () => Promise<void>;
  sendResourceUpdated?: (params: { uri: string }) => Promise<void>;
  /** Who introduced itself in the handshake of 2025. */
  getClientVersion?: () => unknown;
  onclose?: (() => void) | undefined;
  oninitialized?: (() => void) | undefined;
  onerror?: ((error: unknown) => void) | undefined;
}

const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** What is attached to a server: detaching takes off no one else's handlers. */
const attachments = new WeakMap<
  object,
  { readonly served: ReadonlySet<string>; readonly pause: () => void }
>();

/**
 * Puts the handlers of a registry on a server of either SDK: tools always, prompts and resources where there are
 * any. The cost does not depend on how many there are. Another registry's attachment is replaced; handlers of
 * somebody else are not.
 */
export function attach(registry: Attachable, server: unknown, compileView: () => View): DetachFn {
  const target = resolveServer(server) as Target;
  const replaced = attachments.get(target);
  const mine = createAttachment(registry, new WeakRef(target), compileView, replaced?.served ?? new Set());
  mine.extend();
  replaced?.pause();
  for (const method of replaced?.served ?? []) if (!mine.served.has(method)) takeOff(target, method);
  attachments.set(target, mine);
  mine.resume();
  const { onclose, oninitialized } = target;
  target.onclose = () => {
    mine.pause();
    onclose?.call(target);
  };
  // A server may be connected again, and its new client wants to hear of changes too.
  target.oninitialized = () => {
    mine.resume();
    oninitialized?.call(target);
  };
  return () => {
    mine.pause();
    if (attachments.get(target) !== mine) return;
    attachments.delete(target);
    for (const method of mine.served) takeOff(target, method);
  };
}

function takeOff(target: Target, method: string): void {
  if (target.removeRequestHandler) target.removeRequestHandler(method);
  else setHandler(target, method, async () => nothing(method));
}

type Target = McpServerLike & ServerMembers;

interface Attachment {
  /** The methods that are on the server. */
  readonly served: ReadonlySet<string>;
  /** Puts on the server whatever the registry has and the server does not serve yet. */
  readonly extend: () => void;
  /** Tells the client of changes, from now on. */
  readonly resume: () => void;
  /** The connection has ended: nobody is to be told, and nothing keeps the server. */
  readonly pause: () => void;
}

/** Nothing here holds the server, for the registry holds this. */
function createAttachment(
  registry: Attachable,
  reference: WeakRef<Target>,
  compileView: () => View,
  replaceable: ReadonlySet<string>,
): Attachment {
  const served = new Set<string>();
  const subscriptions = new Set<string>();
  let unsubscribe: (() => void) | undefined;
  // A mistake in the policy throws here. One that comes later leaves the last good view in place.
  let view = compileView();
  const currentView = (): View => {
    try {
      view = compileView();
    } catch (error) {
      reference.deref()?.onerror?.(error);
    }
    return view;
  };
  const pause = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    subscriptions.clear();
  };
  const resume = (): void => {
    unsubscribe ??= registry.onChange((change) => {
      const target = reference.deref();
      if (target) tell(target, change, extend, subscriptions);
      else pause();
    });
  };
  const extend = (): void => {
    const target = reference.deref();
    const { capabilities, handlers } = toServe(registry, currentView, subscriptions);
    const added = Object.entries(handlers).filter(([method]) => !served.has(method));
    if (!target || added.length === 0) return;
    for (const [method] of added) if (!replaceable.has(method)) assertFree(target, method);
    declare(target, capabilities);
    for (const [method, handler] of added) {
      // A server that is connected again serves again.
      const wake: Handler = (request) => {
        resume();
        return handler(request);
      };
      setHandler(target, method, serve(registry, target, method, wake));
      served.add(method);
    }
  };
  return { served, extend, resume, pause };
}

/** Tools of a server's own would vanish without a word. */
function assertFree(target: Target, method: string): void {
  try {
    target.assertCanSetRequestHandler?.(method);
  } catch (cause) {
    throw new ErrInvalidServer(`The server answers ${method} already.`, {
      hint: 'Register its tools, prompts and resources in the registry, or attach to a server of its own.',
      cause,
    });
  }
}

function tell(
  target: Target,
  change: RegistryChange,
  extend: () => void,
  subscriptions: ReadonlySet<string>,
): void {
  try {
    extend();
  } catch (error) {
    target.onerror?.(error);
  }
  // Whoever connects later asks for the list anyway.
  const isConnected = !('transport' in target) || target.transport !== undefined;
  if (!isConnected || (change.kind === 'resource' && !subscriptions.has(change.uri))) return;
  announce(target, change)?.catch((error: unknown) => target.onerror?.(error));
}

/** Tools always, prompts and resources where there are any. */
function toServe(
  registry: Attachable,
  currentView: () => View,
  subscriptions: Set<string>,
): { capabilities: object; handlers: Record<string, Handler> } {
  const { prompts, resources } = registry.counts;
  return {
    capabilities: {
      tools: { listChanged: true },
      ...(prompts > 0 ? { prompts: { listChanged: true } } : {}),
      ...(resources > 0 ? { resources: { listChanged: true, subscribe: true } } : {}),
      ...(prompts + resources > 0 ? { completions: {} } : {}),
    },
    handlers: {
      ...toolHandlers(registry, currentView),
      ...(prompts > 0 ? promptHandlers(registry) : {}),
      ...(resources > 0 ? resourceHandlers(registry, subscriptions) : {}),
      ...(prompts + resources > 0 ? completionHandlers(registry) : {}),
    },
  };
}

/** A client learns what a server can do when it connects, and then no more. */
function declare(target: ServerMembers, capabilities: object): void {
  try {
    target.registerCapabilities?.(capabilities);
  } catch (cause) {
    throw new ErrInvalidServer(
      `The server is connected already, so that it cannot say any more that it has ${Object.keys(capabilities).join(', ')}.`,
      { hint: 'Attach, with at least one item of each kind registered, before it connects.', cause },
    );
  }
}

/** From the SDK's request through the middleware to a handler, and errors to JSON-RPC. */
function serve(registry: Attachable, target: ServerMembers, method: string, handler: Handler): SdkHandler {
  return async ({ params = {} }, context) => {
    const request: McpRequest = { ...fromSdk(context, target), method, params };
    try {
      // A call goes through the middleware in executeTool, like one that comes from elsewhere.
      return await (method === 'tools/call' ? handler(request) : registry.intercept(request, handler));
    } catch (error) {
      if (error instanceof InputRequired)
        return { resultType: 'input_required', inputRequests: error.inputRequests };
      throw toProtocolError(error, target);
    }
  };
}

/** Both SDKs read the code off the error. What is the author's business is reported here and not told to a client. */
function toProtocolError(error: unknown, target: ServerMembers): Error {
  const isForClient = error instanceof ToolfoldError && error.audience !== 'author';
  if (isForClient) return Object.assign(new Error(error.message), { code: INVALID_PARAMS });
  target.onerror?.(error);
  return Object.assign(new Error('The server failed to answer.'), { code: INTERNAL_ERROR });
}

function toolHandlers(registry: Attachable, currentView: () => View): Record<string, Handler> {
  return {
    'tools/list': async (request) => {
      assertNoCursor(request);
      return { tools: currentView().listTools(versionOf(request.sdk)) };
    },
    'tools/call': async ({ params, ...request }) => {
      const name = String(params['name']);
      const result = await registry.executeTool(
        { ...request, name, arguments: argumentsOf(params) },
        currentView(),
      );
      const report = result._meta?.['toolfold/error'] as ErrorReport | undefined;
      // A handler may have passed on what another call answered.
      if (report?.code === 'ErrUnknownTool' && !currentView().tools.has(name)) {
        throw new ErrUnknownTool(`Unknown tool "${clip(name)}".${didYouMean(report.suggestions[0])}`);
      }
      // Clients of 2025 take only objects for structured content.
      const { structuredContent, ...rest } = result;
      return versionOf(request.sdk) === '2025-11-25' &&
        structuredContent !== undefined &&
        !isJsonObject(structuredContent)
        ? rest
        : result;
    },
  };
}

/** Lists are one page here, so that no cursor was ever given out. */
function assertNoCursor({ params }: McpRequest): void {
  if (params['cursor'] !== undefined)
    throw new ErrValidationFailed('Validation failed: the cursor is not known.');
}

function promptHandlers(registry: Attachable): Record<string, Handler> {
  return {
    'prompts/list': async (request) => {
      assertNoCursor(request);
      return { prompts: registry.listPrompts() };
    },
    'prompts/get': async ({ params, ...request }) =>
      registry.getPrompt({ ...request, name: String(params['name']), arguments: argumentsOf(params) }),
  };
}

function resourceHandlers(registry: Attachable, subscriptions: Set<string>): Record<string, Handler> {
  return {
    'resources/list': async (request) => {
      assertNoCursor(request);
      return { resources: registry.listResources() };
    },
    'resources/templates/list': async (request) => {
      assertNoCursor(request);
      return { resourceTemplates: registry.listResourceTemplates() };
    },
    'resources/read': async ({ params, ...request }) =>
      registry.readResource({ ...request, uri: String(params['uri']) }),
    'resources/subscribe': async ({ params }) => {
      if (subscriptions.size >= MAX_SUBSCRIPTIONS)
        throw new ErrUnknownResource('There are too many subscriptions.');
      subscriptions.add(String(params['uri']));
      return {};
    },
    'resources/unsubscribe': async ({ params }) => {
      subscriptions.delete(String(params['uri']));
      return {};
    },
  };
}

const MAX_SUBSCRIPTIONS = 10_000;

function completionHandlers(registry: Attachable): Record<string, Handler> {
  return {
    'completion/complete': async ({ params }) => {
      if (!isJsonObject(params['ref']) || !isJsonObject(params['argument'])) {
        throw new ErrValidationFailed('Validation failed: ref and argument are required.');
      }
      return { completion: await registry.complete(params as unknown as CompletionRequest) };
    },
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

function argumentsOf(params: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  return params['arguments'] as Record<string, unknown> | undefined;
}

/** The second SDK registers by method, the first by a schema with the method in it; each refuses the other's way. */
function setHandler(target: McpServerLike, method: string, handler: SdkHandler): void {
  const register = target.setRequestHandler as (key: unknown, handler: SdkHandler) => void;
  const isFirstSdk = target.setRequestHandler.length === 2;
  const key = isFirstSdk ? object({ method: literal(method), params: optional(looseObject({})) }) : method;
  register.call(target, key, handler);
}

/** The parts of both SDKs' contexts that mean the same. */
function fromSdk(context: unknown, target: ServerMembers): RequestOptions {
  const { request, http, sessionId } = membersOf(context);
  const auth = record(http['authInfo']) ?? record(request['authInfo']);
  const client = (record(envelopeOf(request)['io.modelcontextprotocol/clientInfo']) ??
    target.getClientVersion?.()) as Caller['client'];
  const caller: Caller = { auth, client, sessionId: typeof sessionId === 'string' ? sessionId : undefined };
  const token = auth?.['token'];
  return {
    caller,
    accessToken: typeof token === 'string' ? token : undefined,
    signal: request['signal'] as AbortSignal | undefined,
    progress: progressOf(request),
    meta: record(request['_meta']),
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
  if (!send) return async (questions) => answersIn(record(request['inputResponses']), Object.keys(questions));
  return async (questions) => {
    const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
      const { mode: _, ...asked } = params;
      return [key, await send({ method, params: asked }, looseObject({}))] as const;
    });
    try {
      return Object.fromEntries(await Promise.all(answers));
    } catch (cause) {
      throw new ErrInputUnavailable('The client takes no questions.', { cause });
    }
  };
}

/** Answers come once: a handler that asks again, later, would ask in circles. */
function answersIn(
  answers: Record<string, unknown> | undefined,
  keys: readonly string[],
): Record<string, unknown> | undefined {
  if (!answers || keys.every((key) => Object.hasOwn(answers, key))) return answers;
  throw new ErrInputUnavailable('The handler asked a second time.', {
    hint: 'Ask everything in one requestInput().',
  });
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
  const version = envelopeOf(request)['io.modelcontextprotocol/protocolVersion'];
  return typeof version === 'string' && version >= '2026-07-28' ? '2026-07-28' : '2025-11-25';
}

/** What each request of 2026-07-28 says of itself. The second SDK takes it out of `_meta`. */
function envelopeOf(request: Record<string, unknown>): Record<string, unknown> {
  return record(request['envelope']) ?? record(request['_meta']) ?? {};
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
