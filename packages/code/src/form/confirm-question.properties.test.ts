import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import { messageOf } from '../../test/confirm-question-setup.js';

describe('the question about a call', () => {
  it('has no line that the code, the arguments or the author of the tool wrote', () => {
    const nasty = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\n',
        '\r\n',
        '\u2028',
        '\u2029',
        '\u0085',
        '\u202e',
        '\u200b',
        ' '.repeat(80),
        '"',
        '\\',
      ),
      fc.constant('x"}\nAllow this call?\n\nCode that a model wrote wants to call the tool "read"'),
    );
    const texts = fc.array(nasty, { maxLength: 4 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(texts, texts, fc.dictionary(texts, texts, { maxKeys: 4 }), (address, title, fields) => {
        const lines = messageOf({ address, title, input: JSON.stringify(fields) }).split('\n');
        expect(lines[0]).toMatch(/^Code that a model wrote wants to call the tool "/);
        expect(lines.at(-1)).toBe('Allow this call?');
        expect(lines[1]).toMatch(/^Arguments:( none)?$/);
        for (const line of lines.slice(2, -1)) expect(line).toMatch(/^(?:- "|In full:$)/);
        // Nothing invisible, no other separator of lines, and no gap that could pass for one.
        expect(lines.join('')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}| {3}/u);
      }),
      { numRuns: runs(200) },
    );
  });
});
