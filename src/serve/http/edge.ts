import type { AuthInfo } from '../auth/auth-info.js';
import { NOBODY } from '../../callers/caller-key.js';
import { createClientNamer, peerAddress } from '../../callers/client-identity.js';
import { isId } from '../../protocol/messages.js';
import type { ReportFault } from '../../engine/request.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { NOT_HERE, createSelectionReader } from '../../toolsets/read-selection.js';
import { isJsonObject } from '../../values/json-value.js';
import { ErrOverloaded, ToolfoldError } from '../../errors.js';
import { INVALID_PARAMS, REJECTED } from '../../protocol/rpc-error.js';
import type { Exposure } from '../../toolsets/exposure.js';
import type { JsonLimits } from '../../values/json-limits.js';
import type { ModernAnswers } from '../modern/answer-modern.js';
import { LEGACY, SDK_NOT_LOADED } from '../modern/envelope.js';
import { loadSdk } from '../sdk.js';
import type { Sessions } from '../sessions/sessions.js';
import { pathOf } from './admission.js';
import type { Admission, HostCheck } from './admission.js';
import { overloaded } from './capacity.js';
import type { Capacity, ReadCaller, Release, RequestLimiter } from './capacity.js';
import { rejectLargeJson, rejectMedia } from './request-body.js';
import type { ArrivingBodies, ReadBody } from './request-body.js';
import { alreadyRead, internalError, reject } from './request-response.js';
import type { EdgeAnswer, EdgeRequest, StreamAnswer, WholeAnswer } from './request-response.js';
import { unrefTimer } from '../../runtime/timers.js';

/** The fields of a request that are read from its path, its query and its headers. */
export interface ReadableRequest extends EdgeRequest {
  address?: EdgeRequest['address'];
  clientId?: EdgeRequest['clientId'];
  selection?: EdgeRequest['selection'];
  session?: EdgeRequest['session'];
}

/** Fills in the fields of a request. Returns an error response if the request selects or says something invalid. */
export type ReadRequest = (request: ReadableRequest) => WholeAnswer | undefined;

/** The parts of a handler that a request passes through. */
export interface Edge {
  readonly checkHost: HostCheck;
  readonly admission: Admission;
  readonly readCaller: ReadCaller;
  readonly limiter: RequestLimiter;
  readonly capacity: Capacity;
  /** The request bodies that are arriving. */
  readonly bodies: ArrivingBodies;
  readonly jsonLimits: JsonLimits;
  readonly readRequest: ReadRequest;
  readonly exposure: Exposure;
  readonly modern: ModernAnswers;
  readonly sessions: Sessions;
  /** Passes a request to the SDK. */
  askSdk(request: Request, asked: SdkRequest): Promise<Response>;
  readonly onError: ReportFault;
}

/** A request that the SDK answers. */
export interface SdkRequest {
  readonly body: unknown;
  readonly auth: EdgeRequest['auth'];
  readonly share: string | undefined;
}

/** The fields of a request that the steps fill in, unless middleware in front has set them. */
export abstract class RequestState {
  body: unknown;
  auth: EdgeRequest['auth'];
  address: string | undefined;
  caller: EdgeRequest['caller'];
  selection: EdgeRequest['selection'];
  session: EdgeRequest['session'];
  clientId: string | undefined;
}

/** A request with the way to answer it. The web standard and Node each have one implementation. */
export interface Connection extends ReadableRequest {
  readonly method: string;
  /** The body if middleware in front has parsed it. Otherwise it is filled in once it has been read. */
  body: unknown;
  /** The identity that middleware has verified. Otherwise the authenticator sets it. */
  auth?: EdgeRequest['auth'];
  caller?: EdgeRequest['caller'];
  readonly reply: Reply;
  /** Checks every place in which the request names its host. */
  rejectHost(check: HostCheck): WholeAnswer | undefined;
  /** Reads the JSON of the body. */
  readBody(edge: Pick<Edge, 'bodies' | 'jsonLimits'>, share: string | undefined): Promise<ReadBody>;
  /** The request without its body, for the SDK. */
  toRequest(): Request;
}

/** The response side of a connection. */
export interface Reply {
  /** Adds headers that go with every response. */
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

/**
 * Takes a request from its connection to its response. Each step either responds or lets the request continue. Steps that
 * are usually synchronous are awaited only if they return a promise, because awaiting costs more than most of them.
 */
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
    const admitting = admission.admit(connection);
    const admitted = admitting instanceof Promise ? await countWork(edge, connection, admitting) : admitting;
    if (!admitted.answer && admitted.auth) {
      connection.auth = admitted.auth as AuthInfo & EdgeRequest['auth'];
      connection.caller = readCaller(connection, connection.auth);
    }
    const { key, share } = connection.caller;

    // D Request limit.
    const taken = limiter.take(key);
    const limited = taken instanceof Promise ? await countWork(edge, connection, taken) : taken;
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
    if (!answer) {
      const { body, auth } = connection;
      const asked = edge.askSdk(connection.toRequest(), { body, auth, share });
      await reply.sendResponse(await asked.finally(release));
    } else if (typeof answer.body !== 'function') reply.send(answer as WholeAnswer, release);
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

/** Waits for an authenticator or a limiter, which counts as a request until it is done. */
function countWork<T>({ capacity }: Edge, { caller, reply }: Connection, work: T | Promise<T>): Promise<T> {
  const release = capacity.hold('requests', caller?.share);
  let isDone = false;
  // The work goes on after the client has disconnected.
  reply.onOver(() => {
    if (isDone) return;
    const timer = setTimeout(release, MAX_WORK_MS);
    unrefTimer(timer);
  });
  return Promise.resolve(work).finally(() => {
    isDone = true;
    release();
  });
}

/** Answers a request whose caller and body are known. Returns `undefined` if the SDK must answer. */
export function answerRequest(
  edge: Edge,
  request: ReadableRequest & { readonly method: string },
): Promise<EdgeAnswer | undefined> | EdgeAnswer | undefined {
  const { method } = request;
  const invalid = edge.readRequest(request);
  if (invalid) return invalid;
  if (method === 'GET') return whileStored(edge, edge.sessions.get(request));
  if (method === 'DELETE') return whileStored(edge, edge.sessions.delete(request));
  if (method !== 'POST') return methodNotAllowed;
  // 2026 requests are answered from compiled data, and messages of 2025 and earlier clients by their session.
  const answered = edge.modern.answer(request);
  if (answered === SDK_NOT_LOADED) return loadSdk().then(() => answerRequest(edge, request));
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

const methodNotAllowed = reject(405, REJECTED, 'Method not allowed.', {
  headers: { allow: 'GET, POST, DELETE' },
});

export interface ReadRequestOptions {
  /** The path under which requests reach the handler. */
  readonly path?: string | undefined;
  readonly trustedProxies?: number | undefined;
}

export function createRequestReader(
  registry: AnyRegistry,
  exposure: Exposure,
  { path, trustedProxies = 0 }: ReadRequestOptions,
): ReadRequest {
  const nameClient = createClientNamer({ trustedProxies });
  const readSelection = createSelectionReader(path);
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
      if (registry.namesClients || (exposure.hasToolsets && exposure.readsContext))
        request.clientId = nameClient(request);
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
