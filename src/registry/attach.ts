import { literal, looseObject, object, optional } from 'zod';
import { ErrInvalidServer, ErrUnknownResource, ErrValidationFailed } from '../errors.js';
import { isLoggingLevel } from './log-levels.js';
import type { McpRequest } from './mcp-middleware.js';
import { askable, capabilitiesOf, createMethods, isModern, serveMethod, toRpcError } from './methods.js';
import type { AnyRegistry } from './any-registry.js';
import type { MethodHandler, MethodOptions } from './methods.js';
import { askerOf, fromSdk, httpOf, membersOf } from './sdk-request.js';
import type { Connection } from './sdk-request.js';
import type { RequestOptions } from './request-context.js';
import type { AskClient } from './request-input.js';
import { resolveServer } from './server-resolver.js';
import type { McpServerLike } from './server-resolver.js';
import { TASKS_EXTENSION } from './tasks.js';
import type { RegistryChange } from './registry-changes.js';
import type { ViewPolicy } from './view.js';
import type { EnabledToolsets, ViewSource } from './view-source.js';

/** Takes the handlers off the server again. */
export type DetachFn = () => void;

/** What an attached server shows, and tells. */
export interface AttachOptions extends MethodOptions {
  /** What callers see; everything by default. An `Exposure` decides it for each request. */
  readonly view?: ViewPolicy | ViewSource;
  /** Whether the client is told of changes. Default: true; a server that serves one request has nobody to tell. */
  readonly announces?: boolean;
}

type SdkHandler = (request: { params?: Record<string, unknown> }, context: unknown) => Promise<unknown>;

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
  /** Who introduced itself in the handshake of 2025, and what it can do. */
  getClientVersion?: () => unknown;
  getClientCapabilities?: () => unknown;
  getNegotiatedProtocolVersion?: () => string | undefined;
  onclose?: (() => void) | undefined;
  oninitialized?: (() => void) | undefined;
  onerror?: ((error: unknown) => void) | undefined;
}

/** What is attached to a server: detaching takes off no one else's handlers. */
const attachments = new WeakMap<
  object,
  { readonly served: ReadonlySet<string>; readonly pause: () => void }
>();

/**
 * Puts the handlers of a registry on a server of either SDK: tools always, prompts and resources where there are
 * any. The cost does not depend on how many there are. Another registry's attachment is replaced; handlers of
 * somebody else are not.
 *
 * @internal
 */
