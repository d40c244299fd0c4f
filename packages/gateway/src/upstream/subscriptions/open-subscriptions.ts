import type { Client, McpSubscription } from '@modelcontextprotocol/client';
import { anyObject } from '../list.js';

interface SubscriptionOptions {
  readonly isModern: boolean;
  readonly timeoutMs: number;
  /** Called when the stream of updates of a 2026 server has ended. */
  readonly onEnd: () => void;
  readonly onError: (error: unknown) => void;
}

/** One connection subscribes to at most this many resources. */
const MAX_SUBSCRIBED = 1_000;

/** Subscribes one connection to resources: one by one on a 2025 server, with one stream on a 2026 server. */
export class OpenSubscriptions {
  readonly #client: Client;
  readonly #options: SubscriptionOptions;
  #wanted: ReadonlySet<string> = new Set();
  #open: ReadonlySet<string> = new Set();
  #stream: McpSubscription | undefined;
  #isWorking = false;

  constructor(client: Client, options: SubscriptionOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** Subscribes to exactly these resources. Errors are reported; the other resources are not affected. */
  set(uris: Iterable<string>): void {
    this.#wanted = new Set(Array.from(uris).slice(0, MAX_SUBSCRIBED));
    if (!this.#isWorking) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isWorking = true;
    while (!isEqual(this.#wanted, this.#open)) {
      const wanted = this.#wanted;
      const before = this.#open;
      this.#open = wanted;
      try {
        if (this.#options.isModern) await this.#listen(wanted);
        else await this.#change(before, wanted);
      } catch (error) {
        this.#options.onError(error);
      }
    }
    this.#isWorking = false;
  }

  async #change(before: ReadonlySet<string>, wanted: ReadonlySet<string>): Promise<void> {
    const { timeoutMs: timeout, onError } = this.#options;
    const send = (method: string, uri: string): Promise<unknown> =>
      this.#client.request({ method, params: { uri } }, anyObject, { timeout }).catch(onError);
    await Promise.all([
      ...[...wanted].filter((uri) => !before.has(uri)).map((uri) => send('resources/subscribe', uri)),
      ...[...before].filter((uri) => !wanted.has(uri)).map((uri) => send('resources/unsubscribe', uri)),
    ]);
  }

  /** Opens the stream for the new set before it closes the one for the old set, so that no update is missed. */
  async #listen(wanted: ReadonlySet<string>): Promise<void> {
    const { timeoutMs: timeout, onEnd } = this.#options;
    const former = this.#stream;
    const filter = { resourceSubscriptions: [...wanted] };
    const stream = wanted.size > 0 ? await this.#client.listen(filter, { timeout }) : undefined;
    this.#stream = stream;
    void stream?.closed.then((how) => {
      if (how !== 'local' && this.#stream === stream) onEnd();
    });
    await former?.close();
  }
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((uri) => other.has(uri));
}
