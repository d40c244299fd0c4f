import { setImmediate } from 'node:timers/promises';
import { yieldToEventLoop } from '../../analysis/steps.js';
import type { Steps } from '../../analysis/steps.js';
import type { Terminal } from './terminal.js';

/** Milliseconds of work after which signals, such as that of Ctrl-C, are handled. */
const PAUSE_MS = 50;
/** Milliseconds between two reports: often for a person at a terminal, rarely for a log. */
const REPORT_MS = { terminal: 2_000, log: 10_000 } as const;

interface StepOptions {
  readonly terminal: Terminal;
  /** The work in a few words, such as `checking 20,000 tools`. */
  readonly text: string;
  /** Cancels the work between two steps. */
  readonly signal: AbortSignal;
  /** The clock in milliseconds. Default: `performance.now`. */
  readonly now?: () => number;
}

/**
 * Runs work in steps, because work without a pause would ignore Ctrl-C. Long work reports its progress to standard error. Rejects if
 * the signal aborts.
 */
export async function runSteps<T>(
  steps: Steps<T>,
  { terminal, text, signal, now = () => performance.now() }: StepOptions,
): Promise<T> {
  const interval = terminal.host.stderr.isTTY === true ? REPORT_MS.terminal : REPORT_MS.log;
  let paused = now();
  let reported = paused;
  for (;;) {
    signal.throwIfAborted();
    const step = steps.next();
    if (step.done === true) {
      await yieldToEventLoop(signal);
      return step.value;
    }
    if (now() - reported >= interval) {
      reported = now();
      terminal.notify(`${text}: ${Math.floor(step.value * 100)} %`);
    }
    if (now() - paused >= PAUSE_MS) {
      await setImmediate();
      paused = now();
    }
  }
}
