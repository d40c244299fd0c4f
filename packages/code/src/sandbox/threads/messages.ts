import type { CodeLimits, SandboxStep, SettledCall } from '../sandbox.js';

/** A request of the main thread. Each has one answer, and the next is sent after it. */
export type ThreadRequest =
  | { readonly kind: 'prepare' }
  | { readonly kind: 'start'; readonly code: string; readonly limits: CodeLimits }
  | { readonly kind: 'restore'; readonly snapshot: Uint8Array; readonly limits: CodeLimits }
  | { readonly kind: 'advance'; readonly settled: readonly SettledCall[] }
  | { readonly kind: 'snapshot' };

/** Frees the instance of the run. Has no answer. */
export interface EndRun {
  readonly kind: 'end';
}

export type ThreadAnswer =
  /** The folder of the thread in `/proc`, on Linux. */
  | { readonly kind: 'ready'; readonly thread: string | undefined }
  | { readonly kind: 'done' }
  | { readonly kind: 'step'; readonly step: SandboxStep }
  | { readonly kind: 'snapshot'; readonly snapshot: Uint8Array }
  | { readonly kind: 'error'; readonly message: string };

export interface Thread {
  send(request: ThreadRequest | EndRun): void;
  /** Reads the CPU time of the thread. Returns NaN before the thread is ready, and if the system does not report it. */
  cpuMs(): number;
  /** Sets whether the thread keeps the process alive. */
  hold(isHeld: boolean): void;
  terminate(): Promise<void>;
}

export interface ThreadEvents {
  readonly onAnswer: (answer: ThreadAnswer) => void;
  /** Called when the thread was terminated or crashed. */
  readonly onEnd: (reason: Error) => void;
}
