import { stemWord } from '../../../search/index/stem.js';

/** The stems of a text's words. Names such as `listOpenIssues` and `list_open_issues` are split. */
export function stemsOf(...texts: readonly (string | undefined)[]): Set<string> {
  const stems = new Set<string>();
  for (const text of texts) {
    const spaced = (text ?? '').normalize('NFKC').replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
    for (const word of spaced.toLowerCase().match(/[\p{L}\p{M}]+|\p{N}+/gu) ?? [])
      stems.add(/^[a-z]+$/.test(word) ? stemWord(word) : word);
  }
  return stems;
}
