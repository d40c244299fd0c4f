import { PassThrough } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';

/**
 * Standard input and output. When the input ends, what was asked before is answered, within a time; the SDK's own
 * transport gives up all calls then.
 */
export class DrainingStdio implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #graceMs: number;
  readonly #input = new PassThrough();
  readonly #inner = new StdioServerTransport(this.#input as unknown as typeof process.stdin, process.stdout);
  readonly #asked = new Set<unknown>();
  /** What the client was asked, and did not answer yet. */
  readonly #questions = new Set<string | number>();
  #onIdle: (() => void) | undefined;
  #onEnd: (() => void) | undefined;
  /** Fulfilled once nothing more is read or written. */
  readonly ended = new Promise<void>((resolve) => {
    this.#onEnd = resolve;
  });
  #isDraining: Promise<void> | undefined;

  constructor(graceMs: number) {
    this.#graceMs = graceMs;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message) => {
      // Who listens for changes is never answered.
      if ('method' in message && 'id' in message && message.method !== 'subscriptions/listen')
        this.#asked.add(message.id);
      else if ('method' in message && message.method === 'notifications/cancelled')
        this.#settle(message.params?.['requestId']);
      if (!('method' in message) && 'id' in message) this.#questions.delete(message.id as string | number);
      this.onmessage?.(message);
    };
    this.#inner.onclose = () => {
      this.onclose?.();
      this.#onEnd?.();
    };
    this.#inner.onerror = (error) => this.onerror?.(error);
    await this.#inner.start();
    process.stdin.on('data', this.#read);
    process.stdin.once('end', this.#end);
    process.stdin.once('close', this.#end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message && 'id' in message) this.#questions.add(message.id);
    await this.#inner.send(message);
    if (!('method' in message) && 'id' in message) this.#settle(message.id);
  }

  /** Reads no more, and waits until everything is answered or the time is over. */
  drain(): Promise<void> {
    return (this.#isDraining ??= this.#drain());
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#inner.close();
    this.#onEnd?.();
  }

  async #drain(): Promise<void> {
    this.#stop();
    // Nobody answers any more.
    const error = { code: -32_000, message: 'The connection has ended.' };
    for (const id of this.#questions) this.onmessage?.({ jsonrpc: '2.0', id, error });
    if (this.#asked.size === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  readonly #read = (chunk: Buffer): void => {
    this.#input.write(chunk);
  };

  readonly #end = (): void => {
    void this.drain().then(() => this.#input.end());
  };

  #stop(): void {
    process.stdin.off('data', this.#read);
    process.stdin.off('end', this.#end);
    process.stdin.off('close', this.#end);
    if (process.stdin.listenerCount('data') === 0) process.stdin.pause();
  }

  #settle(id: unknown): void {
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#onIdle?.();
  }
}
