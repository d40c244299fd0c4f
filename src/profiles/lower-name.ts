import { hashName } from '../protocol/wire-name.js';
import type { ProfileName } from './profile.js';
import { rulesOf } from './rules/rules-of.js';
import { NAME_LENGTH, prefixedNameLimits } from './rules/tool-rules.js';

/** The name of a tool that a profile accepts. It depends on the tool and the server only. */
export function lowerName(name: string, profile: ProfileName, serverName: string): string {
  const { ids } = rulesOf(profile);
  let lowered = ids.has('name-pattern') ? name.replace(/[^\w-]/g, '_') : name.replace(/[^\w.-]/g, '_');
  if (lowered === '') lowered = '_';
  if (ids.has('name-start') && !/^[a-zA-Z_]/.test(lowered)) lowered = `_${lowered}`;
  const limit = longestName(profile, serverName);
  return lowered.length <= limit ? lowered : cutName(lowered, name, limit);
}

/** The longest name of a tool, next to the name of its server. */
function longestName(profile: ProfileName, serverName: string): number {
  const { limit, separator } = prefixedNameLimits[profile] ?? { limit: NAME_LENGTH, separator: undefined };
  const prefix = separator === undefined || serverName === '' ? 0 : serverName.length + separator;
  // A name needs room for a hash, whatever the server is called.
  return Math.max(Math.min(NAME_LENGTH, limit - prefix), 12);
}

function cutName(name: string, authored: string, limit: number): string {
  const ending = `_${hashName(authored)}`;
  return `${name.slice(0, limit - ending.length).replace(/_+$/, '')}${ending}`;
}

/** A name for a tool whose lowered name another tool has: the authored name decides, not the order of the list. */
export function distinctName(
  lowered: string,
  authored: string,
  profile: ProfileName,
  serverName: string,
): string {
  return cutName(lowered, authored, Math.min(longestName(profile, serverName), lowered.length + 9));
}
