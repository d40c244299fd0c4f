import type { GuestCall, GuestError } from '../sandbox/sandbox.js';

/** A call that code has made, for the report of the run. */
export interface CallNote {
  readonly id: number;
  /** The address of the action, or the path if there is no such action. */
  readonly address: string;
  /**
   * `ok`, the code of the error, or `planned` for a write of a dry run. A call that has not ended is `waiting` or `unfinished`, and
   * `not run` if the run ended before the call began.
   */
  readonly outcome: string;
  readonly ms: number;
  /** The beginning of the error's message. */
  readonly message?: string | undefined;
  /** The arguments of a planned write as JSON. */
  readonly input?: string | undefined;
}

/** A call that needs the confirmation of a person. */
export interface WaitingCall extends GuestCall {
  /** The address of the action that the person confirms. */
  readonly address: string;
  readonly title?: string | undefined;
  /** Whether the action declares that it is destructive; `undefined` if it declares nothing. */
  readonly destructive?: boolean | undefined;
  /** Set if no person is asked about the call. Its input is then left out. */
  readonly refusal?: GuestError | undefined;
}

/** A run that waits for a person. Plain data, so that another process can continue it. */
export interface PausedRun {
  readonly runId: string;
  /** `undefined` if the sandbox has no snapshots. The run then waits in memory, if the client can answer while it waits. */
  readonly snapshot: Uint8Array | undefined;
  /** The calls that need a confirmation. The code waits for no other calls. */
  readonly waiting: readonly WaitingCall[];
  readonly notes: readonly CallNote[];
  /** How often each idempotent call was made, by the digest of its address and arguments. */
  readonly keys: Readonly<Record<string, number>>;
  readonly logs: readonly string[];
  readonly hasLostLogs: boolean;
  /** Time used so far. */
  readonly cpuMs: number;
  readonly wallMs: number;
  /** How often the run has asked, with the current questions. */
  readonly rounds: number;
}
