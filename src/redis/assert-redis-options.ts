import { nearestName } from '../values/nearest-name.js';
import { ErrInvalidOptions } from '../errors.js';

const names: ReadonlySet<string> = new Set(['url', 'client', 'prefix', 'secret', 'timeoutMs', 'sessions']);

const sessionNames: ReadonlySet<string> = new Set(['ttlMs', 'maxPerCaller', 'maxAnonymous']);

/** A slip in an option must not leave a server with less than it says. */
export function assertOptions(options: object): void {
  assertNames('redis', options, names);
  const { sessions = {} } = (options ?? {}) as { sessions?: object };
  assertNames('redis: sessions', sessions, sessionNames);
}

function assertNames(place: string, given: object, known: ReadonlySet<string>): void {
  const unknown = Object.keys(given ?? {}).find((name) => !known.has(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, known);
  throw new ErrInvalidOptions(
    `${place} has no option "${unknown}".`,
    nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
  );
}
