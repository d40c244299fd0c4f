import { createSettingsMethods } from '../../registry/client-settings.js';
import type { MethodHandler } from '../../registry/mcp-middleware.js';
import type { DeriveSession, SessionStore } from '../../stores/session-store.js';

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

/** The methods of a session besides those of the registry. */
export function createSessionMethods(
  change: ChangeSession,
  hasResources: boolean,
): Record<string, MethodHandler> {
  return {
    ping: async () => ({}),
    ...createSettingsMethods(
      ({ caller }) =>
        (derive) =>
          change(caller?.sessionId ?? '', derive),
      hasResources,
    ),
  };
}
