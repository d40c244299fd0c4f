/** Explains why a server cannot listen on a port, and names the option that selects another port. Returns `undefined` for other errors. */
export function explainPort(error: unknown, option: string): string | undefined {
  const { code, port } = Object(error) as { readonly code?: unknown; readonly port?: unknown };
  if (port === undefined) return undefined;
  const problem = { EADDRINUSE: 'is already in use', EACCES: 'needs more privileges' }[String(code)];
  return problem === undefined
    ? undefined
    : `Port ${String(port)} ${problem}. Choose another one with ${option}.`;
}
