/** What is served: the toolsets that the package names, over its modules, flat or one tool each. */
import { TOOL_SETS } from 'financial-modeling-prep-mcp-server/dist/constants/toolSets.js';
import { ModeConfigMapper, ServerModeEnforcer } from 'toolfold/web';
import type { GroupedModule, ToolSetCatalog, ToolsetConfig } from 'toolfold/web';
import { adaptModules } from './modules.js';

// #region server
/** What the package says of its 24 toolsets is a catalog as it stands. */
export const catalog: ToolSetCatalog = TOOL_SETS;

/** A module that is one tool is described by the first toolset that names it. */
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
