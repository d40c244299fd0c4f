import type { SearchExplanation } from '@toolfold/search';

export function writtenIn({ words }: Pick<SearchExplanation, 'words'>, stem: string): string {
  return words.find(({ stems }) => stems.includes(stem))?.written ?? stem;
}
