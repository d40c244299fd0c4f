import type { CallerAuth } from '../callers/caller.js';
import { ErrInvalidOptions } from '../errors.js';
import type { Selection } from '../callers/selection.js';
import type { ClientBundlesOptions } from './client-cache.js';
import type { SessionContextConfig } from '../callers/session-context.js';
import type { ContextValues } from '../callers/context-values.js';
import type { ExposurePolicy } from './exposure-policy.js';
import type { ModuleLoader } from './module-loader.js';
import { serverModes } from './server-mode.js';
import type { ServerMode, ServerModeEnforcer, SessionConfig } from './server-mode.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';

/** Everything that toolsets are served by. */
export interface ToolsetConfig {
  /** All toolsets, by their keys. */
  readonly catalog: ToolSetCatalog;
  /** The loaders of the modules that the catalog names. Default: none. */
  readonly moduleLoaders?: Readonly<Record<string, ModuleLoader>>;
  /** Milliseconds after which a loader has failed; it is run again when it is next needed. Default: 30,000. */
  readonly loaderTimeoutMs?: number;
  /** What is there at the start. */
  readonly startup: {
    /** `DYNAMIC`: clients enable toolsets or search. `STATIC`: these are there from the start. */
    readonly mode: 'DYNAMIC' | 'STATIC';
    /**
     * With `STATIC` those that are there; with `DYNAMIC` those that a session begins with, and that stay listed beside
     * the search.
     */
    readonly toolsets?: readonly string[] | 'ALL';
  };
  /** What loaders and handlers know, where a request says nothing else. */
  readonly context?: { readonly accessToken?: string } & Readonly<Record<string, unknown>>;
  /** What requests may say about their callers. Default: nothing. */
  readonly sessionContext?: SessionContextConfig;
  /** How much can be reached at most. Default: everything. */
  readonly exposurePolicy?: ExposurePolicy;
  /** How many clients keep what was made for their contexts, and for how long. Default: 1,000, an hour. */
  readonly clientBundles?: Pick<ClientBundlesOptions, 'max' | 'ttlMs'>;
  /** What a caller sees at most by what was verified of it, such as claims and scopes of its token. */
  readonly select?: (auth: CallerAuth | undefined) => Selection | undefined;
}

/** The same with what is there by default. */
export type CompleteToolsetConfig = ToolsetConfig &
  Required<Pick<ToolsetConfig, 'moduleLoaders' | 'context' | 'exposurePolicy'>>;

/** Turns a mode into a configuration of toolsets. */
export const ModeConfigMapper = Object.freeze({
  /** `enforcer` knows the catalog and what the operator decided, which wins over `mode`. */
  toToolsetConfig(
    asked: ServerMode,
    sessionConfig: SessionConfig,
    enforcer: ServerModeEnforcer,
    accessToken?: string,
    moduleLoaders: Readonly<Record<string, ModuleLoader>> = enforcer.moduleLoaders,
  ): CompleteToolsetConfig {
    if (!serverModes.includes(asked))
      throw new ErrInvalidOptions(`There is no mode "${String(asked)}".`, {
        hint: `Use ${serverModes.join(', ')}.`,
      });
    const mode = enforcer.serverModeOverride ?? asked;
    const toolsets = mode === 'STATIC_TOOL_SETS' ? enforcer.resolve(sessionConfig).toolsets : undefined;
    const { credentialKey } = enforcer;
    const allowedKeys = [credentialKey];
    return {
      catalog: enforcer.catalog,
      moduleLoaders,
      startup: startupOf(mode, toolsets),
      context: accessToken === undefined ? {} : { accessToken },
      sessionContext: {
        enabled: true,
        queryParam: { name: 'config', encoding: 'base64', allowedKeys },
        header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys },
        credentialKeys: allowedKeys,
        merge: 'shallow',
        // A loader that knows nothing of the key must not find the server's token beside the session's.
        contextResolver: (_, context, parsed): ContextValues =>
          Object.hasOwn(parsed, credentialKey) ? { ...context, accessToken: parsed[credentialKey] } : context,
      },
      exposurePolicy: {
        namespaceToolsWithSetKey: false,
        maxActiveToolsets: undefined,
        allowlist: toolsets,
      },
    };
  },
});

function startupOf(mode: ServerMode, toolsets: readonly string[] | undefined): ToolsetConfig['startup'] {
  if (mode === 'DYNAMIC_TOOL_DISCOVERY') return { mode: 'DYNAMIC' };
  return { mode: 'STATIC', toolsets: mode === 'ALL_TOOLS' ? 'ALL' : (toolsets ?? []) };
}
