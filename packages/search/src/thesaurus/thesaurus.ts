import { thesaurusData } from './thesaurus-data.js';

const none: ReadonlySet<string> = new Set();

/** Returns the stems of the words that mean the same as a word in one of its senses. The groups are read on first use. */
export function createThesaurus(stemWord: (word: string) => string): (stem: string) => ReadonlySet<string> {
  let synonyms: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  return (stem) => {
    synonyms ??= readGroups(stemWord);
    return synonyms.get(stem) ?? none;
  };
}

function readGroups(stemWord: (word: string) => string): Map<string, Set<string>> {
  const synonyms = new Map<string, Set<string>>();
  for (const group of thesaurusData.split(';')) {
    const stems = group.split(' ').map(stemWord);
    for (const stem of stems) {
      let known = synonyms.get(stem);
      if (!known) synonyms.set(stem, (known = new Set()));
      for (const other of stems) if (other !== stem) known.add(other);
    }
  }
  return synonyms;
}
