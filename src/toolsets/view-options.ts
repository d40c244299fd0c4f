import { ErrInvalidPolicy } from '../errors.js';
import type { ViewPolicy } from '../views/policy.js';
import { isJsonObject } from '../values/json-value.js';
import type { CreateRanker } from '../search/form/open-search.js';

/** What is offered, and how. */
export interface OfferedView extends Omit<ViewPolicy, 'form'> {
  /** `search`: tools are found and called through a few that are always the same. Default: `grouped`. */
  readonly form?: 'grouped' | 'flat' | 'search' | undefined;
  /** The tools that stay listed beside those of the search, by name or address. */
  readonly pinned?: readonly string[] | undefined;
  /** Ranks beside the search that Toolfold brings, such as by embeddings. */
  readonly ranker?: CreateRanker | undefined;
}

/** A slip must not leave everything open. */
export function assertOffer(view: OfferedView): void {
  if (!isJsonObject(view as unknown)) throw new ErrInvalidPolicy('A view policy is an object.');
  const { form, pinned, ranker } = view;
  if (form !== undefined && form !== 'grouped' && form !== 'flat' && form !== 'search')
    throw new ErrInvalidPolicy('"form" of a view policy must be "grouped", "flat" or "search".');
  if (pinned !== undefined && !(Array.isArray(pinned) && pinned.every((name) => typeof name === 'string')))
    throw new ErrInvalidPolicy('"pinned" of a view policy must be a list of names.');
  if (ranker !== undefined && typeof ranker !== 'function')
    throw new ErrInvalidPolicy('"ranker" of a view policy must be a function.');
}
