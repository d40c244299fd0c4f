import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { invalidOption, isPlain } from '@toolfold/schema/internal';

/** Whether a value is a scope token of RFC 6749, which has no blanks and quotes and so fits into headers and lists. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}

export function readScopes(place: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isScope))
    throw invalidOption(place, 'a list of scopes, each without blanks and quotes');
  return Object.freeze([...value]);
}

/** Maps a broader scope to all scopes that it includes directly or through other scopes. */
type ImpliedScopes = ReadonlyMap<string, readonly string[]>;

export function readImpliedScopes(place: string, value: unknown): ImpliedScopes {
  if (value === undefined) return new Map();
  if (!isPlain(value)) throw invalidOption(place, 'an object with a list of scopes for each broader one');
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

/** Reads the scopes of a token. RFC 9068 has `scope` as text with spaces; some servers send a list, or `scp`. */
export function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  const given = claims['scope'] ?? claims['scp'];
  const parts: readonly unknown[] = typeof given === 'string' ? given.split(' ') : [given].flat();
  return parts.filter(isScope);
}
