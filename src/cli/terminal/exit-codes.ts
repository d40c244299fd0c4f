/** What the process ends with, for scripts. */
export const exitCodes = Object.freeze({
  done: 0,
  /** It was asked for the right thing, and could not do it. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The tool ran and says that it failed. */
  toolFailed: 3,
  /** The server refused the request, or its answer is no MCP. */
  protocol: 4,
  /** Ctrl-C, as shells have it. */
  interrupted: 130,
  /** Somebody else told it to end. */
  terminated: 143,
});

/** A command line that cannot be understood. The message says what to write instead. */
export class UsageError extends Error {}

/** What could not be done, in words that need no stack, and what the process ends with for it. */
export class CommandError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
