import type { AnyRegistry } from 'toolfold';

/** Whether the action of a path has an output schema. `undefined` for an action that the registry does not list itself. */
export function hasOutput(registry: AnyRegistry, path: string): boolean | undefined {
  for (const { actions } of registry.view().tools.values())
    for (const { action, address } of actions.values())
      if (address.replaceAll(/[/:]/g, '.') === path) return action.output !== undefined;
  return undefined;
}
