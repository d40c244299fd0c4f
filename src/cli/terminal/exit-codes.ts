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

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
