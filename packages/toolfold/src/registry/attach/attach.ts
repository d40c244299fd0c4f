import type { Caller } from '../../callers/caller.js';
import { internalsOf } from '../any-registry.js';
import type { AnyRegistry } from '../any-registry.js';
import { createEnabledToolsets, createSettingsMethods } from '../client-settings.js';
import type { ChangeSettings } from '../client-settings.js';
import { createFaultReporter, emitFaults } from '../../engine/fault-report.js';
import type { McpRequest, ReportFault, RequestOptions } from '../../engine/request.js';
import { askable, capabilitiesOf, createMethods, serveMethod } from '../methods.js';
import { isModern } from '../../protocol/mcp-types.js';
import { RpcError, toRpcError, INVALID_PARAMS } from '../../protocol/rpc-error.js';
import type { MethodOptions } from '../methods.js';
import type { MethodHandler } from '../mcp-middleware.js';
import type { AskClient } from '../../questions/request-input.js';
import {
  askerOf,
  changeSettings,
  createConnection,
  fromSdk,
  httpOf,
  resetConnection,
} from './sdk-request.js';
import type { Connection } from './sdk-request.js';
import {
  announce,
  assertFree,
  declareCapabilities,
  declaredBy,
  findHiddenItems,
  isConnected,
  isFirstSdk,
  setHandler,
} from './sdk-server.js';
import type { SdkHandler, SdkServer } from './sdk-server.js';
import { resolveServer } from './server-resolver.js';
import { TASKS_EXTENSION } from '../../tasks/tasks.js';
import { anything, assertOptions, callback, flag, objectLike } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { defaultClients, findClient } from '../../views/client-table.js';
import { compilePolicy } from '../../views/policy.js';
import type { ViewPolicy, ViewProfile } from '../../views/policy.js';
import type { View, ViewSource } from '../../views/view.js';

/** Detaches the registry: the server then lists nothing and rejects calls, until a registry is attached again. */
export type DetachFn = () => void;

/** Decides what `attachToServer` serves, and to which clients. */
export interface AttachOptions extends MethodOptions {
  /**
   * The policy of the view that callers get, or an `Exposure`, which chooses a view for each request. Default: everything, in the
   * profile of the client that asks.
   */
  readonly view?: ViewPolicy | ViewSource;
  /** @internal Whether the client is notified of changes. A server that serves a single request sets it to false. Default: true. */
  readonly announces?: boolean;
  /** @internal Called with errors of the author's code, in place of `onerror` of the server. */
  readonly onFault?: ReportFault;
}

const rules: Rules<keyof AttachOptions> = {
  view: objectLike('a view policy or an Exposure'),
  announces: flag,
  onFault: callback,
  // Checked where it is used, because handlers take it too.
  pageSize: anything,
  cacheHints: objectLike('{ ttlMs, cacheScope }'),
  variesByClient: flag,
};

/** State kept for each server. It survives a detach, so that the next attachment can take over the handlers. */
interface Place {
  /** Methods whose handlers an attachment has set. They keep these handlers when it is detached. */
  readonly methods: Set<string>;
  /** The object that the author passed: the server, or the high-level server around it. */
  owner?: unknown;
  attachment?: Attachment | undefined;
}

const places = new WeakMap<object, Place>();

/**
 * Sets the handlers of a registry on a server of either SDK: those of tools always, those of prompts and resources if there
 * are any. The cost does not depend on the number of items. Replaces the attachment of another registry, but no handlers of
 * the server itself.
 *
 * @internal
 */
export function attach(registry: AnyRegistry, server: unknown, options: AttachOptions): DetachFn {
  assertOptions('attachToServer', options, rules);
  const target = resolveServer(server) as SdkServer;
  const place = placeOf(target);
  place.owner = server;
  const mine = createAttachment(registry, new WeakRef(target), options);
  mine.extend();
  place.attachment?.pause();
  for (const method of place.methods) if (!mine.served.has(method)) retire(target, method);
  place.attachment = mine;
  mine.resume();
  if (options.announces !== false) announceLists(target, place.methods);
  return () => {
    if (place.attachment !== mine) return;
    place.attachment = undefined;
    mine.pause();
    for (const method of mine.served) retire(target, method);
    if (options.announces !== false) announceLists(target, place.methods);
  };
}

