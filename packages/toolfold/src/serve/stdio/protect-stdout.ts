type Write = typeof process.stdout.write;

const HINT =
  'toolfold: Standard output carries MCP messages, so the other output of this process goes to standard error.\n';

/**
 * Sends everything that the process writes to standard output to standard error, because a client cannot read text between MCP
 * messages. Writes to file descriptor 1 and child processes that inherit it cannot be redirected.
 */
export function protectStdout(): { readonly write: Write; restore(): void } {
  const { stdout, stderr } = process;
  const original = stdout.write;
  let isFirst = true;
  const redirect = (...given: Parameters<Write>): boolean => {
    if (isFirst) stderr.write(HINT);
    isFirst = false;
    stderr.write(...given);
    // A stream that is piped here would wait for standard output to drain.
    return true;
  };
  stdout.write = redirect as Write;
  return {
    // The only way to write to standard output while it is protected.
    write: original.bind(stdout),
    restore: () => {
      // Another library may have replaced it since, and its function calls ours.
      if (stdout.write === redirect) stdout.write = original;
    },
  };
}
