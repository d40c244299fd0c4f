import { setImmediate } from 'node:timers/promises';
import { yieldToEventLoop } from '@toolfold/analysis/internal';
import type { Steps } from '@toolfold/analysis/internal';
import type { Terminal } from './terminal.js';

/** Milliseconds of work between two pauses in which signals are handled. */
const PAUSE_MS = 50;
/** Milliseconds between two progress reports: short for a terminal, long for a log. */
const REPORT_MS = { terminal: 2_000, log: 10_000 } as const;

interface StepOptions {
  readonly terminal: Terminal;
  /** Describes the work, such as `checking 20,000 tools`. */
  readonly text: string;
  readonly signal: AbortSignal;
  readonly now?: () => number;
}

/**
 * Runs work in steps, because uninterrupted work would ignore Ctrl-C. Reports the progress of long work to standard error. Rejects
 * if the signal aborts.
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
