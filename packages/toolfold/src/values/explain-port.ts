/** Explains why a server cannot listen on a port, and names the option that selects another port. Returns `undefined` for other errors. */
export function explainPort(error: unknown, option: string): string | undefined {
  const { code, port } = Object(error) as { readonly code?: unknown; readonly port?: unknown };
  if (port === undefined) return undefined;
  const problem = { EADDRINUSE: 'is already in use', EACCES: 'needs more privileges' }[String(code)];
  return problem === undefined
    ? undefined
    : `Port ${String(port)} ${problem}. Choose another one with ${option}.`;
}

/** Puts the explanation into the error of a server that cannot listen. Commands read its code and port to name their own option. */
export function adviseOnPort(error: unknown): unknown {
  const text = explainPort(error, 'the option port');
  const { code, port } = Object(error) as { readonly code?: unknown; readonly port?: unknown };
  return text === undefined ? error : Object.assign(new Error(text, { cause: error }), { code, port });
}
