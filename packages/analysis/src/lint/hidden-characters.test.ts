import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHidden, readTags, removeHidden, showHidden } from './hidden-characters.js';

describe('findHidden', () => {
  it.each([
    ['zero-width', 'a\u200bb'],
    ['zero-width', 'a\u2060b'],
    ['zero-width', 'a\ufeffb'],
    ['zero-width', 'a\u200db'],
    ['direction', 'a\u202eb'],
    ['direction', 'a\u2066b'],
    ['direction', 'a\u200fb'],
    ['tag', 'a\u{e0061}b'],
    ['invisible', 'a\u00adb'],
    ['variation', 'a\u{e0101}b'],
    ['control', 'a\u001b[31mb'],
  ])('finds a %s character in %j', (kind, text) => {
    expect(findHidden(text)).toMatchObject([{ index: 1, kind }]);
  });

  it.each([
    ['a family of emoji', '👩\u200d👩\u200d👧'],
    ['an emoji with a skin tone', '👩🏽\u200d💻'],
    ['the flag of Scotland', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
    ['Persian with a zero-width non-joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['Hebrew with a direction mark', 'שלום\u200f!'],
    ['a registered variant of a Han character', '葛\u{e0100}'],
    ['lines and tabs', 'a\r\n\tb'],
    ['letters with marks', 'Zoë, naïve — “quoted” … 日本語'],
  ])('accepts %s', (_, text) => {
    expect(findHidden(text)).toEqual([]);
  });

  it('reads the text that tag characters spell', () => {
    expect(readTags('Lists.\u{e0073}\u{e0065}\u{e006e}\u{e0064}')).toBe('send');
  });

  it('leaves nothing hidden after removing or showing, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        expect(findHidden(showHidden(text)).length).toBe(0);
        // Removing a character may bring two others together, so a second pass may find more.
        expect(removeHidden(text).length).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it('takes linear time for a text of hidden characters only', () => {
    expect(removeHidden('\u200b'.repeat(500_000))).toBe('');
  });
});
