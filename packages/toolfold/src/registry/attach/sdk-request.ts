import { looseObject } from 'zod';
import type { LogToClient } from '../../define/tool-definition.js';
import type { Caller, EnabledToolsets } from '../../callers/caller.js';
import type { LoggingLevel } from '../../protocol/mcp-types.js';
import { ErrInputUnavailable } from '@toolfold/schema/errors';
import type { ContextRequest } from '../../callers/session-context.js';
import { isLogged, isLoggingLevel, isModern } from '../../protocol/mcp-types.js';
import type { McpRequest, RequestOptions } from '../../engine/request.js';
import { internalsOf } from '../any-registry.js';
import type { AnyRegistry } from '../any-registry.js';
import type { ChangeSettings, ClientSettings } from '../client-settings.js';
import { toRequestOptions } from '../incoming-request.js';
import type { Notify } from '../incoming-request.js';
import type { AskClient } from '../../questions/request-input.js';
import { SubscribedResources } from '../watch/subscribed-resources.js';
import { membersOf, record } from './sdk-server.js';
import type { SdkServer } from './sdk-server.js';

/** Settings that a 2025 client has made on its connection. */
export interface Connection {
  /** The transport of this connection. A different transport means that the server has reconnected. */
  transport: WeakRef<object> | undefined;
  /** The client's settings. They apply until it disconnects. */
  settings: ClientSettings;
  readonly subscribed: SubscribedResources;
  /** The next change of the settings waits for this one. */
  changed: Promise<void>;
}

/** Reads the log level that the client may have set before the registry was attached. */
export function createConnection(server: ConnectedServer | undefined): Connection {
  const levels = [...(server?._loggingLevels?.values() ?? [])].filter(isLoggingLevel);
  return {
    transport: transportOf(server),
    settings: { logLevel: levels.at(-1) },
    subscribed: new SubscribedResources(),
    changed: Promise.resolve(),
  };
}

/** Changes the settings of a client. Changes run one after another. */
export function changeSettings(connection: Connection, derive: Parameters<ChangeSettings>[0]): Promise<void> {
  const changed = connection.changed.then(async () => {
    const { settings } = connection;
    connection.settings = { ...settings, ...(await derive(settings)) };
  });
  connection.changed = changed.catch(() => undefined);
  return changed;
}

/** Resets the settings of a client. The log level that the SDK holds is reset only when the client has disconnected. */
export function resetConnection(connection: Connection, server: ConnectedServer | undefined): void {
  if (connection.transport?.deref() !== server?.transport) server?._loggingLevels?.clear();
  connection.transport = transportOf(server);
  connection.settings = {};
  connection.subscribed.close();
}

type ConnectedServer = Pick<SdkServer, 'transport' | '_loggingLevels'>;

function transportOf(server: ConnectedServer | undefined): WeakRef<object> | undefined {
  return server?.transport && new WeakRef(server.transport);
}

/** Reads the options of a request from the context that either SDK passes to a handler. */
export function fromSdk(
  context: unknown,
  target: Pick<SdkServer, 'getClientVersion' | 'getClientCapabilities' | 'getNegotiatedProtocolVersion'>,
  connection: Connection,
  enabledToolsets: EnabledToolsets,
): RequestOptions {
  const { request, http, sessionId } = membersOf(context);
  const auth = record(http['authInfo']) ?? record(request['authInfo']);
  // A 2026 client describes itself with every request. SDK v2 moves the description from `_meta` to `envelope`.
  const envelope = record(request['envelope']) ?? record(request['_meta']) ?? {};
  const version = envelope[`${PREFIX}protocolVersion`];
  // 2025 clients name their revision once, when they connect. Only SDK v2 exposes it.
  const protocolVersion = typeof version === 'string' ? version : target.getNegotiatedProtocolVersion?.();
  return toRequestOptions(
    { auth },
    {
      protocolVersion,
      client: (record(envelope[`${PREFIX}clientInfo`]) ?? target.getClientVersion?.()) as Caller['client'],
      capabilities:
        record(envelope[`${PREFIX}clientCapabilities`]) ?? record(target.getClientCapabilities?.()),
      sessionId: typeof sessionId === 'string' ? sessionId : undefined,
      // In 2026-07-28 the calls of a client do not change its list of tools.
      enabledToolsets: isModern(protocolVersion) ? undefined : enabledToolsets,
      signal: request['signal'] as AbortSignal | undefined,
      notify: notifyOf(request),
      isLogged: (level) => isLogged(level, connection.settings.logLevel),
      meta: record(request['_meta']),
      sdk: context,
    },
  );
}

