import type { Caller } from '../callers/caller.js';
import type { RequestOptions } from '../engine/request.js';
import type { LoggingLevel } from '../protocol/mcp-types.js';

/** Facts about the sender of a request, from the HTTP edge or an SDK. */
export interface RequestOrigin {
  readonly auth?: Caller['auth'];
  readonly address?: string | undefined;
  readonly session?: RequestOptions['session'];
  readonly selection?: RequestOptions['selection'];
  readonly clientId?: string | undefined;
}

/** Sends a notification to the client that waits for an answer. It may throw or reject. */
export type Notify = (method: string, params: object) => void | Promise<void>;

type Passed = 'protocolVersion' | 'signal' | 'release' | 'enabledToolsets' | 'meta' | 'ask' | 'sdk';

/** The part of a request that depends on the transport and on the MCP revision of the client. */
export interface IncomingRequest extends Pick<RequestOptions, Passed> {
  /** @internal Creates `signal` on first use. */
  readonly lazySignal?: (() => AbortSignal) | undefined;
  /** @internal Receives the events of the request. */
  readonly emit?: RequestOptions['emit'];
  readonly client?: Caller['client'];
  readonly capabilities?: Caller['capabilities'];
  readonly sessionId?: string | undefined;
  /** Sends a notification to the client. If it is missing, handlers can report neither progress nor log messages. */
  readonly notify?: Notify | undefined;
  /** Returns whether the client gets log messages of a level. If it is missing, the client gets none. */
  readonly isLogged?: ((level: LoggingLevel) => boolean) | undefined;
}

/**
 * Turns a request of any transport and revision into the options that the registry takes. 2026 requests, 2025 sessions,
 * attached SDK servers and stdio all go through here.
 */
export function toRequestOptions(origin: RequestOrigin, incoming: IncomingRequest): RequestOptions {
  const { auth, address, session, selection, clientId } = origin;
  const { client, capabilities, sessionId, meta, notify, isLogged } = incoming;
  // Handlers get the credential of the session or the server, else the token that the caller was verified with.
  const own = session?.context['accessToken'];
  const token = typeof own === 'string' && own !== '' ? own : auth?.token;
  // A client that sends no progress token gets no progress notifications.
  const progressToken = meta?.['progressToken'];
  return {
    protocolVersion: incoming.protocolVersion,
    caller: { auth, address, client, capabilities, sessionId },
    accessToken: typeof token === 'string' && token !== '' ? token : undefined,
    session,
    selection,
    clientId,
    enabledToolsets: incoming.enabledToolsets,
    signal: incoming.signal,
    lazySignal: incoming.lazySignal,
    release: incoming.release,
    progress: notify && progressToken !== undefined ? createProgress(notify, progressToken) : undefined,
    log: notify && isLogged && createLog(notify, isLogged),
    ask: incoming.ask,
    meta,
    asListed: true,
    sdk: incoming.sdk,
    emit: incoming.emit,
  };
}

function createProgress(notify: Notify, progressToken: unknown): RequestOptions['progress'] {
  return (progress, total, message) =>
    send(notify, 'notifications/progress', {
      progressToken,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    });
}

function createLog(notify: Notify, isLogged: (level: LoggingLevel) => boolean): RequestOptions['log'] {
  return (level, data, logger) => {
    if (!isLogged(level)) return Promise.resolve();
    const params = { level, ...(logger === undefined ? {} : { logger }), data };
    return send(notify, 'notifications/message', params);
  };
}

/** Rejects if the notification cannot be sent. A handler that does not wait for it causes no unhandled rejection. */
function send(notify: Notify, method: string, params: object): Promise<void> {
  const sent = (async () => notify(method, params))();
  sent.catch(() => undefined);
  return sent;
}
