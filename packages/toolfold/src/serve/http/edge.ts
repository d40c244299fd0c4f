import type { AuthInfo } from '../auth/auth-info.js';
import { NOBODY } from '../../callers/caller-key.js';
import { clientIdOf, peerAddress } from '../../callers/client-identity.js';
import { isId } from '../../protocol/messages.js';
import { internalsOf } from '../../registry/any-registry.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { HandlerOptions, ServingOptions } from './handler-options.js';
import { NOT_HERE, createSelectionReader } from '../../toolsets/read-selection.js';
import { isJsonObject } from '@toolfold/schema/internal';
import { ErrOverloaded, ToolfoldError } from '@toolfold/schema/errors';
import { INVALID_PARAMS, REJECTED } from '../../protocol/rpc-error.js';
import type { Exposure } from '../../toolsets/exposure.js';
import type { JsonLimits } from '@toolfold/schema/internal';
import type { ModernAnswers } from '../modern/answer-modern.js';
import { LEGACY, SDK_NOT_LOADED } from '../modern/envelope.js';
import { loadSdk } from '../sdk.js';
import type { Sessions } from '../sessions/sessions.js';
import { METHODS, pathOf } from './admission.js';
import type { Admission, HostCheck } from './admission.js';
import { overloaded } from './capacity.js';
import type { ReadCaller, Release, RequestLimiter } from './capacity.js';
import { rejectLargeJson, rejectMedia } from './request-body.js';
import type { ArrivingBodies, ReadBody } from './request-body.js';
import { alreadyRead, internalError, reject, methodNotAllowed } from './request-response.js';
import type { EdgeAnswer, EdgeRequest, StreamAnswer, WholeAnswer } from './request-response.js';
import { unrefTimer } from '../../runtime/timers.js';

/** Fills in the fields of a request. Returns an error response if the request selects or says something invalid. */
export type ReadRequest = (request: Connection) => WholeAnswer | undefined;

export interface Edge extends Pick<ServingOptions, 'exposure' | 'capacity' | 'onError'> {
  readonly checkHost: HostCheck;
  readonly admission: Admission;
  readonly readCaller: ReadCaller;
  readonly limiter: RequestLimiter;
  readonly bodies: ArrivingBodies;
  readonly jsonLimits: JsonLimits;
  readonly readRequest: ReadRequest;
  readonly modern: ModernAnswers;
  readonly sessions: Sessions;
  askSdk(connection: Connection): Promise<Response>;
}

/**
 * A request with the way to answer it. The web standard and Node each have one implementation. The steps of `serveRequest` fill in
 * the fields that are not read-only, unless middleware in front has verified the caller or parsed the body.
 */
export abstract class Connection implements EdgeRequest {
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly header: EdgeRequest['header'];
  abstract readonly signal: EdgeRequest['signal'];
  abstract readonly reply: Reply;
  body: unknown;
  auth: EdgeRequest['auth'];
  address: string | undefined;
  caller: EdgeRequest['caller'];
  selection: EdgeRequest['selection'];
  session: EdgeRequest['session'];
  clientId: string | undefined;
  /** Checks every place in which the request names its host. Returns the error response if one of them is not allowed. */
  abstract rejectHost(check: HostCheck): WholeAnswer | undefined;
  abstract readBody(edge: Pick<Edge, 'bodies' | 'jsonLimits'>, share: string | undefined): Promise<ReadBody>;
  abstract toRequest(): Request;
}

export interface Reply {
  addHeaders(headers: Readonly<Record<string, string>>): void;
  /** Sends a response that is not a stream. `onSent` is called when no part of it is buffered any more. */
  send(answer: WholeAnswer, onSent?: () => void): void;
  /** Sends a stream. `onEnd` is called when the stream has ended or the client has disconnected. */
  sendEvents(answer: StreamAnswer, onEnd: () => void): void;
  sendResponse(response: Response): void | Promise<void>;
  /** Sends an error, or disconnects the client if a response has already started. */
  fail(answer: WholeAnswer): void;
  /** Calls the listener once the reply is sent or the client has disconnected. */
  onOver(listener: () => void): void;
}

