import { hashName } from './hash-name.js';
import type { ProfileName } from './profile.js';
import { rulesOf } from './rules/rules-of.js';
import { NAME_LENGTH, prefixedNameLimits } from './rules/tool-rules.js';

/** Returns a name that the profile accepts. It depends only on the tool and the server, so other tools cannot change it. */
export function lowerName(name: string, profile: ProfileName, serverName: string): string {
  const { ids } = rulesOf(profile);
  let lowered = ids.has('name-pattern') ? name.replace(/[^\w-]/g, '_') : name.replace(/[^\w.-]/g, '_');
  if (lowered === '') lowered = '_';
  if (ids.has('name-start') && !/^[a-zA-Z_]/.test(lowered)) lowered = `_${lowered}`;
  const limit = longestName(profile, serverName);
  return lowered.length <= limit ? lowered : cutName(lowered, name, limit);
}

/** Some clients count the server's name as a part of the tool's name. */
function longestName(profile: ProfileName, serverName: string): number {
  const { limit, separator } = prefixedNameLimits[profile] ?? { limit: NAME_LENGTH, separator: undefined };
  const prefix = separator === undefined || serverName === '' ? 0 : serverName.length + separator;
  // Leave room for a hash even if the server's name is too long.
  return Math.max(Math.min(NAME_LENGTH, limit - prefix), 12);
}

function cutName(name: string, authored: string, limit: number): string {
  const ending = `_${hashName(authored)}`;
  return `${name.slice(0, limit - ending.length).replace(/_+$/, '')}${ending}`;
}

/**
 * Renames a tool whose lowered name another tool already has. The new name is made from the authored name, so it does not depend
 * on the order of the tools.
 */
export function distinctName(
  lowered: string,
  authored: string,
  profile: ProfileName,
  serverName: string,
): string {
  return cutName(lowered, authored, Math.min(longestName(profile, serverName), lowered.length + 9));
}
