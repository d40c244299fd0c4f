import { LRUCache } from 'lru-cache';
import { ErrModuleFailed } from '../errors.js';
import { HandlerCollector } from '../define/tool-collector.js';
import type { McpToolDefinition } from '../define/tool-collector.js';

type Handlers = ReadonlyMap<string, McpToolDefinition['handler']>;

/** Maximum number of credentials for which a module keeps handlers. The least recently used one is evicted. */
const MAX_CREDENTIALS = 1_000;

/** The handlers that a module registers for each credential, which it does when they are first called. */
export class HandlersByCredential {
  readonly #register: (server: HandlerCollector, accessToken: string | undefined) => Promise<void>;
  readonly #handlers = new LRUCache<string, Promise<Handlers>>({ max: MAX_CREDENTIALS });

  constructor(register: (server: HandlerCollector, accessToken: string | undefined) => Promise<void>) {
    this.#register = register;
  }

  async find(tool: string, accessToken: string | undefined): Promise<McpToolDefinition['handler']> {
    const handler = (await this.#handlersFor(accessToken)).get(tool);
    if (handler) return handler;
    throw new ErrModuleFailed(`Tool "${tool}" is not there for this credential.`, {
      hint: 'Leave sharesTools off for modules whose tools depend on the credential.',
      details: { tool },
    });
  }

  #handlersFor(accessToken: string | undefined): Promise<Handlers> {
    // No credential is something else than any text.
    const key = JSON.stringify(accessToken ?? null);
    let handlers = this.#handlers.get(key);
    if (!handlers) {
      handlers = this.#collect(accessToken);
      this.#handlers.set(key, handlers);
      handlers.catch(() => {
        if (this.#handlers.peek(key) === handlers) this.#handlers.delete(key);
      });
    }
    return handlers;
  }

  async #collect(accessToken: string | undefined): Promise<Handlers> {
    const collector = new HandlerCollector();
    await this.#register(collector, accessToken);
    return collector.handlers;
  }
}