/** Milliseconds after which a pending authenticator or limiter stops counting once the client has disconnected. */
const MAX_WORK_MS = 10_000;

/** Takes a request from its connection to its response. Each step either responds or lets the request continue. */
export async function serveRequest(edge: Edge, connection: Connection): Promise<void> {
  const { admission, capacity, limiter, readCaller } = edge;
  const { method, header, reply } = connection;
  let release: Release | undefined;
  try {
    // A CORS: browsers read these headers off every response, errors included.
    const corsHeaders = admission.cors?.headersFor(header('origin'));
    if (corsHeaders) reply.addHeaders(corsHeaders);

    // B Host and origin: rejected requests count against the limit of the address.
    const peer = (connection.caller = readCaller(connection, undefined));
    const misdirected = connection.rejectHost(edge.checkHost);
    if (misdirected)
      return reply.send((await countWork(edge, connection, limiter.take(peer.key))) ?? misdirected);

    // C Authentication: preflights and metadata are answered here, all other requests are authenticated.
    const busy = capacity.rejection('requests', peer.share);
    if (busy) return reply.send(busy);
    const admitting = countWork(edge, connection, admission.admit(connection));
    const admitted = admitting instanceof Promise ? await admitting : admitting;
    if (!admitted.answer && admitted.auth) {
      connection.auth = admitted.auth as AuthInfo & EdgeRequest['auth'];
      connection.caller = readCaller(connection, connection.auth);
    }
    const { key, share } = connection.caller;

    // D Request limit.
    const counted = countWork(edge, connection, limiter.take(key));
    const limited = counted instanceof Promise ? await counted : counted;
    const rejected = limited ?? admitted.answer;
    if (rejected) return reply.send(rejected);

    // E Body: media type, size, rate and JSON limits. It counts as an arriving body, not as a request.
    if (method === 'POST') {
      const isParsed = connection.body !== undefined;
      const wrongMedia = rejectMedia(header, isParsed);
      if (wrongMedia) return reply.send(wrongMedia);
      const read = isParsed
        ? { body: connection.body, rejected: rejectLargeJson(connection.body, edge.jsonLimits) }
        : await connection.readBody(edge, share);
      // The client has disconnected.
      if (!read) return undefined;
      if (read.rejected === alreadyRead)
        edge.onError(new TypeError('The body of a request was already read.'));
      if (read.rejected) return reply.send(read.rejected);
      connection.body = read.body;
    }

    // F Answer: the request counts until it is answered, even if the client disconnects.
    const full = capacity.rejection('requests', share);
    if (full) return reply.send(full);
    release = capacity.hold('requests', share);
    const answer = await answerRequest(edge, connection);

    // G Send: a JSON response, a stream, or the response of the SDK.
    if (!answer) await reply.sendResponse(await edge.askSdk(connection).finally(release));
    else if (typeof answer.body !== 'function') reply.send(answer as WholeAnswer, release);
    else {
      release();
      // Check again, because other streams may have been opened since the request was answered.
      const crowded = method === 'GET' ? capacity.rejection('streams', share) : undefined;
      if (crowded) reply.send(crowded);
      else reply.sendEvents(answer as StreamAnswer, capacity.hold('streams', share));
    }
  } catch (error) {
    release?.();
    edge.onError(error);
    reply.fail(internalError);
  }
}

/** Counts the pending work of an authenticator or a limiter as a request until it is done. */
function countWork<T>(
  { capacity }: Edge,
  { caller, reply }: Connection,
  work: T | Promise<T>,
): T | Promise<T> {
  if (!(work instanceof Promise)) return work;
  const release = capacity.hold('requests', caller?.share);
  let isDone = false;
  // The work goes on after the client has disconnected.
  reply.onOver(() => {
    if (isDone) return;
    const timer = setTimeout(release, MAX_WORK_MS);
    unrefTimer(timer);
  });
  return work.finally(() => {
    isDone = true;
    release();
  });
}

