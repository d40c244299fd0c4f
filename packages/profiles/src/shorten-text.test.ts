import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortenText } from './shorten-text.js';

describe('a shortened text', () => {
  it('loses whole sentences and list items from the end', () => {
    expect(shortenText('Finds users. Takes a name. Returns at most ten users.', 40)).toBe(
      'Finds users. Takes a name. …',
    );
    expect(shortenText('Does one of:\n- read the file\n- write the file\n- delete the file', 48)).toBe(
      'Does one of:\n- read the file\n- write the file …',
    );
    expect(shortenText('查找用户。按名称查找。最多返回十个用户。', 14)).toBe('查找用户。按名称查找。 …');
  });

  it('is cut between words if its first sentence is too long', () => {
    expect(shortenText('This single sentence has many words in it', 20)).toBe('This single…');
  });

  it('fits, begins like the original, and does not cut a word in two', () => {
    const word = fc.stringMatching(/^[a-z]{1,12}$/);
    const sentence = fc.array(word, { minLength: 1, maxLength: 9 }).map((words) => `${words.join(' ')}.`);
    fc.assert(
      fc.property(
        fc.array(sentence, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 40, max: 300 }),
        (sentences, limit) => {
          const text = sentences.join(' ');
          const short = shortenText(text, limit);
          expect(short.length).toBeLessThanOrEqual(limit);
          if (text.length <= limit) expect(short).toBe(text);
          else {
            const head = short.replace(/ ?…$/, '');
            expect(text.startsWith(head)).toBe(true);
            expect(text.charAt(head.length)).toMatch(/^[\s.]?$/);
          }
        },
      ),
    );
  });
});
