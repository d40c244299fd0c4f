import type { SearchExplanation } from '../../search.js';

/** The word of a query that has a stem, as it is written. */
export function writtenIn({ words }: Pick<SearchExplanation, 'words'>, stem: string): string {
  return words.find(({ stems }) => stems.includes(stem))?.written ?? stem;
}