/** Answers a request whose caller and body are known. Returns `undefined` if the SDK must answer. */
async function answerRequest(edge: Edge, request: Connection): Promise<EdgeAnswer | undefined> {
  const { method } = request;
  const invalid = edge.readRequest(request);
  if (invalid) return invalid;
  if (method === 'GET') return whileStored(edge, edge.sessions.get(request));
  if (method === 'DELETE') return whileStored(edge, edge.sessions.delete(request));
  if (method !== 'POST') return methodNotAllowed(METHODS);
  // 2026 requests are answered from compiled data, and messages of 2025 and earlier clients by their session.
  const answered = await edge.modern.answer(request);
  if (answered === SDK_NOT_LOADED) {
    await loadSdk();
    return answerRequest(edge, request);
  }
  return answered === LEGACY ? answerLegacy(edge, request) : answered;
}

async function answerLegacy(edge: Edge, request: EdgeRequest): Promise<EdgeAnswer> {
  const { auth, address, body, caller, selection, session } = request;
  if (Array.isArray(body)) {
    // Every message of a batch counts as a request. The first was counted with the body.
    const limited = await edge.limiter.take(caller?.key ?? NOBODY, Math.max(body.length - 1, 0));
    if (limited) return limited;
  }
  if (selection) {
    // An invalid selection is rejected before the session sees the message.
    try {
      await edge.exposure.check({ caller: { auth, address }, selection, session });
    } catch (error) {
      return rejectClient(error, idOf(body));
    }
  }
  return whileStored(edge, edge.sessions.post(request));
}

/** While the session store is down, clients may retry: no session is lost. */
function whileStored(edge: Edge, answered: Promise<EdgeAnswer>): Promise<EdgeAnswer> {
  return answered.catch((error: unknown) => {
    if (!(error instanceof ErrOverloaded)) throw error;
    edge.onError(error);
    return overloaded;
  });
}

export function createRequestReader(
  registry: AnyRegistry,
  exposure: Exposure,
  { path, trustedProxies = 0 }: Pick<HandlerOptions, 'path' | 'trustedProxies'>,
): ReadRequest {
  const readSelection = createSelectionReader(path);
  const internals = internalsOf(registry);
  return (request) => {
    const { target, header, auth } = request;
    try {
      const read = readSelection(pathOf(target), header);
      if (read === NOT_HERE) return notFound;
      if (read) {
        exposure.assertToolsets(read.named, { caller: { auth } });
        request.selection = read.selection;
      }
      if (exposure.hasToolsets)
        request.session = exposure.contextOf({ header, query: (name) => readQuery(target, name) });
      if (internals.namesClients || exposure.readsContext)
        request.clientId = clientIdOf(request, trustedProxies);
      if (trustedProxies > 0) request.address = peerAddress(request, trustedProxies);
      return undefined;
    } catch (error) {
      return rejectClient(error, idOf(request.body));
    }
  };
}

/** The error response to a mistake of the client. Errors that only the author of the server can fix are rethrown. */
export function rejectClient(error: unknown, id: string | number | null = null): WholeAnswer {
  if (!(error instanceof ToolfoldError) || error.audience === 'author') throw error;
  return reject(400, INVALID_PARAMS, error.message, { id });
}

/** The id to repeat in an error response; `null` if the body is not a request. */
function idOf(body: unknown): string | number | null {
  return isJsonObject(body) && isId(body['id']) ? body['id'] : null;
}

function readQuery(target: string, name: string): readonly string[] {
  const start = target.indexOf('?');
  if (start === -1) return [];
  const end = target.indexOf('#', start);
  return new URLSearchParams(target.slice(start + 1, end === -1 ? undefined : end)).getAll(name);
}

const notFound = reject(404, REJECTED, 'Not found: there is nothing under this path.');
