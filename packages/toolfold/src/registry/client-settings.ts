import type { EnabledToolsets } from '../callers/caller.js';
import type { McpRequest } from '../engine/request.js';
import { ErrOverloaded, ErrValidationFailed } from '@toolfold/schema/errors';
import { isLoggingLevel } from '../protocol/mcp-types.js';
import type { LoggingLevel } from '../protocol/mcp-types.js';

/** The settings that a 2025 client makes for the rest of its session or connection. */
export interface ClientSettings {
  /** The least severe log messages that the client wants. */
  readonly logLevel?: LoggingLevel | undefined;
  /** URIs of the resources that the client is subscribed to. */
  readonly subscriptions?: readonly string[] | undefined;
  /** The enabled toolsets; `undefined` until the client has enabled or disabled one. */
  readonly toolsets?: readonly string[] | undefined;
}

type Derive = (settings: ClientSettings) => ChangedSettings | Promise<ChangedSettings>;
type ChangedSettings = { readonly [Name in keyof ClientSettings]: NonNullable<ClientSettings[Name]> };

/** Concurrent changes of the same settings run one after another. */
export type ChangeSettings = (derive: Derive) => Promise<void>;

type Method = (request: McpRequest) => Promise<unknown>;

const MAX_SUBSCRIPTIONS = 1_000;
/** Limits the characters of all URIs that one client is subscribed to. */
const MAX_SUBSCRIBED_LENGTH = 128 * 1024;

/** A 2025 client changes its settings through these methods. Without resources there is nothing to subscribe to. */
export function createSettingsMethods(
  changeFor: (request: McpRequest) => ChangeSettings,
  hasResources: boolean,
): Record<string, Method> {
  const changing =
    (derive: (settings: ClientSettings, params: McpRequest['params']) => ChangedSettings): Method =>
    async (request) => {
      await changeFor(request)((settings) => derive(settings, request.params));
      return {};
    };
  const setLevel = changing((_, { level }) => {
    if (!isLoggingLevel(level)) throw new ErrValidationFailed('Validation failed: level is not known.');
    return { logLevel: level };
  });
  if (!hasResources) return { 'logging/setLevel': setLevel };
  return {
    'logging/setLevel': setLevel,
    'resources/subscribe': changing(({ subscriptions: before = [] }, { uri }) => {
      const subscriptions = [...new Set([...before, String(uri)])];
      if (subscriptions.length > before.length) assertSubscribable(subscriptions);
      return { subscriptions };
    }),
    'resources/unsubscribe': changing(({ subscriptions = [] }, { uri }) => ({
      subscriptions: subscriptions.filter((subscribed) => subscribed !== uri),
    })),
  };
}

/** Rejects more resources than one client can subscribe to. `ownLength` counts further text that is kept. */
export function assertSubscribable(uris: readonly string[], ownLength = 0): void {
  const length = uris.reduce((sum, each) => sum + each.length, ownLength);
  if (uris.length > MAX_SUBSCRIPTIONS || length > MAX_SUBSCRIBED_LENGTH)
    throw new ErrOverloaded('There are too many subscriptions.', {
      hint: `Subscribe to at most ${MAX_SUBSCRIPTIONS} resources, whose URIs have at most ${MAX_SUBSCRIBED_LENGTH} characters together.`,
    });
}

/** The toolsets that a client enables in its session. `announce` tells it once that its list of tools has changed. */
export function createEnabledToolsets(
  current: () => readonly string[] | undefined,
  change: ChangeSettings,
  announce: () => void | Promise<void>,
): EnabledToolsets {
  return {
    get current() {
      return current();
    },
    change: async (derive) => {
      let hasChanged = false;
      await change(async ({ toolsets }) => {
        const changed = await derive(toolsets);
        hasChanged = changed !== toolsets;
        return changed ? { toolsets: changed } : {};
      });
      if (hasChanged) await announce();
    },
  };
}
