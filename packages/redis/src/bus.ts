import { randomId } from 'toolfold/internal';
import type { Bus } from 'toolfold';
import type { RedisConnection } from './connection.js';

/** Larger messages are neither sent nor read, because Redis ends a connection with more unread data. */
const MAX_MESSAGE = 24 * 1024 * 1024;

/** Sends messages over one channel that all processes share. Redis does not keep them. */
export class RedisBus implements Bus {
  readonly #connection: RedisConnection;
  readonly #channel: string;
  readonly #self = randomId();
  readonly #listeners = new Map<string, Set<(message: unknown) => void>>();
  readonly #gapListeners = new Set<() => void>();
  #isListening = false;
  #wasReady = false;

  constructor(connection: RedisConnection) {
    this.#connection = connection;
    this.#channel = connection.keys.of('bus');
  }

  publish(topic: string, message: unknown): void {
    const text = this.#connection.seal.seal(this.#channel, JSON.stringify([this.#self, topic, message]));
    if (text.length > MAX_MESSAGE) {
      const error = new Error('A message is too large.');
      this.#connection.emit({ kind: 'degraded', about: 'notifications', error });
      return;
    }
    // The connection has already reported the failure.
    this.#connection
      .run('notifications', (client) => client.publish(this.#channel, text))
      .catch(() => undefined);
  }

  subscribe(topic: string, listener: (message: unknown) => void): () => void {
    this.#listen();
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    const { subscriber } = this.#connection;
    subscriber.on('ready', () => void this.#subscribeAgain());
    subscriber.on('message', (_channel: string, text: string) => this.#receive(text));
  }

  /** Subscribes on each new connection. Messages since the last connection are lost, so gap listeners are called. */
  async #subscribeAgain(): Promise<void> {
    const isFirst = !this.#wasReady;
    this.#wasReady = true;
    try {
      await this.#connection.subscribe(this.#channel);
    } catch (error) {
      this.#connection.emit({ kind: 'degraded', about: 'notifications', error });
      this.#connection.subscriber.disconnect(true);
      return;
    }
    if (!isFirst) for (const listener of this.#gapListeners) this.#call(listener, undefined);
  }

  #receive(text: string): void {
    const opened = text.length > MAX_MESSAGE ? undefined : this.#connection.seal.open(this.#channel, text);
    const message = opened === undefined ? undefined : readMessage(opened);
    if (!message) {
      this.#connection.emit({ kind: 'invalid', about: 'notifications' });
      return;
    }
    const [from, topic, content] = message;
    if (from === this.#self) return;
    for (const listener of this.#listeners.get(topic) ?? []) this.#call(listener, content);
  }

  /** A listener that throws must not keep the others from receiving a message. */
  #call(listener: (message: unknown) => void, message: unknown): void {
    try {
      listener(message);
    } catch (error) {
      this.#connection.emit({ kind: 'degraded', about: 'notifications', error });
    }
  }
}

function readMessage(text: string): [from: string, topic: string, content: unknown] | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(message) || message.length !== 3) return undefined;
  const [from, topic, content] = message as unknown[];
  return typeof from === 'string' && typeof topic === 'string' ? [from, topic, content] : undefined;
}
