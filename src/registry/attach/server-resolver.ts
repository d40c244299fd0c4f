import { ErrInvalidServer } from '../../errors.js';

/** All that is asked of a server: a place to put request handlers. */
export interface McpServerLike {
  /** As the servers of both SDKs have it. */
  setRequestHandler(...registration: never[]): unknown;
}

/** Finds the low-level server: inside a high-level one, or the server itself. */
export function resolveServer(server: unknown): McpServerLike {
  const inner = isObject(server) ? server['server'] : undefined;
  if (isServer(inner)) return inner;
  if (isServer(server)) return server;
  throw new ErrInvalidServer('This is neither an McpServer nor a Server of an MCP SDK.', {
    hint: 'Hand in an object with setRequestHandler(), or one whose .server has it.',
  });
}

function isServer(value: unknown): value is McpServerLike {
  return isObject(value) && typeof value['setRequestHandler'] === 'function';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
