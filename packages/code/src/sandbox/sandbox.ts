/** Limits what one run of code may use. */
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

/** These limits apply unless the sandbox or the operator sets others. */
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
  /** The path of the function after `tools`, such as `github.issues.list`. */
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
  /** Says what failed, and what the code can do about it. */
  readonly message: string;
  /** The code of the error table, or one that the author of the tool defined. */
  readonly code: string;
  /** Names or steps that may help. */
  readonly suggestions: readonly string[];
}

/** Why a run failed. `line` and `column` count from 1, in the code as the model wrote it. */
export interface RunFailure {
  /**
   * `syntax`: the code cannot be parsed. `thrown`: an uncaught error. `unhandled`: an uncaught error of work that the code did not
   * await. The others are exceeded limits, or the end of the sandbox.
   */
  readonly kind:
    | 'syntax'
    | 'thrown'
    | 'unhandled'
    | 'cpu'
    | 'memory'
    | 'stack'
    | 'result'
    | 'stuck'
    | 'closed';
  /** The class of the error, such as `TypeError`. */
  readonly name: string;
  /** The text of the error, without its name. */
  readonly message: string;
  /** The line of the model's code in which the error occurred, from 1. */
  readonly line?: number | undefined;
  /** The column in that line, from 1. */
  readonly column?: number | undefined;
  /** Set if the uncaught error came from a call: the code of its `GuestError`. */
  readonly code?: string | undefined;
}

/** The end of a run: the value as JSON text (`undefined` if the code returned none), or the failure. */
export type RunOutcome = { readonly value: string | undefined } | { readonly failure: RunFailure };

/** The calls and logs of the code since the last step, and its outcome if it has ended. */
export interface SandboxStep {
  /** Calls that the code started in this step. A later `advance` passes their results. */
  readonly calls: readonly GuestCall[];
  /** The lines that the code logged in this step, within `logBytes` of the whole run. */
  readonly logs: readonly string[];
  /** Whether log lines were dropped because of `logBytes`. */
  readonly hasLostLogs: boolean;
  /** Time that the code has computed since the start of the run, in milliseconds. */
  readonly cpuMs: number;
  /** Set in the last step: when the code has failed, or when it has ended and no call is pending. */
  readonly outcome?: RunOutcome | undefined;
}

/** One run of a program. Runs share no state with each other. */
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

/** Owner and limits of a run that a sandbox starts. */
export interface SandboxStart {
  /** The sandbox ends the run when it exceeds one of these limits. */
  readonly limits: CodeLimits;
  /** The caller for whom the code runs. A sandbox shares its capacity fairly among callers. */
  readonly owner: string;
  /** Distinguishes clients of one caller, which share its capacity. It is not verified, so it gives no further capacity. */
  readonly client?: string | undefined;
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
  /** Ends all runs and frees the resources of the sandbox. */
  close(): Promise<void>;
}
