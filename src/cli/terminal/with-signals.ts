import { exitCodes } from './exit-codes.js';

/** Why work was given up: somebody told the process to end. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super('interrupted');
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** Runs work that ends by itself when the process is told to end. The second time it ends as it would without us. */
export async function withSignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: 'SIGINT' | 'SIGTERM'): void => {
    forget();
    controller.abort(new Interrupted(signal));
  };
  const forget = (): void => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    forget();
  }
}
