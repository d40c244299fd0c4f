import { ErrInvalidServer } from '../../errors.js';
import { describeValue, isPromise } from '../../values/describe-value.js';
import { isObject } from '../../values/json-value.js';

/** The one member that a server must have, so that a registry can add request handlers. */
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
