import type { SessionContextConfig } from '../session/session-context.js';
import type { ExposurePolicy } from './exposure-policy.js';
import type { ModuleLoader } from './module-loader.js';
import type { ServerMode, ServerModeEnforcer, SessionConfig } from './server-mode.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';

/** Everything that toolsets are served by. */
export interface ToolsetConfig {
  readonly catalog: ToolSetCatalog;
  readonly moduleLoaders: Readonly<Record<string, ModuleLoader>>;
  readonly startup: {
    /** `DYNAMIC`: clients enable toolsets or search. `STATIC`: these are there from the start. */
    readonly mode: 'DYNAMIC' | 'STATIC';
    readonly toolsets?: readonly string[] | 'ALL';
  };
  /** What loaders and handlers know, where a request says nothing else. */
  readonly context: { readonly accessToken?: string } & Readonly<Record<string, unknown>>;
  readonly sessionContext?: SessionContextConfig;
  readonly exposurePolicy: ExposurePolicy;
}

/** Turns a mode into a configuration of toolsets. */
export const ModeConfigMapper = Object.freeze({
  /** `enforcer` knows what the operator decided, and the catalog. */
  toToolsetConfig(
    mode: ServerMode,
    sessionConfig: SessionConfig,
    enforcer: ServerModeEnforcer,
    accessToken?: string,
    moduleLoaders: Readonly<Record<string, ModuleLoader>> = enforcer.moduleLoaders,
  ): ToolsetConfig {
    const toolsets = mode === 'STATIC_TOOL_SETS' ? enforcer.resolve(sessionConfig).toolsets : undefined;
    const allowedKeys = [enforcer.credentialKey];
    return {
      catalog: enforcer.catalog,
      moduleLoaders,
      startup: startupOf(mode, toolsets),
      context: accessToken === undefined ? {} : { accessToken },
      sessionContext: {
        enabled: true,
        queryParam: { name: 'config', encoding: 'base64', allowedKeys },
        header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys },
        merge: 'shallow',
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
