import { ErrInvalidPolicy } from 'toolfold/errors';
import { createEffort, clip, nearestName } from '@toolfold/schema/internal';

const MAX_NAMED = 5;

/**
 * Names the addresses of a sidecar that no tool has, with similar addresses that exist. `place` begins the sentence: a file or an option.
 */
export function describeUnknownAddresses(
  place: string,
  unknown: readonly string[],
  known: Iterable<string>,
): string {
  const candidates = [...known];
  const effort = createEffort();
  const named = unknown.slice(0, MAX_NAMED).map((address) => {
    const nearest = nearestName(address, candidates, effort);
    return `"${clip(address)}"${nearest === undefined ? '' : ` (did you mean "${clip(nearest)}"?)`}`;
  });
  const more = unknown.length - named.length;
  const end = more > 0 ? ` and ${more} more` : '';
  const count = unknown.length === 1 ? 'an address' : `${unknown.length} addresses`;
  return `${place} has words for ${count} that no tool has: ${named.join(', ')}${end}.`;
}

/** Remembers what was reported for each sidecar, because an upstream server may change its tools many times. */
const reported = new WeakMap<object, Set<string>>();

/** Reports each address of a sidecar that no tool has once. */
export function reportUnknownAddresses(
  sidecar: object,
  addresses: Iterable<string>,
  known: ReadonlySet<string>,
  onError: (error: unknown) => void,
): void {
  const seen = reported.get(sidecar) ?? new Set();
  reported.set(sidecar, seen);
  const unknown = [...addresses].filter((address) => !known.has(address) && !seen.has(address));
  if (unknown.length === 0) return;
  for (const address of unknown) seen.add(address);
  onError(
    new ErrInvalidPolicy(describeUnknownAddresses('search.sidecar', unknown, known), {
      details: { addresses: unknown },
    }),
  );
}