function placeOf(target: SdkServer): Place {
  const known = places.get(target);
  if (known) return known;
  const place: Place = { methods: new Set() };
  places.set(target, place);
  const { onclose, oninitialized } = target;
  // A server needs only setRequestHandler(), so it may be frozen. `Reflect.set` then changes nothing and does not throw.
  Reflect.set(target, 'onclose', () => {
    place.attachment?.pause();
    onclose?.call(target);
  });
  // A server may reconnect, and its new client must be notified of changes too.
  Reflect.set(target, 'oninitialized', () => {
    place.attachment?.resume();
    oninitialized?.call(target);
  });
  return place;
}

/** Makes a method answer as if the registry were empty. */
function retire(target: SdkServer, method: string): void {
  // The log level stays in effect, because the author of the server may send log messages too.
  if (method === SET_LEVEL) return;
  const empty = emptyAnswers[method];
  setHandler(target, method, async () => {
    if (empty) return empty;
    throw new RpcError(INVALID_PARAMS, `No registry is attached to this server, so ${method} is rejected.`);
  });
}

const SET_LEVEL = 'logging/setLevel';
const emptyAnswers: Readonly<Record<string, object>> = {
  'tools/list': { tools: [] },
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
  'completion/complete': { completion: { values: [] } },
};

/** Notifies a connected client, which may have read the lists before. */
function announceLists(target: SdkServer, methods: ReadonlySet<string>): void {
  if (!isConnected(target)) return;
  for (const kind of ['tools', 'prompts', 'resources'] as const)
    if (methods.has(`${kind}/list`)) announce(target, { kind });
}

interface Attachment {
  readonly served: ReadonlySet<string>;
  /** Adds handlers for items of the registry that the server does not serve yet. */
  readonly extend: () => void;
  readonly resume: () => void;
  /** Stops notifying the client, and resets the settings of its connection. */
  readonly pause: () => void;
}

/** Holds the server weakly, because the registry's list of listeners holds the attachment. */
function createAttachment(
  registry: AnyRegistry,
  reference: WeakRef<SdkServer>,
  options: AttachOptions,
): Attachment {
  const served = new Set<string>();
  const connection = createConnection(reference.deref());
  const onFault = options.onFault ?? reportTo(reference);
  const source = sourceOf(registry, options.view, onFault);
  let unsubscribe: (() => void) | undefined;
  const pause = (): void => {
    unsubscribe?.();
    unsubscribe = undefined;
    resetConnection(connection, reference.deref());
  };
  const resume = (): void => {
    if (options.announces === false) return;
    unsubscribe ??= registry.onChange((change) => {
      const target = reference.deref();
      if (!target) return pause();
      try {
        extend();
      } catch (error) {
        target.onerror?.(error);
      }
      const isWatched =
        change.kind !== 'resource' ||
        connection.settings.subscriptions?.includes(change.uri) ||
        // For 2026 clients the SDK filters updates itself.
        isModern(target.getNegotiatedProtocolVersion?.());
      if (isWatched) announce(target, change);
    });
  };
  const extend = (): void => {
    const target = reference.deref();
    if (!target) return;
    const handlers: Record<string, MethodHandler> = {
      ...createMethods(registry, (request) => source.viewFor(request), {
        ...options,
        variesByClient: options.variesByClient ?? variesByClient(options.view),
      }),
      ...connectionMethods(registry, connection, target),
      // Tasks came with 2026-07-28, which SDK v1 does not speak.
      ...(isFirstSdk(target) ? {} : internalsOf(registry).taskMethods),
    };
    const added = Object.entries(handlers).filter(([method]) => !served.has(method));
    if (added.length === 0) return;
    const { methods: ours, owner } = placeOf(target);
    for (const [method] of added)
      if (!ours.has(method) && method !== SET_LEVEL) assertFree(target, owner, method);
    declareCapabilities(target, {
      ...capabilitiesOf(registry),
      ...('tasks/get' in handlers ? { extensions: { [TASKS_EXTENSION]: {} } } : {}),
    });
    for (const [method, handler] of added) {
      if (!isDeclared(target, method)) continue;
      // A request after a reconnect resumes the notifications.
      const wake: MethodHandler = (request) => {
        resume();
        const hidden = method.endsWith('/list') ? findHiddenItems(owner, method) : undefined;
        if (hidden) target.onerror?.(hidden);
        return handler(request);
      };
      setHandler(target, method, serve(registry, target, method, wake, connection, source, onFault));
      served.add(method);
      ours.add(method);
    }
  };
  return { served, extend, resume, pause };
}

