import { ErrCancelled, ErrTimeout } from '../errors.js';

/** How long a call may take: until its time is up or the caller gives up, whichever is first. */
export interface Bounds {
  /** Tells the handler. */
  readonly signal: AbortSignal | undefined;
  /** The time begins to run, anew if it did already. Waiting for a place takes none of it. */
  readonly arm: () => void;
  /** The work's outcome, or a rejection when the call is given up before. */
  readonly race: <T>(work: Promise<T>) => Promise<T>;
  /** The call has ended: nothing is watched any more. */
  readonly end: () => void;
}

/** Bounds for a call, or `undefined` where nothing bounds it. */
export function createBounds(
  timeout: number | undefined,
  signal: AbortSignal | undefined,
): Bounds | undefined {
  if (timeout === undefined && signal === undefined) return undefined;
  if (signal?.aborted) throw cancelled();
  // A controller takes longer to make than the rest of a call, so the caller's signal is passed on where it will do.
  const controller = timeout === undefined ? undefined : new AbortController();
  let reject!: (reason: unknown) => void;
  const givenUp = new Promise<never>((_, settle) => {
    reject = settle;
  });
  // It may reject while nothing is being waited for.
  givenUp.catch(() => undefined);
  const giveUp = (reason: ErrTimeout | ErrCancelled): void => {
    end();
    // In this order: what the handler does on hearing of it must not be taken for the outcome.
    reject(reason);
    controller?.abort(reason);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (): void => {
    if (timeout === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => giveUp(timedOut(timeout)), timeout);
  };
  const onAbort = (): void => giveUp(cancelled());
  signal?.addEventListener('abort', onAbort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  return {
    signal: controller?.signal ?? signal,
    arm,
    race: (work) => Promise.race([work, givenUp]),
    end,
  };
}

function timedOut(timeout: number): ErrTimeout {
  return new ErrTimeout(`The call took longer than ${timeout} ms and was given up.`, {
    hint: 'Ask for less at once, or try again later.',
    details: { timeout },
  });
}

export function cancelled(): ErrCancelled {
  return new ErrCancelled('The call was cancelled.');
}
