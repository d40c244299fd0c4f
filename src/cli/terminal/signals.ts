import { exitCodes } from './exit-codes.js';

type Signal = 'SIGINT' | 'SIGTERM';

/** Emits the signals that ask a command to stop. */
export interface SignalSource {
  on(signal: Signal, listener: (signal: Signal) => void): unknown;
  off(signal: Signal, listener: (signal: Signal) => void): unknown;
}

/** Thrown when a signal cancels a command. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: Signal) {
    super('interrupted');
    this.exitCode = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
  }
}

/** Calls the listener for the first signal. A second signal has its default effect and ends the process. */
function onSignal(source: SignalSource, listener: (signal: Signal) => void): () => void {
  const listen = (signal: Signal): void => {
    forget();
    listener(signal);
  };
  const forget = (): void => {
    source.off('SIGINT', listen);
    source.off('SIGTERM', listen);
  };
  source.on('SIGINT', listen);
  source.on('SIGTERM', listen);
  return forget;
}

/** Runs work that a signal cancels. */
export async function withSignals<T>(
  source: SignalSource,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const forget = onSignal(source, (signal) => controller.abort(new Interrupted(signal)));
  try {
    return await work(controller.signal);
  } finally {
    forget();
  }
}

/** Waits for a signal, or until the server has ended. */
export async function untilSignal(source: SignalSource, ended?: Promise<void>): Promise<void> {
  let forget: (() => void) | undefined;
  const signalled = new Promise<void>((resolve) => (forget = onSignal(source, () => resolve())));
  await Promise.race([signalled, ...(ended ? [ended] : [])]);
  forget?.();
}
