import { looseObject } from 'zod';
import type { LogToClient, ReportProgress } from '../../define/tool-definition.js';
import type { Caller } from '../../callers/caller.js';
import type { LoggingLevel } from '../../protocol/log-levels.js';
import { ErrInputUnavailable } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';
import type { ContextRequest } from '../../callers/session-context.js';
import { isLogged, isLoggingLevel } from '../../protocol/log-levels.js';
import type { McpRequest, RequestOptions } from '../../engine/request.js';
import type { AnyRegistry } from '../any-registry.js';
import type { AskClient } from '../../questions/request-input.js';
import type { SdkServer } from './sdk-server.js';

/** What a server knows of its client from the handshake of 2025. */
interface Introduced {
  getClientVersion?: () => unknown;
  getClientCapabilities?: () => unknown;
}

/** Settings of a 2025 client that apply to the rest of its connection. */
export interface Connection {
  /** The transport of the connection. A server has one at a time. */
  transport: WeakRef<object> | undefined;
  readonly subscriptions: Set<string>;
  logLevel: LoggingLevel | undefined;
  /** The toolsets that are enabled, once the client has enabled or disabled one. */
  toolsets: readonly string[] | undefined;
  /** The change of them that is under way. */
  changing?: Promise<unknown>;
}

/** The current connection of a server. Its client may have set a log level before the registry was attached. */
export function createConnection(server: ConnectedServer | undefined): Connection {
  const levels = [...(server?._loggingLevels?.values() ?? [])].filter(isLoggingLevel);
  return {
    transport: transportOf(server),
    subscriptions: new Set(),
    logLevel: levels.at(-1),
    toolsets: undefined,
  };
}

/** Resets the settings of a client. The log level that the SDK holds is reset only when the client has disconnected. */
export function resetConnection(connection: Connection, server: ConnectedServer | undefined): void {
  if (connection.transport?.deref() !== server?.transport) server?._loggingLevels?.clear();
  connection.transport = transportOf(server);
  connection.subscriptions.clear();
  connection.logLevel = undefined;
  connection.toolsets = undefined;
}

type ConnectedServer = Pick<SdkServer, 'transport' | '_loggingLevels'>;

function transportOf(server: ConnectedServer | undefined): WeakRef<object> | undefined {
  return server?.transport && new WeakRef(server.transport);
}

/** The parts of both SDKs' contexts that mean the same. */
export function fromSdk(context: unknown, target: Introduced, connection: Connection): RequestOptions {
  const { request, http, sessionId } = membersOf(context);
  const auth = record(http['authInfo']) ?? record(request['authInfo']);
  const envelope = envelopeOf(request);
  const client = (record(envelope[`${PREFIX}clientInfo`]) ?? target.getClientVersion?.()) as Caller['client'];
  const capabilities =
    record(envelope[`${PREFIX}clientCapabilities`]) ?? record(target.getClientCapabilities?.());
  const caller: Caller = {
    auth,
    client,
    capabilities,
    sessionId: typeof sessionId === 'string' ? sessionId : undefined,
  };
  const token = auth?.['token'];
  const version = envelope[`${PREFIX}protocolVersion`];
  return {
    protocolVersion: typeof version === 'string' ? version : undefined,
    caller,
    accessToken: typeof token === 'string' ? token : undefined,
    signal: request['signal'] as AbortSignal | undefined,
    progress: progressOf(request),
    log: loggerOf(request, connection),
    meta: record(request['_meta']),
    sdk: context,
  };
}

/**
 * The first SDK sends each question and waits. The second hands over the answers that came with the request, or
 * takes the questions as the result; to 2025-era clients it sends them itself.
 */
export function askerOf(
  registry: AnyRegistry,
  asked: Pick<McpRequest, 'method' | 'params'>,
  options: RequestOptions,
  context: unknown,
): AskClient | undefined {
  const { request } = membersOf(context);
  const send = request['sendRequest'] as ((request: object, schema: unknown) => Promise<unknown>) | undefined;
  if (!send) {
    const { inputResponses, requestState: stateOf } = request;
    const requestState = typeof stateOf === 'function' ? (stateOf as () => unknown)() : undefined;
    return registry.askInRounds({ ...asked, inputResponses, requestState }, options);
  }
  return async (questions) => {
    const answers = Object.entries(questions).map(async ([key, { method, params }]) => {
      const { mode, ...others } = params;
      return [
        key,
        await send({ method, params: mode === 'form' ? others : params }, looseObject({})),
      ] as const;
    });
    try {
      return Object.fromEntries(await Promise.all(answers));
    } catch (cause) {
      throw new ErrInputUnavailable('The client takes no questions.', { cause });
    }
  };
}

/** The logger of a request. 2026 clients send the level with each request, and SDK v2 applies it. */
function loggerOf(request: Record<string, unknown>, connection: Connection): LogToClient | undefined {
  const log = request['log'] as LogToClient | undefined;
  if (log)
    return async (level, data, logger) => {
      if (isLogged(level, connection.logLevel)) await tell(() => log.call(request, level, data, logger));
    };
  const notify = request['sendNotification'] as ((notification: object) => Promise<void>) | undefined;
  if (!notify) return undefined;
  return async (level, data, logger) => {
    if (!isLogged(level, connection.logLevel)) return;
    const params = { level, ...(logger === undefined ? {} : { logger }), data };
    await tell(() => notify.call(request, { method: 'notifications/message', params }));
  };
}

/** A client that has gone is not told, and a handler that did not wait for that does not end the process. */
async function tell(send: () => Promise<void>): Promise<void> {
  await Promise.resolve().then(send).catch(nothing);
}

function nothing(): void {}

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
    await tell(() => notify.call(request, { method: 'notifications/progress', params }));
  };
}

const PREFIX = 'io.modelcontextprotocol/';

/** What each request of 2026-07-28 says of itself. The second SDK takes it out of `_meta`. */
function envelopeOf(request: Record<string, unknown>): Record<string, unknown> {
  return record(request['envelope']) ?? record(request['_meta']) ?? {};
}

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

export function membersOf(context: unknown) {
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
