import { Worker } from 'node:worker_threads';
import type { CostParts, CountedTool, ToolCounter } from '@toolfold/analysis/internal';
import { builtFile } from '../built-file.js';
import type { ThreadAnswer, ThreadRequest } from './thread-messages.js';

interface Waiting {
  readonly resolve: (answer: Extract<ThreadAnswer, { values: unknown }>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Counts tokens in a worker thread, because loading the tokenizer would block the server for about 0.3 s. Starts the thread with
 * the first count, and again after it failed.
 */
export class TokenThread {
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #requests = 0;
  #counters = 0;
  #isClosed = false;

  /** Creates a counter that remembers counted texts. The thread frees its memory when the signal aborts. */
  createCounter(ended: AbortSignal): ToolCounter {
    const counter = ++this.#counters;
    let isExact = true;
    const ask = async (method: 'count' | 'split', tools: readonly CountedTool[]) => {
      ended.throwIfAborted();
      // Send only counted fields, because other fields may not be cloneable.
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
    const program = builtFile('tokens/token-thread-program.js');
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
    // The thread must not keep the process alive.
    worker.unref();
    return worker;
  }
}
