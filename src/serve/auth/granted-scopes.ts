import { ErrInvalidOptions } from '../../errors.js';
import { isJsonObject } from '../../values/json-value.js';
import { invalidOption, isScope, readScopes } from '../../values/assert-option.js';

/** Every scope that includes others, with all that it includes, however far. */
export type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

export function readImpliedScopes(place: string, value: unknown): ImpliedScopes {
  if (value === undefined) return new Map();
  if (!isJsonObject(value))
    throw invalidOption(place, 'an object with a list of scopes for each broader one');
  const direct = new Map(
    Object.entries(value).map(([scope, included]) => {
      if (!isScope(scope)) throw new ErrInvalidOptions(`${place}: "${scope}" is no scope.`);
      return [scope, readScopes(`${place}["${scope}"]`, included)] as const;
    }),
  );
  return new Map([...direct.keys()].map((scope) => [scope, [...reach(scope, direct)]]));
}

function reach(scope: string, direct: ImpliedScopes, seen = new Set<string>()): Set<string> {
  for (const included of direct.get(scope) ?? []) {
    if (seen.has(included)) continue;
    seen.add(included);
    reach(included, direct, seen);
  }
  return seen;
}

export function expandScopes(scopes: readonly string[], implied: ImpliedScopes): readonly string[] {
  if (implied.size === 0) return scopes;
  return [...new Set(scopes.flatMap((scope) => [scope, ...(implied.get(scope) ?? [])]))];
}

/** `scope` is a text with blanks (RFC 9068); some servers have a list, or call it `scp`. */
export function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const given = claims['scope'] ?? claims['scp'];
  const parts: readonly unknown[] = typeof given === 'string' ? given.split(' ') : [given].flat();
  return parts.filter(isScope);
}
