import type { AnsweredSearch } from '../../stores/search-learning.js';

/** A search whose answer may lead to a call. Its words are digests. */
export interface RecentSearch extends AnsweredSearch {
  readonly at: number;
  /** The number of the search. All questions of one search have the same. */
  readonly number: number;
  /** Whether a call has followed that its words are linked with. */
  readonly isAnswered: boolean;
}

/** A call is credited to the searches of the last ten minutes. */
export const WINDOW_MS = 10 * 60_000;
/** Maximum number of questions that are remembered for a conversation. */
const MAX_SEARCHES = 8;
/** Maximum number of words of a question. */
export const MAX_WORDS = 24;
/** Maximum number of remembered addresses of an answer. */
const MAX_SHOWN = 20;

/** Adds the questions of one search. */
export function addSearches(
  recent: readonly RecentSearch[],
  searches: readonly AnsweredSearch[],
  at: number,
): readonly RecentSearch[] {
  const number = (recent.at(-1)?.number ?? 0) + 1;
  const added = searches.map(({ words, shown }) => ({
    at,
    number,
    words: words.slice(0, MAX_WORDS),
    shown: shown.slice(0, MAX_SHOWN),
    isAnswered: false,
  }));
  return [...dropOld(recent, at), ...added].slice(-MAX_SEARCHES);
}

function dropOld(recent: readonly RecentSearch[], now: number): readonly RecentSearch[] {
  return recent.filter(({ at }) => now - at <= WINDOW_MS);
}

/** The words of a search, and how much a call strengthens their links. */
export interface Credit {
  readonly words: readonly string[];
  readonly credit: number;
}

/**
 * The searches to which a call is credited: the last one that listed the tool and, with half the credit for each step back, the
 * ones before it that listed the tool or led to no call. If none of them listed the tool, the model knew it from elsewhere, and
 * nothing connects the questions with it.
 */
export function creditCall(
  recent: readonly RecentSearch[],
  address: string,
  now: number,
): { readonly credits: readonly Credit[]; readonly recent: readonly RecentSearch[] } {
  const left = [...dropOld(recent, now)];
  const last = left.findLastIndex(({ shown }) => shown.includes(address));
  const credits: Credit[] = [];
  let credit = 1;
  for (let at = last; at >= 0; at--) {
    const search = left[at] as RecentSearch;
    const isShown = search.shown.includes(address);
    // The questions of one search are the steps of a task, and each has its own tool.
    const isOfSameSearch = search.number === left[last]?.number;
    if (!isShown && (search.isAnswered || isOfSameSearch)) continue;
    credits.push({ words: search.words, credit });
    credit /= 2;
    // Further calls of the tool after the same search count only once.
    left[at] = { ...search, shown: search.shown.filter((each) => each !== address), isAnswered: true };
  }
  return { credits, recent: left };
}
