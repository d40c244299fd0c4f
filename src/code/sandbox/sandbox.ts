/** Limits of one run of code. */
export interface CodeLimits {
  /** Time that the code itself may compute, in milliseconds, without the time of its calls. Default: 1,000. */
  readonly cpuMs: number;
  /** Time from the start to the end of a run, in milliseconds, without the time in which a person is asked. Default: 60,000. */
  readonly wallMs: number;
  /** Memory of the code, in bytes. Default: 32 MiB. */
  readonly memoryBytes: number;
  /** Length of the code, in bytes of UTF-8. Default: 65,536. */
  readonly codeBytes: number;
  /** Number of calls. Default: 200. */
  readonly calls: number;
  /** Number of calls that run at once; others wait. Default: 8. */
  readonly concurrentCalls: number;
  /** Arguments of a call, and the value that a call returns, in bytes of JSON. Default: 1 MiB. */
  readonly callBytes: number;
  /** Logs of the code, in bytes; the rest is left out. Default: 16,384. */
  readonly logBytes: number;
  /** The value that the code returns, in bytes of JSON. Default: 131,072. */
  readonly resultBytes: number;
}

/** The limits that apply unless the operator sets others. */
export const defaultCodeLimits: CodeLimits = Object.freeze({
  cpuMs: 1_000,
  wallMs: 60_000,
  memoryBytes: 32 * 1_024 * 1_024,
  codeBytes: 64 * 1_024,
  calls: 200,
  concurrentCalls: 8,
  callBytes: 1_024 * 1_024,
  logBytes: 16 * 1_024,
  resultBytes: 128 * 1_024,
});

/** A call that the code has started and waits for. */
export interface GuestCall {
  /** Numbers the calls of a run from 1, in the order in which the code starts them. */
  readonly id: number;
  /** The names after `tools`, such as `github.issues.list`. */
  readonly path: string;
  /** The argument as JSON text; `undefined` if the code passed none. */
  readonly input: string | undefined;
}

/** The end of a call: the value as JSON text, or the error that the code can catch. */
export type SettledCall =
  | { readonly id: number; readonly value: string | undefined }
  | { readonly id: number; readonly error: GuestError };

/** An error of a call, as the code sees it: an `Error` with these properties. */
export interface GuestError {
  /** The name of the error, such as `ErrValidationFailed`. */
  readonly name: string;
  /** The reason, and what to do. */
  readonly message: string;
  /** The code of the error table, or one that the author of the tool defined. */
  readonly code: string;
  /** Names or steps that may help. */
  readonly suggestions: readonly string[];
}

/** Why a run failed. `line` and `column` count from 1, in the code as the model wrote it. */
export interface RunFailure {
  /** `syntax`: the code cannot be parsed. `thrown`: an uncaught error. The others are exceeded limits, or the end of the sandbox. */
  readonly kind: 'syntax' | 'thrown' | 'cpu' | 'memory' | 'stack' | 'result' | 'stuck' | 'closed';
  /** The name of the error, such as `TypeError`. */
  readonly name: string;
  /** The message of the error. */
  readonly message: string;
  /** The line of the code. */
  readonly line?: number | undefined;
  /** The column in this line. */
  readonly column?: number | undefined;
  /** The code of an uncaught `GuestError`. */
  readonly code?: string | undefined;
}

/** The end of a run: the value as JSON text (`undefined` if the code returned none), or the failure. */
export type RunOutcome = { readonly value: string | undefined } | { readonly failure: RunFailure };

/** The calls and logs of the code since the last step, and its outcome if it has ended. */
export interface SandboxStep {
  /** The calls that the code started in this step. */
  readonly calls: readonly GuestCall[];
  /** The lines that the code logged in this step, within `logBytes` of the whole run. */
  readonly logs: readonly string[];
  /** Whether `logBytes` left lines out. */
  readonly hasLostLogs: boolean;
  /** Time that the code has computed since the start of the run. */
  readonly cpuMs: number;
  /** Set in the last step. */
  readonly outcome?: RunOutcome | undefined;
}

/** A program in a sandbox. Nothing of it is shared with other runs. */
export interface SandboxRun {
  /**
   * Passes the ends of calls to the code, and lets it compute until it waits for other calls or ends. The first call starts it with
   * an empty list. Never rejects: failures are outcomes.
   */
  advance(settled: readonly SettledCall[]): Promise<SandboxStep>;
  /** Saves the state between two steps. Without it, a run cannot wait for a person who answers in a later request. */
  snapshot?(): Promise<Uint8Array>;
  /** Ends the run at any time and frees everything. A pending `advance` resolves with the failure `closed`. */
  dispose(): void;
}

/** The conditions of a run. */
export interface SandboxStart {
  /** The limits of the run. */
  readonly limits: CodeLimits;
  /** The caller for whom the code runs. A sandbox shares its capacity fairly among callers. */
  readonly owner: string;
  /** Aborts waiting for capacity, and ends the run. */
  readonly signal: AbortSignal;
}

/** Runs code that a model wrote, without access to anything but the calls. */
export interface Sandbox {
  /** Limits of this sandbox that apply instead of `defaultCodeLimits`, unless the operator sets others. */
  readonly defaults?: Partial<CodeLimits> | undefined;
  /** Creates a run. The code starts with the first `advance`. Rejects with `ErrOverloaded` if there is no capacity. */
  start(code: string, start: SandboxStart): Promise<SandboxRun>;
  /** Continues a run from a snapshot of the same sandbox, perhaps of another process. */
  restore?(snapshot: Uint8Array, start: SandboxStart): Promise<SandboxRun>;
  /** Loads everything that a first run needs. Rejects with what the operator has to install. */
  prepare?(): Promise<void>;
  /** Ends all runs. */
  close(): Promise<void>;
}
