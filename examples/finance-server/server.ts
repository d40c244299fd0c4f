/** The server: the toolsets of the package over its modules, flat or as one tool per module. */
import { TOOL_SETS } from 'financial-modeling-prep-mcp-server/dist/constants/toolSets.js';
import { ModeConfigMapper, ServerModeEnforcer } from 'toolfold/web';
import type { GroupedModule, ToolSetCatalog, ToolsetConfig } from 'toolfold/web';
import { adaptModules } from './modules.js';

// #region server
/** The package's description of its 24 toolsets is already a catalog. */
export const catalog: ToolSetCatalog = TOOL_SETS;

/** A module that becomes one tool takes its description from the first toolset that names it. */
const describe = (module: string): GroupedModule => {
  const toolset = Object.values(catalog).find(({ modules = [] }) => modules.includes(module));
  return { description: toolset?.description ?? module };
};
const flat = adaptModules();
const grouped = adaptModules(describe);

export function configure(argv: readonly string[], form: 'flat' | 'grouped' = 'flat'): ToolsetConfig {
  const moduleLoaders = (form === 'flat' ? flat : grouped).loaders;
  const enforcer = new ServerModeEnforcer({
    catalog,
    moduleLoaders,
    credentialKey: 'FMP_ACCESS_TOKEN',
    argv,
  });
  return ModeConfigMapper.toToolsetConfig(enforcer.resolve().mode, {}, enforcer, 'key-of-the-server');
}
// #endregion server