/** Reports errors to `onerror` of the server, which the author may set at any time. */
function reportTo(reference: WeakRef<SdkServer>): ReportFault {
  const toServer = createFaultReporter((error) => reference.deref()?.onerror?.(error));
  const toConsole = createFaultReporter(undefined);
  return (error, context) => (reference.deref()?.onerror ? toServer : toConsole)(error, context);
}

/** Whether the capability of a method was declared. A connected server may lack optional ones. */
function isDeclared(target: SdkServer, method: string): boolean {
  const declared = declaredBy(target);
  if (method === SET_LEVEL) return declared?.['logging'] !== undefined;
  return method !== 'completion/complete' || !declared || declared['completions'] !== undefined;
}

/** A 2025 client changes the settings of its connection through these methods. */
function connectionMethods(
  registry: AnyRegistry,
  connection: Connection,
  target: SdkServer,
): Record<string, MethodHandler> {
  const changeFor =
    (request: McpRequest): ChangeSettings =>
    async (derive) => {
      await changeSettings(connection, derive);
      const { subscriptions = [] } = connection.settings;
      connection.subscribed.sync(subscriptions, (uri) => internalsOf(registry).watchResource(uri, request));
    };
  const methods = createSettingsMethods(changeFor, internalsOf(registry).offers.resources);
  return {
    ...methods,
    [SET_LEVEL]: async (request) => {
      const result = await methods[SET_LEVEL]?.(request);
      // The SDK filters the author's log messages by this level, and this handler replaces the SDK's.
      target._loggingLevels?.set(request.caller?.sessionId, String(request.params['level']));
      return result;
    },
  };
}

/** Turns a handler of the registry into one of the SDK: reads the request, runs the middleware and converts errors. */
function serve(
  registry: AnyRegistry,
  target: SdkServer,
  method: string,
  handler: MethodHandler,
  connection: Connection,
  source: ViewSource,
  onFault: ReportFault,
): SdkHandler {
  const enabledToolsets = createEnabledToolsets(
    () => connection.settings.toolsets,
    (derive) => changeSettings(connection, derive),
    () => void target.sendToolListChanged?.().catch((error: unknown) => target.onerror?.(error)),
  );
  return async ({ params = {} }, context) => {
    // The author may have replaced `onclose`, so a new connection can go unnoticed until its first request.
    if (connection.transport?.deref() !== target.transport) resetConnection(connection, target);
    let ask: AskClient | undefined;
    let options: RequestOptions;
    try {
      options = source.complete(
        { ...fromSdk(context, target, connection, enabledToolsets), emit: emitFaults(onFault) },
        httpOf(context),
      );
      if (askable.has(method)) ask = askerOf(registry, { method, params }, options, context);
    } catch (error) {
      throw toRpcError(error, onFault);
    }
    return serveMethod(registry, handler, { ...options, ask, method, params }, onFault);
  };
}

/** Whether two clients may get different lists. A source that does not say so may choose by the client. */
function variesByClient(view: AttachOptions['view'] = {}): boolean {
  if (!('viewFor' in view)) return view.profile === undefined;
  return !('variesByClient' in view) || view.variesByClient === true;
}

/** Chooses the view of each request. If a later registration makes the policy invalid, the last valid view stays. */
function sourceOf(
  registry: AnyRegistry,
  view: AttachOptions['view'],
  onFault: (error: unknown) => void,
): ViewSource {
  if (view && 'viewFor' in view) {
    view.start?.();
    return view;
  }
  // Checks the policy as it was given, because a copy loses accessors and inherited fields.
  if (view) compilePolicy(view);
  const last = new Map<ViewProfile, View>();
  const viewOf = (profile: ViewProfile): View =>
    internalsOf(registry).tools.view(compilePolicy({ ...view, profile }));
  const profileFor = (client: Caller['client']): ViewProfile =>
    view?.profile ?? findClient(defaultClients, client).profile;
  const first = profileFor(undefined);
  last.set(first, viewOf(first));
  return {
    viewFor: ({ caller }) => {
      const profile = profileFor(caller?.client);
      try {
        last.set(profile, viewOf(profile));
      } catch (error) {
        if (!last.has(profile)) throw error;
        onFault(error);
      }
      return last.get(profile) as View;
    },
    complete: (request) => request,
  };
}
