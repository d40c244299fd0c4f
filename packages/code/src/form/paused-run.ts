import type { WireQuestions } from 'toolfold/internal';
import type { GuestCall, GuestError } from '../sandbox/sandbox.js';

/** A call that code has made, as the report of the run shows it. */
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
  /** The start of the error's message. Absent if the call succeeded. */
  readonly message?: string | undefined;
  /** The arguments of a planned write as JSON, for the report of a dry run. */
  readonly input?: string | undefined;
}

/** Answers of the client in MCP's form, by the keys of their questions. */
export type Answers = Readonly<Record<string, unknown>>;

export interface WaitingCall extends GuestCall {
  readonly address: string;
  readonly title?: string | undefined;
  /** The hint that the action declares; `undefined` if it declares none. */
  readonly destructive?: boolean | undefined;
  /** The questions of the action itself. The call has begun, and begins again with the answers. */
  readonly questions?: WireQuestions | undefined;
  /** The answers to earlier questions of the action, in their order. */
  readonly answers?: readonly Answers[] | undefined;
  /** The idempotency key of a call that has begun. */
  readonly key?: string | undefined;
  /** Set if no person is asked about the call. Its input is then left out. */
  readonly refusal?: GuestError | undefined;
}

/** A run that waits for a person. It is plain data, so that another process can continue it. */
export interface PausedRun {
  readonly runId: string;
  /** `undefined` if the sandbox has no snapshots. The run then waits in memory, if the client can answer meanwhile. */
  readonly snapshot: Uint8Array | undefined;
  /** The calls that need a confirmation. The code waits for no other calls. */
  readonly waiting: readonly WaitingCall[];
  readonly notes: readonly CallNote[];
  /** How often each idempotent call was made, by the digest of its address and arguments. */
  readonly keys: Readonly<Record<string, number>>;
  readonly logs: readonly string[];
  readonly hasLostLogs: boolean;
  readonly cpuMs: number;
  readonly wallMs: number;
  /** Counts the rounds of questions, including the current one. */
  readonly rounds: number;
}
