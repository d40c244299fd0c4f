import { nearestName } from '../compile/nearest-name.js';
import { ErrInvalidOptions } from '../errors.js';

const names: ReadonlySet<string> = new Set(['url', 'client', 'prefix', 'secret', 'timeoutMs', 'sessions']);

/** A slip in an option must not leave a server with less than it says. */
export function assertOptions(options: object): void {
  const unknown = Object.keys(options ?? {}).find((name) => !names.has(name));
  if (unknown === undefined) return;
  const nearest = nearestName(unknown, names);
  throw new ErrInvalidOptions(
    `redis has no option "${unknown}".`,
    nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
  );
}
