import { RecentDigests } from '../../values/digest.js';
import { randomId } from '../../runtime/random-id.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { Bus } from '../../stores/contracts.js';
import { isId } from '../../protocol/messages.js';
import type { Id, Message } from '../../protocol/messages.js';

/**
 * A message for the process that runs a call or holds a stream of a session: the client answered a question (`answer`),
 * cancelled a call (`cancel`), has another list of tools (`tools`), changed its subscriptions (`subscriptions`), or opened a
 * standing stream elsewhere (`stand`, with the number of that stream as its id).
 */
export type SessionMessage =
  | { readonly kind: 'answer'; readonly id: Id; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: 'cancel' | 'tools' | 'subscriptions' | 'stand'; readonly id: Id };

const TOPIC = 'session-message';
const TAKEN = 'session-message-taken';
/** Milliseconds in which another process must confirm that it has notified a client. */
const CONFIRM_MS = 250;
/** Digests are remembered, because an incoming message is compared with every live session. */
const MAX_DIGESTS = 20_000;

/** Reads the message in a notification or response of a client. Returns `undefined` if it concerns no call. */
export function toSessionMessage(message: Message): SessionMessage | undefined {
  if (message.kind === 'response') {
    const { id, result, error } = message;
    return isId(id) ? { kind: 'answer', id, ...(error === undefined ? { result } : { error }) } : undefined;
  }
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params['requestId'];
  return isId(id) ? { kind: 'cancel', id } : undefined;
}

export type SessionMessages = ReturnType<typeof shareMessages>;

/**
 * Connects this process to the others. Messages name sessions by digests, because the id of a session is all that an
 * anonymous caller needs to use it. `receive` returns whether this process could use a message.
 */
export function shareMessages(
  bus: Bus,
  receive: (isMeant: (session: string) => boolean, message: SessionMessage) => boolean,
) {
  const digests = new RecentDigests({ max: MAX_DIGESTS });
  const waiting = new Map<unknown, (isTaken: boolean) => void>();
  const stopReceiving = bus.subscribe(TOPIC, (message) => {
    if (!isJsonObject(message) || !isSessionMessage(message['message'])) return;
    const { session, message: content } = message as { session: unknown; message: SessionMessage };
    const isTaken = receive((id) => digests.of(id) === session, content);
    if (isTaken && content.kind === 'tools') bus.publish(TAKEN, content.id);
  });
  const stopWaiting = bus.subscribe(TAKEN, (id) => waiting.get(id)?.(true));
  const send = (session: string, message: SessionMessage): void =>
    bus.publish(TOPIC, { session: digests.of(session), message });
  /** Resolves to whether another process has notified the client that its list of tools has changed. */
  const announceTools = async (session: string): Promise<boolean> => {
    const id = randomId();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const taken = new Promise<boolean>((resolve) => {
      waiting.set(id, resolve);
      timer = setTimeout(() => resolve(false), CONFIRM_MS);
    });
    send(session, { kind: 'tools', id });
    const isTaken = await taken;
    clearTimeout(timer);
    waiting.delete(id);
    return isTaken;
  };
  return {
    send,
    announceTools,
    close: (): void => {
      stopReceiving();
      stopWaiting();
    },
  };
}

const kinds: ReadonlySet<unknown> = new Set(['answer', 'cancel', 'tools', 'subscriptions', 'stand']);

function isSessionMessage(value: unknown): value is SessionMessage {
  return isJsonObject(value) && isId(value['id']) && kinds.has(value['kind']);
}
