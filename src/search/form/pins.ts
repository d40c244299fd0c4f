import type { View } from '../../views/view.js';
import { searchToolNames } from './search-form.js';

/** What stays listed beside the search over a view: what is pinned, and what is active from the start. */
export function pinsIn(
  { groups, tools }: View,
  isWhole: boolean,
  pinned: readonly string[],
  startup: readonly string[],
): readonly string[] {
  const ofStartup = groups
    .filter(({ key }) => startup.includes(key))
    .flatMap((group) => group.tools)
    // One that is called like a tool of the search can be found, not listed.
    .filter((name) => !searchToolNames.has(name));
  const known = new Set(
    [...tools].flatMap(([name, { actions }]) => [
      name,
      ...[...actions.values()].map(({ address }) => address),
    ]),
  );
  // Of a view that is not whole, a pin may be what it does not show.
  const there = isWhole ? pinned : pinned.filter((name) => known.has(name));
  return [...new Set([...there, ...ofStartup])];
}
