import { ErrOverloaded } from '../../errors.js';
import type { MethodHandler } from '../../registry/methods.js';
import type { DeriveSession, SessionRecord, SessionStore } from '../../stores/session-store.js';

const MAX_SUBSCRIPTIONS = 1_000;
/** Of all URIs that one session is subscribed to, in characters. */
const MAX_SUBSCRIBED_LENGTH = 128 * 1024;

type Params = Readonly<Record<string, unknown>>;

/** Changes what is known of a session, by what is known of it. */
export type ChangeSession = (id: string, derive: DeriveSession) => Promise<void>;

/** One change of a session after the other, so that those of one process do not get in each other's way. */
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

/** What a client says about its session. */
export function createSessionMethods(
  change: ChangeSession,
  hasResources: boolean,
): Record<string, MethodHandler> {
  const changing =
    (derive: (session: SessionRecord, params: Params) => Partial<SessionRecord>): MethodHandler =>
    async ({ caller, params }) => {
      await change(caller?.sessionId ?? '', (session) => derive(session, params));
      return {};
    };
  return {
    ping: async () => ({}),
    'logging/setLevel': changing((_, { level }) => ({ logLevel: level as never })),
    ...(hasResources
      ? {
          'resources/subscribe': changing(({ subscriptions = [] }, { uri }) => ({
            subscriptions: subscribe(subscriptions, String(uri)),
          })),
          'resources/unsubscribe': changing(({ subscriptions = [] }, { uri }) => ({
            subscriptions: subscriptions.filter((subscribed) => subscribed !== uri),
          })),
        }
      : {}),
  };
}

function subscribe(subscriptions: readonly string[], uri: string): readonly string[] {
  if (subscriptions.includes(uri)) return subscriptions;
  const changed = [...subscriptions, uri];
  const length = changed.reduce((sum, each) => sum + each.length, 0);
  if (changed.length > MAX_SUBSCRIPTIONS || length > MAX_SUBSCRIBED_LENGTH)
    throw new ErrOverloaded('There are too many subscriptions.');
  return changed;
}
