import type { Selection } from 'toolfold';
import { allowedToolsets, readConfig, readStartup } from 'toolfold/internal';
import type { ToolsetConfig } from 'toolfold/web';
import type { Condition } from './condition.js';

/** Limits on the toolsets of a request, from the widest to the narrowest. */
export interface ToolsetLimits {
  /** Toolsets that the exposure policy allows; `undefined` without a configuration of toolsets. */
  readonly allowed: readonly string[] | undefined;
  /** Toolsets that are active from the start; `undefined` if callers can enable others. */
  readonly startup: readonly string[] | undefined;
  /** Toolsets that the operator's `select` allows the caller; `undefined` for all. */
  readonly ofCaller: readonly string[] | undefined;
  /** Toolsets that the request selects; `undefined` for all. */
  readonly ofRequest: readonly string[] | undefined;
  readonly denylist: readonly string[];
}

/** Reads the limits of a configuration. `keys` are the toolsets of its catalog and of mounted registries. */
export function readToolsetLimits(
  config: ToolsetConfig | undefined,
  keys: readonly string[],
  ceiling: Selection | undefined,
  selection: Selection,
): ToolsetLimits {
  const ofRequest = selection.toolsets;
  if (!config)
    return { allowed: undefined, startup: undefined, ofCaller: undefined, ofRequest, denylist: [] };
  const complete = readConfig(config);
  const { exposurePolicy, startup } = complete;
  const allowed = allowedToolsets(exposurePolicy, keys);
  return {
    allowed,
    startup: startup.mode === 'STATIC' ? readStartup(complete, keys, allowed, () => {}) : undefined,
    ofCaller: ceiling?.toolsets,
    ofRequest,
    denylist: exposurePolicy.denylist ?? [],
  };
}

/** Shows an action if one of its toolsets passes every limit. Actions of the registry itself need no toolset. */
export function createToolsetCondition(limits: ToolsetLimits): Condition {
  return {
    cause: 'toolsets',
    reasonsFor: ({ toolsets }) => {
      const reasons = toolsets.map((key) => reasonFor(key, limits));
      return reasons.includes(undefined) ? [] : reasons.filter((reason) => reason !== undefined);
    },
  };
}

/** Returns the text for the first limit that a toolset fails. */
function reasonFor(key: string, limits: ToolsetLimits): string | undefined {
  const { allowed, startup, ofCaller, ofRequest, denylist } = limits;
  const isMissing = (keys: readonly string[] | undefined): boolean => keys?.includes(key) === false;
  if (isMissing(allowed))
    return denylist.includes(key)
      ? `The exposure policy denies its toolset "${key}".`
      : `The allowlist of the exposure policy lacks its toolset "${key}".`;
  if (isMissing(startup)) return `Its toolset "${key}" is not active: startup.toolsets does not name it.`;
  if (isMissing(ofCaller)) return `select does not give this caller its toolset "${key}".`;
  if (isMissing(ofRequest)) return `The request selects other toolsets than "${key}".`;
  return undefined;
}
