import { literal, looseObject, object, optional } from 'zod';
import { ErrInvalidServer } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import type { RegistryChange } from '../../stores/contracts.js';
import type { McpServerLike } from './server-resolver.js';

/** Members of the servers of both SDKs. Only `setRequestHandler` is required; the others are used where they exist. */
export interface SdkServer extends McpServerLike {
  readonly transport?: object | undefined;
  registerCapabilities?: (capabilities: object) => void;
  getCapabilities?: () => unknown;
  assertCanSetRequestHandler?: (method: string) => void;
  sendToolListChanged?: () => Promise<void>;
  sendPromptListChanged?: () => Promise<void>;
  sendResourceListChanged?: () => Promise<void>;
  sendResourceUpdated?: (params: { uri: string }) => Promise<void>;
  /** The name and version that a 2025 client sent in its handshake. */
  getClientVersion?: () => unknown;
  getClientCapabilities?: () => unknown;
  getNegotiatedProtocolVersion?: () => string | undefined;
  onclose?: (() => void) | undefined;
  oninitialized?: (() => void) | undefined;
  onerror?: ((error: unknown) => void) | undefined;
  /** The log levels by which the SDK filters messages that the author of the server sends. */
  readonly _loggingLevels?: Map<string | undefined, string>;
}

export type SdkHandler = (
  request: { params?: Record<string, unknown> },
  context: unknown,
) => Promise<unknown>;

/** The members of a handler's context. SDK v2 puts those of the request into `mcpReq`, SDK v1 has them at the top. */
export function membersOf(context: unknown) {
  const whole = record(context) ?? {};
  return {
    request: record(whole['mcpReq']) ?? whole,
    http: record(whole['http']) ?? {},
    sessionId: whole['sessionId'],
  };
}

export function record(value: unknown): Record<string, unknown> | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function isConnected(server: SdkServer): boolean {
  return server.transport !== undefined;
}

/** The capabilities that a server has declared; `undefined` if it cannot tell. */
export function declaredBy(server: SdkServer): Record<string, unknown> | undefined {
  const declared = server.getCapabilities?.();
  return isJsonObject(declared) ? declared : undefined;
}

/** Clients work without these capabilities, so a connected server need not have declared them. */
const optionalCapabilities: ReadonlySet<string> = new Set(['logging', 'completions', 'extensions']);

/** Declares capabilities. A client reads them when it connects, so a connected server must have declared them before. */
export function declareCapabilities(server: SdkServer, capabilities: Record<string, object>): void {
  if (!isConnected(server)) return server.registerCapabilities?.(capabilities);
  const declared = declaredBy(server);
  if (!declared) return;
  const missing = Object.entries(capabilities).filter(
    ([name]) => declared[name] === undefined && !optionalCapabilities.has(name),
  );
  if (missing.length === 0) return;
  const literals = missing.map(([name, value]) => `${name}: ${writeLiteral(value)}`);
  throw new ErrInvalidServer(
    `The server is connected and has not declared the capabilities { ${literals.join(', ')} }.`,
    { hint: 'Create the server with these capabilities, or attach before it connects.' },
  );
}

function writeLiteral(value: object): string {
  const members = Object.entries(value).map(([name, member]) => `${name}: ${String(member)}`);
  return `{ ${members.join(', ')} }`;
}

/** Notifies the client of a change, if it is connected and the server declared such notifications. */
export function announce(server: SdkServer, change: RegistryChange): void {
  if ('transport' in server && !isConnected(server)) return;
  const declared = declaredBy(server)?.[change.kind];
  if (isJsonObject(declared) && declared['listChanged'] !== true) return;
  send(server, change)?.catch((error: unknown) => server.onerror?.(error));
}

function send(server: SdkServer, change: RegistryChange): Promise<void> | undefined {
  switch (change.kind) {
    case 'tools':
      return server.sendToolListChanged?.();
    case 'prompts':
      return server.sendPromptListChanged?.();
    case 'resources':
      return server.sendResourceListChanged?.();
    case 'resource':
      return server.sendResourceUpdated?.({ uri: change.uri });
  }
}

/** Throws if the server answers a method itself, because the registry would silently hide the server's own tools. */
export function assertFree(server: SdkServer, owner: unknown, method: string): void {
  try {
    server.assertCanSetRequestHandler?.(method);
  } catch (cause) {
    // A high-level server has handlers for every declared capability, even without items.
    if (ownItems(owner, method)?.length === 0) return;
    throw hasOwnItems(`The server answers ${method} already.`, cause);
  }
}

/** An error if a high-level server got other items after a registry took over its handlers. */
export function findHiddenItems(owner: unknown, method: string): ErrInvalidServer | undefined {
  const names = ownItems(owner, method) ?? [];
  if (names.length === 0) return undefined;
  return hasOwnItems(`The server has items of its own that ${method} leaves out: ${names.join(', ')}.`);
}

function hasOwnItems(message: string, cause?: unknown): ErrInvalidServer {
  return new ErrInvalidServer(message, {
    hint: 'Register its tools, prompts and resources in the registry, or attach to a separate server.',
    cause,
  });
}

/** The fields in which the high-level servers of both SDKs keep registered items. */
const ownFields: Readonly<Record<string, readonly string[]>> = {
  tools: ['_registeredTools'],
  prompts: ['_registeredPrompts'],
  resources: ['_registeredResources', '_registeredResourceTemplates'],
};

/** The names of the items that are registered on a high-level server; `undefined` if they cannot be read. */
function ownItems(owner: unknown, method: string): string[] | undefined {
  const fields = ownFields[method.split('/')[0] ?? ''];
  const kept = fields?.map((field) => (owner as Record<string, unknown>)[field]);
  return kept?.every(isJsonObject) ? kept.flatMap((items) => Object.keys(items)) : undefined;
}

/**
 * SDK v2 registers by method, SDK v1 by a schema with the method in it; each rejects the other's form. Methods of an
 * extension come with a schema, and their handlers get the parameters alone.
 */
export function setHandler(server: SdkServer, method: string, handler: SdkHandler): void {
  const register = server.setRequestHandler as (...args: readonly unknown[]) => void;
  if (isFirstSdk(server)) {
    const schema = object({ method: literal(method), params: optional(looseObject({})) });
    register.call(server, schema, handler);
  } else if (method.startsWith('tasks/')) {
    const handle = (params: Record<string, unknown>, context: unknown): Promise<unknown> => {
      // The SDK takes the answers out of the parameters.
      const { inputResponses } = membersOf(context).request;
      return handler({ params: { ...params, inputResponses } }, context);
    };
    register.call(server, method, { params: looseObject({}) }, handle);
  } else register.call(server, method, handler);
}

export function isFirstSdk(server: McpServerLike): boolean {
  return server.setRequestHandler.length === 2;
}
