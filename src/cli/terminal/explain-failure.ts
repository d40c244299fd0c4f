import { errorTable } from '../../errors.js';

interface SystemError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly path?: unknown;
  readonly port?: unknown;
  readonly cause?: unknown;
  readonly data?: { readonly cause?: unknown };
}

/** An error of the framework, whichever copy of it a module has loaded. */
export function isToolfoldError(error: unknown): error is Error & { readonly code: string } {
  const { code } = Object(error) as SystemError;
  return error instanceof Error && typeof code === 'string' && Object.hasOwn(errorTable, code);
}

/** The error and those behind it; the client keeps them in its data. */
export function* reasonsOf(error: unknown): Generator<SystemError> {
  let current: unknown = error;
  for (let depth = 0; depth < 8 && typeof current === 'object' && current !== null; depth++) {
    const reason = current as SystemError;
    yield reason;
    current = reason.cause ?? reason.data?.cause;
  }
}

/** Why a command could not be started, where that is it. */
export function explainSpawn(error: unknown): string | undefined {
  for (const { code, syscall, path } of reasonsOf(error)) {
    if (typeof syscall !== 'string' || !syscall.startsWith('spawn')) continue;
    const command = `"${String(path ?? syscall.slice('spawn '.length))}"`;
    if (code === 'ENOENT') return `There is no command ${command}. Is it installed, and in PATH?`;
    if (code === 'EACCES') return `The command ${command} may not be run.`;
  }
  return undefined;
}

const reachable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be resolved now',
  ECONNRESET: 'it broke off the connection',
  UND_ERR_SOCKET: 'it broke off the connection',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS, as http without s',
  ETIMEDOUT: 'it cannot be reached in time',
  EHOSTUNREACH: 'there is no way to that host',
};

/** Why an address does not answer, where the network says so. */
export function explainNetwork(error: unknown): string | undefined {
  for (const { code } of reasonsOf(error)) {
    if (typeof code !== 'string') continue;
    if (Object.hasOwn(reachable, code)) return reachable[code];
    if (/CERT|SELF_SIGNED|TLS|SSL/.test(code)) return `its certificate is not accepted (${code})`;
  }
  return undefined;
}
