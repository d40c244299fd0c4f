import { SESSION_NOT_FOUND, INVALID_PARAMS, REJECTED, RpcError } from '../../protocol/rpc-error.js';
import { ADDRESS, holderKey, isAnonymous, NOBODY } from '../../callers/caller-key.js';
import { randomId } from '../../runtime/random-id.js';
import { RecentDigests } from '../../values/digest.js';
import { capabilitiesOf } from '../../registry/methods.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { namedClientId } from '../../callers/client-identity.js';
import type { DeriveSession, SessionRecord, SessionStore } from '../../stores/contracts.js';
import { reject } from '../http/request-response.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import type { Id, Message } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/messages.js';
import { writeError, writeResult } from '../http/json-or-sse-response.js';

/** The revisions of MCP that have sessions, the newest first. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
export const LATEST = '2025-11-25';
export const SESSION_ID = 'mcp-session-id';

/** The session id of a request. An empty header counts as no header. */
export function sessionIdOf({ header }: EdgeRequest): string | undefined {
  return header(SESSION_ID) || undefined;
}

/** Opens a session for an `initialize` request. */
export async function openSession(
  { id, params }: Extract<Message, { kind: 'request' }>,
  request: EdgeRequest,
  registry: AnyRegistry,
  { store, onError }: { readonly store: SessionStore; readonly onError: (error: unknown) => void },
): Promise<EdgeAnswer> {
  const wrong = findInvalidParam('initialize', params);
  if (wrong !== undefined) return invalidParams(id, wrong);
  const { protocolVersion: asked, capabilities } = params;
  const { name: client, version: clientVersion } = params['clientInfo'] as SessionRecord['client'];
  const clientId = namedClientId(request.header);
  const context = request.session?.sentHash;
  const session: SessionRecord = {
    id: randomId(),
    owner: ownerOf(request),
    caller: callerOf(request),
    ...(clientId === undefined ? {} : { clientId }),
    ...(context === undefined ? {} : { context }),
    protocolVersion: VERSIONS.includes(String(asked)) ? String(asked) : LATEST,
    client: { name: client, version: clientVersion },
    capabilities: capabilities as SessionRecord['capabilities'],
  };
  await store.create(session);
  const { name, version, instructions } = registry;
  const result = {
    protocolVersion: session.protocolVersion,
    capabilities: capabilitiesOf(registry),
    serverInfo: { name, version },
    ...(instructions === undefined ? {} : { instructions }),
  };
  return {
    status: 200,
    headers: { [SESSION_ID]: session.id },
    body: writeResult(id, result, onError),
  };
}

/**
 * The session of a request, or the answer that rejects the request. A session of another caller, or one that was opened with
 * another client id or session context, does not exist for the request.
 */
export async function findSession(
  request: EdgeRequest,
  store: SessionStore,
): Promise<SessionRecord | EdgeAnswer> {
  const id = sessionIdOf(request);
  if (id === undefined) return reject(400, REJECTED, 'Bad Request: Mcp-Session-Id header is required');
  const session = await store.get(id);
  if (
    !session ||
    session.owner !== ownerOf(request) ||
    // A derived client id is not compared, because official clients send another `Accept` header with GET than with POST, and
    // a client may change networks.
    session.clientId !== namedClientId(request.header) ||
    session.context !== request.session?.sentHash
  )
    return reject(404, SESSION_NOT_FOUND, 'Session not found or expired');
  const version = request.header('mcp-protocol-version');
  if (version === undefined || VERSIONS.includes(version)) return session;
  return reject(
    400,
    REJECTED,
    `Bad Request: Unsupported protocol version: ${version.slice(0, 40)} (supported versions: ${VERSIONS.join(', ')})`,
  );
}

/** Changes the record of a session. */
export type ChangeSession = (id: string, derive: DeriveSession) => Promise<void>;

/** Runs the changes of one session one after another, so that changes of this process never conflict. */
export function createSessionChanger(store: SessionStore): ChangeSession {
  const turns = new Map<string, Promise<unknown>>();
  const change = async (id: string, derive: DeriveSession): Promise<void> => {
    if (store.change) {
      await store.change(id, derive);
      return;
    }
    const session = await store.get(id);
    if (session) await store.update({ ...session, ...(await derive(session)) });
  };
  return async (id, derive) => {
    const turn = (turns.get(id) ?? Promise.resolve()).then(() => change(id, derive));
    const settled = turn.catch(() => undefined);
    turns.set(id, settled);
    try {
      await turn;
    } finally {
      if (turns.get(id) === settled) turns.delete(id);
    }
  };
}

const digests = new RecentDigests();

/** The owner of a session, as a digest, because a store must not reveal whose sessions it holds. */
function ownerOf({ auth }: EdgeRequest): string {
  if (!auth) return NOBODY;
  const key = holderKey({ auth }, undefined);
  return key === NOBODY ? key : digests.of(JSON.stringify(key));
}

/** The caller whose share a session counts against. */
function callerOf({ caller }: EdgeRequest): string {
  const key = caller?.share;
  if (key === undefined) return NOBODY;
  return isAnonymous(key) ? `${ADDRESS}${digests.of(key)}` : digests.of(key);
}

function invalidParams(id: Id, wrong: string): EdgeAnswer {
  return { status: 400, body: writeError(id, new RpcError(INVALID_PARAMS, `Invalid params: ${wrong}`)) };
}
