import { LRUCache } from 'lru-cache';

/** How many letters are kept of all views together: a page is quickly joined again, and callers can ask for many. */
const MAX_LETTERS = 24_000_000;
/** What an entry takes beside its text. */
const ENTRY = 1_000;

const kept = new LRUCache<string, readonly string[]>({
  maxSize: MAX_LETTERS,
  // One that is larger than all others may be is kept in their place.
  sizeCalculation: (pages) =>
    Math.min(
      MAX_LETTERS,
      pages.reduce((sum, page) => sum + page.length, ENTRY),
    ),
});
let lastView = 0;

/** The pages of one view, of which those are kept that were sent lately. */
export class KeptPages {
  readonly #view = (lastView += 1);

  getOrMake(key: string, make: () => readonly string[]): readonly string[] {
    const place = `${this.#view} ${key}`;
    let pages = kept.get(place);
    if (!pages) kept.set(place, (pages = make()));
    return pages;
  }
}
