import { SESSION_NOT_FOUND, INVALID_PARAMS, REJECTED } from '../../protocol/rpc-error.js';
import { ADDRESS, holderKey, isAnonymous, NOBODY } from '../../callers/caller-key.js';
import { randomId } from '../../runtime/random-id.js';
import { RecentDigests } from '../../values/digest.js';
import { capabilitiesOf } from '../../registry/methods.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { namedClientId } from '../../callers/client-identity.js';
import type { DeriveSession, SessionRecord, SessionStore } from '../../stores/contracts.js';
import { reject } from '../http/request-response.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import type { Message } from '../../protocol/messages.js';
import { findInvalidParam } from '../../protocol/messages.js';
import { writeError, writeResult } from '../http/write-message.js';

/** The MCP revisions with sessions, newest first, because error messages list them in this order. */
const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];
export const LATEST = '2025-11-25';
export const SESSION_ID = 'mcp-session-id';

/** Reads the session id of a request. An empty header counts as no header. */
export function sessionIdOf({ header }: EdgeRequest): string | undefined {
  return header(SESSION_ID) || undefined;
}

export async function openSession(
  { id, params }: Extract<Message, { kind: 'request' }>,
  request: EdgeRequest,
  registry: AnyRegistry,
  { store, onError }: { readonly store: SessionStore; readonly onError: (error: unknown) => void },
): Promise<EdgeAnswer> {
  const wrong = findInvalidParam('initialize', params);
  if (wrong !== undefined) {
    const error = { code: INVALID_PARAMS, message: `Invalid params: ${wrong}` };
    return { status: 400, body: writeError(id, error) };
  }
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
 * Finds the session of a request, or answers the request with an error. A session of another caller, or one that was opened with
 * another client id or session context, counts as missing.
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

/** Names the owner of a session by a digest, because a store must not reveal whose sessions it holds. */
function ownerOf({ auth }: EdgeRequest): string {
  if (!auth) return NOBODY;
  const key = holderKey({ auth }, undefined);
  return key === NOBODY ? key : digests.of(JSON.stringify(key));
}

/** Names the caller whose share of all sessions this session uses. */
function callerOf({ caller }: EdgeRequest): string {
  const key = caller?.share;
  if (key === undefined) return NOBODY;
  return isAnonymous(key) ? `${ADDRESS}${digests.of(key)}` : digests.of(key);
}