export function attach(registry: AnyRegistry, server: unknown, options: AttachOptions): DetachFn {
  const target = resolveServer(server) as Target;
  const replaced = attachments.get(target);
  const mine = createAttachment(registry, new WeakRef(target), options, replaced?.served ?? new Set());
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
  registry: AnyRegistry,
  reference: WeakRef<Target>,
  options: AttachOptions,
  replaceable: ReadonlySet<string>,
): Attachment {
  const served = new Set<string>();
  const connection: Connection = { subscriptions: new Set(), logLevel: undefined, toolsets: undefined };
  const { subscriptions } = connection;
  const source = sourceOf(registry, options.view, (error) => reference.deref()?.onerror?.(error));
  let unsubscribe: (() => void) | undefined;
  const pause = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    subscriptions.clear();
    connection.logLevel = undefined;
    connection.toolsets = undefined;
  };
  const resume = (): void => {
    if (options.announces === false) return;
    unsubscribe ??= registry.onChange((change) => {
      const target = reference.deref();
      if (target) tell(target, change, extend, subscriptions);
      else pause();
    });
  };
  const extend = (): void => {
    const target = reference.deref();
    const handlers = {
      ...createMethods(registry, (request) => source.viewFor(request), options),
      ...connectionMethods(registry, connection, target),
      // Tasks came with 2026-07-28, which the first SDK does not speak.
      ...(target && isFirstSdk(target) ? {} : registry.taskMethods),
    };
    const added = Object.entries(handlers).filter(([method]) => !served.has(method));
    if (!target || added.length === 0) return;
    for (const [method] of added) if (!replaceable.has(method)) assertFree(target, method);
    const put = ([method, handler]: readonly [string, MethodHandler]): void => {
      // A server that is connected again serves again.
      const wake: MethodHandler = (request) => {
        resume();
        return handler(request);
      };
      setHandler(target, method, serve(registry, target, method, wake, connection, source));
      served.add(method);
    };
    // Whoever is given a task can ask about it, even where it is too late to say so beforehand.
    for (const each of added) if (isTaskMethod(each[0])) put(each);
    declare(target, {
      ...capabilitiesOf(registry),
      ...('tasks/get' in handlers ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
    });
    for (const each of added) if (!isTaskMethod(each[0])) put(each);
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
  if (!isConnected || (change.kind === 'resource' && !isWatched(change.uri, target, subscriptions))) return;
  announce(target, change)?.catch((error: unknown) => target.onerror?.(error));
}

/** In 2026-07-28 the SDK knows what its client listens to, and keeps back the rest. */
function isWatched(uri: string, target: Target, subscriptions: ReadonlySet<string>): boolean {
  return subscriptions.has(uri) || isModern(target.getNegotiatedProtocolVersion?.());
}

/** What clients of 2025 say about their connection. The second SDK hears about levels itself. */
function connectionMethods(
  registry: AnyRegistry,
  connection: Connection,
  target: Target | undefined,
): Record<string, MethodHandler> {
  const { subscriptions } = connection;
  return {
    ...(target && isFirstSdk(target)
      ? {
          'logging/setLevel': async ({ params }: McpRequest) => {
            const { level } = params;
            if (!isLoggingLevel(level))
              throw new ErrValidationFailed('Validation failed: level is not known.');
            connection.logLevel = level;
            return {};
          },
        }
      : {}),
    ...(registry.counts.resources === 0
      ? {}
      : {
          'resources/subscribe': async ({ params }: McpRequest) => {
            if (subscriptions.size >= MAX_SUBSCRIPTIONS)
              throw new ErrUnknownResource('There are too many subscriptions.');
            subscriptions.add(String(params['uri']));
            return {};
          },
          'resources/unsubscribe': async ({ params }: McpRequest) => {
            subscriptions.delete(String(params['uri']));
            return {};
          },
        }),
  };
}

const MAX_SUBSCRIPTIONS = 10_000;

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
function serve(
  registry: AnyRegistry,
  target: ServerMembers,
  method: string,
  handler: MethodHandler,
  connection: Connection,
  source: ViewSource,
): SdkHandler {
  const enabledToolsets = enabledIn(connection, target);
  return async ({ params = {} }, context) => {
    const onFault = (error: unknown): void => target.onerror?.(error);
    const known = fromSdk(context, target, connection);
    // In 2026-07-28 a list does not change by what a client calls.
    const isStable = isModern(known.protocolVersion);
    let ask: AskClient | undefined;
    let options: RequestOptions;
    try {
      options = source.complete(isStable ? known : { ...known, enabledToolsets }, httpOf(context));
      if (askable.has(method)) ask = askerOf(registry, { method, params }, options, context);
    } catch (error) {
      throw toRpcError(error, onFault);
    }
    return serveMethod(registry, handler, { ...options, ask, method, params }, onFault);
  };
}

/** One policy for all, or somebody who decides. A mistake in a policy that comes later leaves the last good view in place. */
function sourceOf(
  registry: AnyRegistry,
  view: AttachOptions['view'],
  onFault: (error: unknown) => void,
): ViewSource {
  if (view && 'viewFor' in view) return view;
  let last = registry.view(view);
  return {
    viewFor: () => {
      try {
        last = registry.view(view);
      } catch (error) {
        onFault(error);
      }
      return last;
    },
    complete: (request) => request,
  };
}

/** A connection is a session. */
function enabledIn(connection: Connection, target: ServerMembers): EnabledToolsets {
  return {
    get current() {
      return connection.toolsets;
    },
    change: (derive) => {
      const turn = (connection.changing ?? Promise.resolve()).then(async () => {
        const before = connection.toolsets;
        connection.toolsets = await derive(before);
        if (connection.toolsets === before) return;
        target.sendToolListChanged?.().catch((error: unknown) => target.onerror?.(error));
      });
      connection.changing = turn.catch(() => undefined);
      return turn;
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

/**
 * The second SDK registers by method, the first by a schema with the method in it; each refuses the other's way.
 * Methods of an extension come with a schema, and get their parameters alone.
 */
function setHandler(target: McpServerLike, method: string, handler: SdkHandler): void {
  const register = target.setRequestHandler as (...args: readonly unknown[]) => void;
  if (isFirstSdk(target)) {
    const schema = object({ method: literal(method), params: optional(looseObject({})) });
    register.call(target, schema, handler);
  } else if (isTaskMethod(method)) {
    const handle = (params: Record<string, unknown>, context: unknown): Promise<unknown> => {
      // The SDK takes the answers out of the parameters.
      const { inputResponses } = membersOf(context).request;
      return handler({ params: { ...params, inputResponses } }, context);
    };
    register.call(target, method, { params: looseObject({}) }, handle);
  } else register.call(target, method, handler);
}

function isTaskMethod(method: string): boolean {
  return method.startsWith('tasks/');
}

function isFirstSdk(target: McpServerLike): boolean {
  return target.setRequestHandler.length === 2;
}
