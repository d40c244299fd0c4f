/** The program of the thread that counts tokens. */
import { parentPort } from 'node:worker_threads';
import { createToolCounter } from '@toolfold/analysis/internal';
import type { ToolCounter } from '@toolfold/analysis/internal';
import type { ThreadAnswer, ThreadRequest } from './thread-messages.js';

const counters = new Map<number, Promise<ToolCounter>>();

parentPort?.on('message', async (request: ThreadRequest) => {
  if ('closed' in request) counters.delete(request.closed);
  else parentPort?.postMessage(await answer(request), []);
});

async function answer({
  id,
  counter: key,
  method,
  tools,
}: Exclude<ThreadRequest, { closed: number }>): Promise<ThreadAnswer> {
  try {
    let counter = counters.get(key);
    if (!counter) counters.set(key, (counter = createToolCounter()));
    const { isExact, [method]: count } = await counter;
    return { id, values: await count(tools), isExact: isExact() };
  } catch (error) {
    return { id, error: String(error) };
  }
}
