import { describe, expect, it } from 'vitest';
import { readLexicon } from './lexicon.js';
import { splitCompound, readWords } from './words.js';

const lexicon = readLexicon();
const read = (text: string): string[] => readWords(text, { knows: lexicon.knows });
const readName = (text: string): string[] => readWords(text, { isName: true, knows: lexicon.knows });

describe('words of a text', () => {
  it('are its runs of letters and of digits in lower case', () => {
    expect(read("What's new in Node 22? It's 5x faster!")).toEqual([
      'what',
      'new',
      'in',
      'node',
      '22',
      'it',
      '5',
      'x',
      'faster',
    ]);
  });

  it('of a name are its parts, with any separator', () => {
    const parts = ['list', 'open', 'issues'];
    for (const name of [
      'listOpenIssues',
      'list_open_issues',
      'list-open-issues',
      'ListOpenIssues',
      'list.open/issues',
    ]) {
      expect(readName(name)).toEqual(parts);
    }
    expect(readName('getHTTPServerByID')).toEqual(['get', 'http', 'server', 'by', 'id']);
  });

  it('are not split at capitals inside a known word, as in "YouTube"', () => {
    expect(lexicon.knows('youtube')).toBe(true);
    expect(read('YouTube')).toEqual(['youtube']);
    expect(readName('YouTube')).toEqual(['youtube']);
  });

  it('include the whole and its parts if the whole is unknown', () => {
    expect(read('DataViewer')).toEqual(['dataviewer', 'data', 'viewer']);
    expect(read('two DeFi NFTs and PDFs')).toEqual(['two', 'defi', 'nft', 'and', 'pdf']);
  });

  it('lose accents and keep other scripts', () => {
    expect(read('Café ＡＢＣ 天気 Ελλάδα')).toEqual(['cafe', 'abc', '天気', 'ελλαδα']);
  });
});

describe('a compound', () => {
  it('that is unknown is split into known words', () => {
    expect(splitCompound('keywordexplorer', lexicon)).toEqual(['keyword', 'explorer']);
    expect(splitCompound('cryptocurrency', lexicon)).toEqual(['crypto', 'currency']);
  });

  it('is not split if it is known, too short, too long or has unknown parts', () => {
    for (const word of ['website', 'abc', 'zzqqxxyy', 'a'.repeat(5_000), '天気天気天気', '']) {
      expect(splitCompound(word, lexicon)).toEqual([]);
    }
  });
});
