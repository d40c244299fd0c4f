import type { RequestContext } from '../define/tool-definition.js';
import { isJsonObject } from '../values/json-value.js';

export function isAsyncGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'next' in value;
}

/**
 * Runs a generator to its end: what it yields is progress, what it returns is its value. When the call is given
 * up, the generator is closed and says nothing more.
 */
export async function drain(
  generator: AsyncGenerator,
  { signal, progress }: RequestContext,
): Promise<unknown> {
  const close = (): void => {
    generator.return(undefined).catch(() => undefined);
  };
  signal.addEventListener('abort', close, { once: true });
  try {
    for (let count = 1; ; count++) {
      const step = await generator.next();
      if (step.done) return step.value;
      if (signal.aborted) {
        close();
        return undefined;
      }
      // A client that can no longer be told is no reason not to finish.
      await report(step.value, count, progress).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener('abort', close);
  }
}

async function report(step: unknown, count: number, progress: RequestContext['progress']): Promise<void> {
  if (typeof step === 'number') await progress(step);
  else if (typeof step === 'string') await progress(count, undefined, step);
  else if (isJsonObject(step) && typeof step['progress'] === 'number') {
    const { progress: done, total, message } = step;
    await progress(
      done,
      typeof total === 'number' ? total : undefined,
      typeof message === 'string' ? message : undefined,
    );
  }
}
