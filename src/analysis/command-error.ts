/** The exit codes of the process, for scripts. */
export const exitCodes = Object.freeze({
  done: 0,
  /** The command line is valid, but the command failed. */
  failed: 1,
  /** The command line is invalid. */
  usage: 2,
  /** The tool ran and reported an error. */
  toolFailed: 3,
  /** The server rejected the request, or its answer is not valid MCP. */
  protocol: 4,
  /** The tools changed in a way that is not breaking, but that the command was asked to report. */
  changed: 5,
  /** Ctrl-C, with the code that shells use. */
  interrupted: 130,
  /** SIGTERM, with the code that shells use. */
  terminated: 143,
});

/** An invalid command line. The message says what to write instead. */
export class UsageError extends Error {}

/** A failure that the message explains without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;
  /** The code of the JSON-RPC error with which a server answered. */
  readonly rpcCode: number | undefined;
  /** The HTTP status with which a server answered. */
  readonly status: number | undefined;
  /** Whether the time for an answer has passed. */
  readonly isTimeout: boolean;

  constructor(
    message: string,
    exitCode: number = exitCodes.failed,
    {
      rpcCode,
      status,
      isTimeout = false,
    }: { readonly rpcCode?: number; readonly status?: number; readonly isTimeout?: boolean } = {},
  ) {
    super(message);
    this.exitCode = exitCode;
    this.rpcCode = rpcCode;
    this.status = status;
    this.isTimeout = isTimeout;
  }
}

/** Files and pipes that are larger are not read. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;