/** Sends a request to the client with SDK v1. If the signal aborts, the SDK withdraws the request. */
type SendRequest = (
  request: object,
  schema: unknown,
  options: { readonly timeout: number; readonly signal: AbortSignal | undefined },
) => Promise<unknown>;

/** SDK v1 waits for a minute by default, which is too short for a person. */
const ANSWER_TIMEOUT_MS = 60 * 60_000;

/**
 * Creates the function that asks the client. With SDK v1 it sends each question and waits. With SDK v2 it reads the answers that
 * came with the request, or answers the request with the questions; for 2025 clients the SDK then sends them itself.
 */
export function askerOf(
  registry: AnyRegistry,
  asked: Pick<McpRequest, 'method' | 'params'>,
  options: RequestOptions,
  context: unknown,
): AskClient | undefined {
  const { request } = membersOf(context);
  const send = request['sendRequest'] as SendRequest | undefined;
  if (!send) {
    const { inputResponses, requestState: stateOf } = request;
    const requestState = typeof stateOf === 'function' ? (stateOf as () => unknown)() : undefined;
    return internalsOf(registry).askInRounds({ ...asked, inputResponses, requestState }, options);
  }
  return async (questions) => {
    const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
      const { mode, ...others } = params;
      return [
        key,
        await send({ method, params: mode === 'form' ? others : params }, looseObject({}), {
          timeout: ANSWER_TIMEOUT_MS,
          // SDK v1 leaves a listener on the signal for each question, so each gets its own.
          signal: options.signal && AbortSignal.any([options.signal]),
        }),
      ] as const;
    });
    try {
      return Object.fromEntries(await Promise.all(answers));
    } catch (cause) {
      throw new ErrInputUnavailable('The client takes no questions.', { cause });
    }
  };
}

/** Sends notifications through the SDK. Errors are dropped, because a client that has disconnected needs none. */
function notifyOf(request: Record<string, unknown>): Notify | undefined {
  const send = (request['notify'] ?? request['sendNotification']) as
    | ((notification: object) => Promise<void>)
    | undefined;
  if (!send) return undefined;
  const log = request['log'] as LogToClient | undefined;
  return async (method, params) => {
    try {
      // 2026 clients send a log level with each request, and only the SDK v2 function applies it.
      if (log && method === 'notifications/message') {
        const { level, data, logger } = params as { level: LoggingLevel; data: unknown; logger?: string };
        await log.call(request, level, data, logger);
      } else await send.call(request, { method, params });
    } catch {
      // The client has disconnected.
    }
  };
}

const PREFIX = 'io.modelcontextprotocol/';

/** The HTTP request that a call came with, where there is one. The SDKs have it in different forms. */
export function httpOf(context: unknown): ContextRequest | undefined {
  const whole = record(context) ?? {};
  const request = record(record(whole['http'])?.['req']) ?? record(whole['requestInfo']);
  const headers = request?.['headers'];
  if (typeof headers !== 'object' || headers === null) return undefined;
  const { url } = request as { readonly url?: unknown };
  const address = typeof url === 'string' || url instanceof URL ? String(url) : '';
  const query = URL.canParse(address) ? new URL(address).searchParams : undefined;
  return {
    header: (name) => readHeader(headers, name),
    query: (name) => query?.getAll(name) ?? [],
  };
}

function readHeader(headers: object, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const value: unknown = Object.hasOwn(headers, name)
    ? (headers as Record<string, unknown>)[name]
    : undefined;
  return Array.isArray(value) ? value.join(', ') : typeof value === 'string' ? value : undefined;
}
