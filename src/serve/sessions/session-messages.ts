import { LRUCache } from 'lru-cache';
import { digest as digestOf } from '../../values/digest.js';
import { randomId } from '../../values/random-id.js';
import { isJsonObject } from '../../values/json-value.js';
import type { Bus } from '../../stores/shared.js';
import { isId } from '../../protocol/messages.js';
import type { Id, Message } from '../../protocol/messages.js';

/**
 * What a client says about a call that runs: an answer to its question, or that it is to end. Or what it is to be told
 * on its standing stream: that its list of tools is another. Or that it has another such stream, with which number.
 */
export type SessionMessage =
  | { readonly kind: 'answer'; readonly id: Id; readonly result?: unknown; readonly error?: unknown }
  | { readonly kind: 'cancel'; readonly id: Id }
  | { readonly kind: 'tools'; readonly id: Id }
  | { readonly kind: 'stand'; readonly id: Id };

/** Passes such messages on to the process that runs the call, or holds the stream. */
export interface SessionMessages {
  send(session: string, message: SessionMessage): void;
  /** Resolves to whether another process has told the client that its list of tools is another. */
  tellTools(session: string): Promise<boolean>;
  close(): void;
}

const TOPIC = 'session-message';
const TAKEN = 'session-message-taken';
/** For so long a process may take to say that it has told a client. */
const PATIENCE_MS = 250;
/** So many ids have a digest that is remembered: a message is compared with all sessions that are here. */
const MAX_DIGESTS = 20_000;

export function toSessionMessage(message: Message): SessionMessage | undefined {
  if (message.kind === 'response') {
    const { id, result, error } = message;
    return isId(id) ? { kind: 'answer', id, ...(error === undefined ? { result } : { error }) } : undefined;
  }
  if (message.kind !== 'notification' || message.method !== 'notifications/cancelled') return undefined;
  const id = message.params['requestId'];
  return isId(id) ? { kind: 'cancel', id } : undefined;
}

/**
 * Sessions are named by digests: an id is all that a caller of whom nothing is known has to show. `hear` gives whether a
 * message was of use.
 */
export function shareMessages(
  bus: Bus,
  hear: (isMeant: (session: string) => boolean, message: SessionMessage) => boolean,
): SessionMessages {
  const digests = new LRUCache<string, string>({ maxSize: MAX_DIGESTS, sizeCalculation: () => 1 });
  const digest = (session: string): string => {
    const known = digests.get(session);
    if (known !== undefined) return known;
    const made = digestOf(session);
    digests.set(session, made);
    return made;
  };
  const waiting = new Map<unknown, (isTaken: boolean) => void>();
  const stopHearing = bus.subscribe(TOPIC, (message) => {
    if (!isJsonObject(message) || !isSessionMessage(message['message'])) return;
    const { session, message: content } = message;
    const { kind, id: messageId } = content as SessionMessage;
    const isTaken = hear((id) => digest(id) === session, content as SessionMessage);
    if (isTaken && kind === 'tools') bus.publish(TAKEN, messageId);
  });
  const stopWaiting = bus.subscribe(TAKEN, (id) => waiting.get(id)?.(true));
  const send: SessionMessages['send'] = (session, message) =>
    bus.publish(TOPIC, { session: digest(session), message });
  const tellTools = async (session: string): Promise<boolean> => {
    const id = randomId();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const taken = new Promise<boolean>((resolve) => {
      waiting.set(id, resolve);
      timer = setTimeout(() => resolve(false), PATIENCE_MS);
    });
    send(session, { kind: 'tools', id });
    const isTaken = await taken;
    clearTimeout(timer);
    waiting.delete(id);
    return isTaken;
  };
  return {
    send,
    tellTools,
    close: () => {
      stopHearing();
      stopWaiting();
    },
  };
}

const kinds: ReadonlySet<unknown> = new Set(['answer', 'cancel', 'tools', 'stand']);

function isSessionMessage(value: unknown): boolean {
  if (!isJsonObject(value) || !isId(value['id'])) return false;
  return kinds.has(value['kind']);
}
