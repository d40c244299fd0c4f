import { Worker } from 'node:worker_threads';
import type { CostParts, CountedTool } from '../../analysis/tokens/tool-cost.js';
import type { ToolCounter } from '../../analysis/tokens/tool-counter.js';
import type { ThreadAnswer, ThreadRequest } from './thread-messages.js';

/** The built program, beside the built server. */
const built = new URL('tokens/token-thread-program.js', import.meta.url);
/** The same file, seen from the sources. */
const fromSources = new URL('../../../dist/devtools/tokens/token-thread-program.js', import.meta.url);

interface Waiting {
  readonly resolve: (answer: Extract<ThreadAnswer, { values: unknown }>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Counts tokens in a thread, because loading the tokenizer would block the server that the page shows for about 0.3 s. The thread is
 * started with the first count, and started again after it has failed.
 */
export class TokenThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #requests = 0;
  #counters = 0;
  #isClosed = false;

  /** Creates a counter with its own memory of counted texts, which the thread forgets when the signal aborts. */
  createCounter(ended: AbortSignal): ToolCounter {
    const counter = ++this.#counters;
    let isExact = true;
    const ask = async (method: 'count' | 'split', tools: readonly CountedTool[]) => {
      ended.throwIfAborted();
      // Only these fields are counted, and others of a tool may not be cloneable.
      const counted = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
      const answer = await this.#ask({ id: ++this.#requests, counter, method, tools: counted });
      isExact &&= answer.isExact;
      return answer.values;
    };
    ended.addEventListener('abort', () => this.#worker?.postMessage({ closed: counter }, []), { once: true });
    return {
      count: async (tools) => (await ask('count', tools)) as readonly number[],
      split: async (tools) => (await ask('split', tools)) as readonly CostParts[],
      isExact: () => isExact,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #ask(request: Extract<ThreadRequest, { id: number }>): Promise<Extract<ThreadAnswer, { values: unknown }>> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) return reject(new Error('The page is closed.'));
      this.#waiting.set(request.id, { resolve, reject });
      (this.#worker ??= this.#start()).postMessage(request, []);
    });
  }

  #start(): Worker {
    const program = import.meta.url.endsWith('.ts') ? fromSources : built;
    const worker = new Worker(program, { env: {}, argv: [], execArgv: [], name: 'toolfold-tokens' });
    let failure = new Error('The thread that counts tokens has ended.');
    worker.on('message', (answer: ThreadAnswer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(answer.error));
      else waiting?.resolve(answer);
    });
    worker.on('error', (error: Error) => {
      failure = error;
    });
    worker.on('exit', () => {
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(failure);
      this.#waiting.clear();
    });
    // The thread alone does not keep the process running.
    worker.unref();
    return worker;
  }
}
