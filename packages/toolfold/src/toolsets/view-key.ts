import type { CompiledNarrowing } from '../views/policy.js';
import type { Offer } from './forms/offers.js';

/** Everything that decides which tools a view holds and how clients list them. Requests with equal keys share one view. */
export interface ViewKey {
  /** The form and the profile. Default: those of the configured policy. */
  readonly offer?: Offer | undefined;
  /**
   * `tools`: the selected tools. `form`: the tools of the form, which find and call the selected ones. `session`: the selected tools
   * and those with which a session enables more toolsets.
   */
  readonly listing: 'tools' | 'form' | 'session';
  /** In the order of the catalog. Without a catalog, those that the request selects. Default: all. */
  readonly toolsets?: readonly string[] | undefined;
  /** The tools of these toolsets that the caller can see at most. */
  readonly ceiling: CompiledNarrowing;
  readonly selection: CompiledNarrowing;
  /** With `scopes: 'hide'`, those scopes of the caller that some action needs. */
  readonly scopes?: readonly string[] | undefined;
  /** Hash of the caller's context, if modules are loaded for it: their tools may hold its credentials. */
  readonly context?: string | undefined;
  /** Whether the selection may name tools of other toolsets. */
  readonly toleratesUnknown: boolean;
  /** Whether toolsets that fail to load, or take long, are left out. Otherwise the view fails. */
  readonly toleratesFailed: boolean;
}

/** Requests that select nothing share their key. Writing its text takes as long as running a short handler. */
const texts = new WeakMap<ViewKey, string>();

/** The same text for equal keys, and different texts for all others. */
export function textOf(key: ViewKey): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  const { offer, listing, toolsets, ceiling, selection, scopes, context } = key;
  const tolerates = [key.toleratesUnknown, key.toleratesFailed];
  const text = JSON.stringify([
    offer?.key,
    listing,
    toolsets,
    ceiling.key,
    selection.key,
    scopes,
    context,
    ...tolerates,
  ]);
  texts.set(key, text);
  return text;
}
