/** Exit codes of the command line. Scripts depend on the numbers. */
export const exitCodes = Object.freeze({
  done: 0,
  failed: 1,
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

/** Thrown for an invalid command line. The message says what to write instead. */
export class UsageError extends Error {}

/** Thrown for an expected failure: its message is shown without a stack trace. */
export class CommandError extends Error {
  readonly exitCode: number;
  readonly rpcCode: number | undefined;
  readonly status: number | undefined;
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

/** Maximum size of an input file or pipe. Larger inputs are rejected. */
export const MAX_INPUT_BYTES = 64 * 1024 * 1024;
