import { describe, expect, it } from 'vitest';
import { compareEndings, isEnglish, languageOf, readTokens, splitCompound, splitToken } from './words.js';

const read = (text: string): string[] => readTokens(text).flatMap((token) => splitToken(token, false));
const readName = (text: string): string[] => readTokens(text).flatMap((token) => splitToken(token, true));
const isEnglishSentence = (sentence: string): boolean =>
  isEnglish(
    sentence,
    readTokens(sentence).reduce((sum, token) => sum + languageOf(token), 0),
  );

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

  it('include the whole and its parts if it has capitals inside', () => {
    expect(read('DataViewer')).toEqual(['dataviewer', 'data', 'viewer']);
    expect(read('two DeFi NFTs and PDFs')).toEqual(['two', 'defi', 'de', 'fi', 'nft', 'and', 'pdf']);
  });

  it('lose accents and keep other scripts', () => {
    expect(read('Café ＡＢＣ 天気 Ελλάδα')).toEqual(['cafe', 'abc', '天気', 'ελλαδα']);
  });
});

describe('a sentence', () => {
  it.each([
    'Lists open issues',
    'Find a café',
    'Returns the weather of Los Angeles',
    'ISO code of the language ("en", "es", "fr", "de", "ja")',
    '会议室',
    '',
  ])('is English without signs of another language: %s', (sentence) => {
    expect(isEnglishSentence(sentence)).toBe(true);
  });

  it.each([
    'Erstellt eine Rechnung für einen Kunden',
    'Supprime un utilisateur',
    'Crea una factura para el cliente',
    'Tworzy fakturę dla klienta',
    'Tạo hóa đơn cho khách hàng',
    'Vytvoří fakturu pro zákazníka',
    'Vytvoří fakturu pro zákazníka'.normalize('NFD'),
  ])('is in another language by its frequent words or its accents: %s', (sentence) => {
    expect(isEnglishSentence(sentence)).toBe(false);
  });
});

describe('words of a language without a stemmer', () => {
  it('match if only their endings differ', () => {
    expect(compareEndings('usuarios', 'usuario')).toBeGreaterThan(0.9);
    expect(compareEndings('комнату', 'комната')).toBeGreaterThan(0.8);
    expect(compareEndings('rechnung', 'rechnung')).toBe(1);
    for (const [one, other] of [
      ['mois', 'moi'],
      ['order', 'ordner'],
      ['rech', 'rechnungen'],
      ['', 'a'],
    ] as const)
      expect(compareEndings(one, other), one).toBe(0);
  });
});

describe('a compound', () => {
  const words = new Set(['keyword', 'key', 'explorer', 'crypto', 'currency', 'web', 'site', 'website']);
  const knows = (word: string): boolean => words.has(word);

  it('that is unknown is split into known words', () => {
    expect(splitCompound('keywordexplorer', knows)).toEqual(['keyword', 'explorer']);
    expect(splitCompound('cryptocurrency', knows)).toEqual(['crypto', 'currency']);
  });

  it('is not split if it is known, too short, too long or has unknown parts', () => {
    for (const word of ['website', 'abc', 'zzqqxxyy', 'a'.repeat(5_000), '天気天気天気', '']) {
      expect(splitCompound(word, knows)).toEqual([]);
    }
  });
});
