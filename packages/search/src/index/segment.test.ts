import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { compareCharacters, foldCase, MAX_TEXT, normalizeText, readTokens } from './segment.js';

afterEach(() => {
  vi.unstubAllGlobals();
});

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(
      'é',
      'e\u0301',
      'ﬁ',
      'Å',
      '한',
      'が',
      'ｶﾞ',
      'ำ',
      'й',
      'ß',
      'ς',
      'İ',
      'ı',
      '\u200D',
      'क़',
      'ﷺ',
      ' ',
    ),
    maxLength: 40,
  }),
);

describe('the tokens of a text', () => {
  it.each([
    ['Chinese', '查询会议室的空闲情况。', ['查询', '会议', '室', '的', '空闲', '情况']],
    ['Japanese', '会議室を予約します', ['会議', '室', 'を', '予約', 'し', 'ます']],
    ['Thai', 'จองห้องประชุม', ['จอง', 'ห้อง', 'ประชุม']],
    [
      'Korean, at spaces and before the particle of a Latin word',
      'GitHub에서 회의를 예약',
      ['GitHub', '에서', '회의를', '예약'],
    ],
    ['English in Chinese', '在GitHub上创建issue', ['在', 'GitHub', '上', '创建', 'issue']],
    ['French, at apostrophes', "l'utilisateur d’aujourd’hui", ['l', 'utilisateur', 'd', 'aujourd', 'hui']],
    ['English, with the ending of a word', "the user's list, don't", ['the', "user's", 'list', "don't"]],
    ['Hindi, with its vowel signs', 'हिन्दी में खोज', ['हिन्दी', 'में', 'खोज']],
    ['Khmer, at zero-width spaces', 'កក់\u200Bបន្ទប់', ['កក់', 'បន្ទប់']],
    ['letters and digits', 'OAuth2 v2 getURLFor3D', ['OAuth', '2', 'v', '2', 'getURLFor', '3', 'D']],
  ])('are words: %s', (_, given, tokens) => {
    expect(readTokens(given)).toEqual(tokens);
  });

  it('are pairs of characters in a runtime without a segmenter', () => {
    vi.stubGlobal('Intl', {});
    expect(readTokens('会议室 𠮷野家 か GitHub')).toEqual(['会议', '议室', '𠮷野', '野家', 'か', 'GitHub']);
  });

  it('have whole characters, however long the text is', () => {
    const long = `会${'𠮷'.repeat(1_000)}`;
    expect(readTokens(long).join('')).toBe(long);
    expect(readTokens(long).filter((token) => /\p{Cs}/u.test(token))).toEqual([]);
  });

  it('are as many as asked for', () => {
    expect(readTokens('会议室的空闲情况', 2)).toEqual(['会议', '室']);
  });

  it('have no invisible characters, controls or lone marks', () => {
    fc.assert(
      fc.property(text, (given) => {
        for (const token of readTokens(given))
          expect(token).toMatch(/^(?:[\p{L}\p{N}][\p{L}\p{N}\p{M}'’]*|[\p{L}\p{M}\p{N}]+)$/u);
      }),
    );
    expect(readTokens('\u202Ede\u00ADle\u200Dte\u2066 \uFEFFtool\u{E0041} \ud800 \u0301\u0301')).toEqual([
      'delete',
      'tool',
    ]);
  });
});

describe('a normalised text', () => {
  it.each([
    ['Ｇｉｔ', 'Git'],
    ['ｶﾞｲﾄﾞ', 'ガイド'],
    ['Crème brûlée', 'Creme brulee'],
    ['Việt Nam', 'Viet Nam'],
    ['Ελλάδα', 'Ελλαδα'],
    ['ёлка', 'елка'],
    ['مُحَمَّد أحمد', 'محمد احمد'],
    ['①②', '12'],
  ])('has the usual letters: %s', (given, expected) => {
    expect(normalizeText(given)).toBe(expected);
  });

  it.each(['が', 'ポスト', 'หมู่บ้าน', 'ทำ', 'ນ້ຳ', 'हिन्दी', 'мой', '한국어', 'தமிழ்'])(
    'keeps marks that make another letter: %s',
    (given) => {
      expect(normalizeText(given)).toBe(given);
      expect(normalizeText(given.normalize('NFD'))).toBe(given);
    },
  );

  it('is the same for composed and decomposed text, and stays the same if it is normalised again', () => {
    fc.assert(
      fc.property(text, (given) => {
        const normal = normalizeText(given);
        expect(normalizeText(given.normalize('NFC'))).toBe(normal);
        expect(normalizeText(given.normalize('NFD'))).toBe(normal);
        expect(normalizeText(normal)).toBe(normal);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is cut at the same letter in both forms', () => {
    const long = '한국어'.repeat(4_000);
    expect(normalizeText(long)).toHaveLength(MAX_TEXT);
    expect(normalizeText(long.normalize('NFD'))).toBe(normalizeText(long));
  });
});

describe('a word in lower case', () => {
  it.each([
    ['STRASSE', 'Straße'],
    ['ΟΔΟΣ', 'οδός'],
    ['İSTANBUL', 'ıstanbul'],
    ['ŁÓDŹ', 'lodz'],
    ['SØREN', 'soren'],
    ['Ǆ', 'dz'],
  ])('is the same for all forms of its letters: %s and %s', (one, other) => {
    expect(foldCase(normalizeText(one))).toBe(foldCase(normalizeText(other)));
  });

  it('stays the same in lower case', () => {
    fc.assert(
      fc.property(text, (given) => {
        const folded = foldCase(normalizeText(given));
        expect(foldCase(folded)).toBe(folded);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('words without stems', () => {
  it('are similar by their longest common part', () => {
    expect(compareCharacters('会', '会议')).toBeCloseTo(Math.SQRT1_2);
    expect(compareCharacters('회의를', '회의')).toBeGreaterThan(0.8);
    expect(compareCharacters('予約した', '予約')).toBeGreaterThan(0.7);
    expect(compareCharacters('会议', '会议')).toBe(1);
  });

  it('are not similar by one kana, one syllable or two letters of Thai', () => {
    expect(compareCharacters('ください', 'いつ')).toBe(0);
    expect(compareCharacters('회의를', '보고를')).toBe(0);
    expect(compareCharacters('กก', 'กกข')).toBe(0);
    expect(compareCharacters('\u{20BB7}', '\u{20BB8}')).toBe(0);
  });

  it('are compared in both directions alike, and only up to 32 characters', () => {
    const word = fc.string({
      unit: fc.constantFrom('会', '议', '室', 'を', '회', '의', 'ห', 'อ'),
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(word, word, (one, other) => {
        const likeness = compareCharacters(one, other);
        expect(likeness).toBeGreaterThanOrEqual(0);
        expect(likeness).toBeLessThanOrEqual(1);
        if (one.length > 32) expect(likeness).toBe(one === other ? 1 : 0);
      }),
    );
  });
});

describe('hostile text', () => {
  it.each([
    ['Thai without spaces', 'ก'.repeat(20_000)],
    [
      'random Chinese',
      Array.from({ length: 20_000 }, (_, at) => String.fromCharCode(0x4e00 + ((at * 7919) % 20_000))).join(
        '',
      ),
    ],
    ['katakana', 'ア'.repeat(20_000)],
    ['Burmese', 'က'.repeat(20_000)],
    ['Hangul', '회'.repeat(20_000)],
    ['marks', `a${'\u0301\u0323'.repeat(20_000)}`],
    ['vowel signs', `ก${'\u0E31'.repeat(20_000)}`],
    ['ligatures that expand', 'ﷺ'.repeat(20_000)],
    ['zero-width characters', '\u200B\u200D\u2066'.repeat(10_000)],
    ['lone surrogates', '\ud800\udc00\udc00'.repeat(10_000)],
    ['supplementary characters', '𠮷'.repeat(10_000)],
    ['apostrophes', "a'".repeat(10_000)],
  ])('is read in less than 100 ms of processor time: %s', (_, given) => {
    const started = process.cpuUsage();
    const tokens = readTokens(given);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(100);
    expect(tokens.join('').length).toBeLessThanOrEqual(4 * MAX_TEXT);
  });
});
