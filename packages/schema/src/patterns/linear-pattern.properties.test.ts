import fc from 'fast-check';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toLinearPattern } from './linear-pattern.js';
import { loadLinearPatterns } from './patterns.js';
import { renewPatternSteps } from './pattern.js';
import { runs } from '../../../../test/runs.js';

beforeAll(() => loadLinearPatterns());
beforeEach(() => renewPatternSteps());

const atoms =
  String.raw`a b . \d \w \W \s \S [ab] [^a] [a-c\-] [] [^] [\]b] - é 😀 \u{1F600} \ud83d\ude00 \u0061 \x62 \cJ
  \0 \. \/ \p{L} \P{Lu} [\p{Script=Greek}\d] [😀-😂] [\b] ^ $ \b \B`.split(/\s+/);
const atom = fc.constantFrom(...atoms);
const { pattern } = fc.letrec<{ pattern: string; sequence: string; term: string }>((tie) => ({
  pattern: fc.array(tie('sequence'), { minLength: 1, maxLength: 3 }).map((options) => options.join('|')),
  sequence: fc.array(tie('term'), { maxLength: 4 }).map((parts) => parts.join('')),
  term: fc.oneof(
    { depthSize: 'small' },
    fc
      .tuple(atom, fc.constantFrom('', '*', '+', '?', '*?', '{2}', '{1,2}', '{1,}', '{0}'))
      .map(([part, quantifier]) => (/^(?:[\^$]|\\[bB])$/.test(part) ? part : part + quantifier)),
    fc
      .tuple(
        fc.constantFrom('(', '(?:', '(?<n>'),
        tie('pattern'),
        fc.constantFrom('', '*', '+?', '{2}', '{0,2}'),
      )
      .map(([open, part, quantifier]) => `${open}${part})${quantifier}`),
    fc
      .tuple(fc.constantFrom('(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
      .map(([open, part]) => `${open}${part})`),
  ),
}));
const text = fc
  .array(
    fc.constantFrom('a', 'b', 'c', 'A', 'é', '😀', '\ud83d', 'λ', '1', '_', '-', ' ', '\n', '\u2028', ']'),
    {
      maxLength: 7,
    },
  )
  .map((characters) => characters.join(''));

const isValid = (source: string): boolean => {
  try {
    return Boolean(new RegExp(source, 'u'));
  } catch {
    return false;
  }
};

/** Matches at each code point. An ordinary search of V8 also tests `\B` between the halves of a surrogate pair. */
const matchesSomewhere = (native: RegExp, text: string): boolean => {
  let at = 0;
  for (const character of [...text, '']) {
    native.lastIndex = at;
    if (native.test(text)) return true;
    at += character.length;
  }
  return false;
};

describe('a linear pattern', () => {
  it('returns the same as RegExp, for any pattern and text', () => {
    fc.assert(
      fc.property(
        pattern.filter(isValid),
        fc.array(text, { minLength: 1, maxLength: 5 }),
        (source, texts) => {
          renewPatternSteps();
          const linear = toLinearPattern(source);
          const native = new RegExp(source, 'uy');
          for (const each of texts)
            expect([each, linear.test(each)]).toEqual([each, matchesSomewhere(native, each)]);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });
});
