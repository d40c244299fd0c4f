import { ErrInvalidServer } from '@toolfold/schema/errors';
import { describeValue, isObject, isPromise } from '@toolfold/schema/internal';

/** The only member that a server of an SDK must have. The registry adds its request handlers through it. */
export interface McpServerLike {
  /** Registers a request handler, as the servers of both SDKs do. */
  setRequestHandler(...registration: never[]): unknown;
}

/** Finds the low-level server: inside a high-level one, or the server itself. */
export function resolveServer(server: unknown): McpServerLike {
  const inner = isObject(server) && 'server' in server ? server.server : undefined;
  if (isServer(inner)) return inner;
  if (isServer(server)) return server;
  const hint = isPromise(server)
    ? 'Write attachToServer(await …).'
    : 'Pass an object with setRequestHandler(), or one whose .server has it.';
  throw new ErrInvalidServer(
    `attachToServer needs an McpServer or a Server of an MCP SDK, but got ${describeValue(server)}.`,
    { hint },
  );
}

function isServer(value: unknown): value is McpServerLike {
  return isObject(value) && 'setRequestHandler' in value && typeof value.setRequestHandler === 'function';
}
