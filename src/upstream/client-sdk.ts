import { ErrInvalidOptions } from '../errors.js';

/** Milliseconds in which the probed process must exit before the actual one is started. */
export const DISPOSAL_MS = 3_000;

/** The longest time that connecting can take. With `auto` a command is started twice, each time with the full timeout. */
export function connectingMs(isStartedTwice: boolean, connectTimeoutMs: number): number {
  return isStartedTwice ? 2 * connectTimeoutMs + DISPOSAL_MS : connectTimeoutMs;
}

/** Throws if the client is not installed, so that a missing package shows at startup and not in the first call. */
export function assertClientSdk(place: string): void {
  try {
    // Some runtimes cannot resolve a package without loading it.
    if (typeof import.meta.resolve === 'function') import.meta.resolve('@modelcontextprotocol/client');
  } catch (cause) {
    if (isNotFound(cause)) throw notInstalled(place, cause);
  }
}

export function isNotFound(thrown: unknown): boolean {
  return (thrown as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND';
}

export function notInstalled(place: string, cause: unknown): ErrInvalidOptions {
  return new ErrInvalidOptions(`${place} needs the package @modelcontextprotocol/client.`, {
    hint: 'Install it: npm install @modelcontextprotocol/client',
    cause,
  });
}
