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

  it('of a name are its parts, however they are joined', () => {
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

  it('are whole where capitals stand inside a word that is known, as in "YouTube"', () => {
    expect(lexicon.knows('youtube')).toBe(true);
    expect(read('YouTube')).toEqual(['youtube']);
    expect(readName('YouTube')).toEqual(['youtube']);
  });

  it('are the whole and its parts where it is not', () => {
    expect(read('DataViewer')).toEqual(['dataviewer', 'data', 'viewer']);
    expect(read('two DeFi NFTs and PDFs')).toEqual(['two', 'defi', 'nft', 'and', 'pdf']);
  });

  it('lose accents and keep other scripts', () => {
    expect(read('Café ＡＢＣ 天気 Ελλάδα')).toEqual(['cafe', 'abc', '天気', 'ελλαδα']);
  });
});

describe('a compound', () => {
  it('that is not known is split into words that are', () => {
    expect(splitCompound('keywordexplorer', lexicon)).toEqual(['keyword', 'explorer']);
    expect(splitCompound('cryptocurrency', lexicon)).toEqual(['crypto', 'currency']);
  });

  it('stays whole when it is known, too short, too long or of unknown parts', () => {
    for (const word of ['website', 'abc', 'zzqqxxyy', 'a'.repeat(5_000), '天気天気天気', '']) {
      expect(splitCompound(word, lexicon)).toEqual([]);
    }
  });
});
