import type { Readable } from 'node:stream';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Waits for a signal, or for the end of an input. A second signal ends the process as it would without us. */
export function untilAskedToEnd(input?: Readable): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      for (const signal of SIGNALS) process.off(signal, end);
      input?.off('end', end);
      input?.off('close', end);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, end);
    input?.once('end', end);
    input?.once('close', end);
  });
}
