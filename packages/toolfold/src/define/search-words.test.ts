import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidTool } from '@toolfold/schema/errors';
import { readDefinition } from './read-definition.js';
import { copySearchWords, findSearchProblem } from './search-words.js';
import type { AnyToolDefinition } from './tool-definition.js';

const define = (search: unknown): AnyToolDefinition =>
  ({ name: 'pay', description: 'Pays', inputSchema: {}, search, handler: () => 'paid' }) as AnyToolDefinition;

describe('search words of a definition', () => {
  it('are copied, trimmed and frozen', () => {
    const keywords = [' settle ', 'remit', 'remit'];
    const { search } = readDefinition(define({ keywords, examples: ['send money to a friend'] }));
    keywords.push('later');
    expect(search).toEqual({ keywords: ['settle', 'remit'], examples: ['send money to a friend'] });
    expect(
      Object.isFrozen(search) && Object.isFrozen(search?.keywords) && Object.isFrozen(search?.examples),
    ).toBe(true);
  });

  it('are left out if none is given', () => {
    expect(readDefinition(define(undefined)).search).toBeUndefined();
    expect(readDefinition(define({})).search).toBeUndefined();
    expect(readDefinition(define({ keywords: [], examples: undefined })).search).toBeUndefined();
  });

  it.each<[string, unknown, string]>([
    ['a list', ['settle'], 'search must be { keywords, examples }, but is a list.'],
    ['nothing', null, 'search must be { keywords, examples }, but is null.'],
    ['a misspelt field', { keyword: ['a'] }, 'search has no field "keyword". Did you mean "keywords"?'],
    ['the field __proto__', JSON.parse('{"__proto__":["a"]}'), 'search has no field "__proto__".'],
    ['one text', { keywords: 'settle' }, 'search.keywords must be a list of text, but is text.'],
    ['a number', { keywords: ['a', 1] }, 'search.keywords[1] must be text, but is 1.'],
    ['an empty text', { examples: [' '] }, 'search.examples[0] must be text, but is text of spaces.'],
    ['a hole', { keywords: [, 'a'] }, 'search.keywords[0] must be text, but is undefined.'],
    [
      'a long keyword',
      { keywords: ['a'.repeat(65)] },
      'search.keywords[0] must have at most 64 characters, but has 65.',
    ],
    [
      'a long example',
      { examples: ['a'.repeat(257)] },
      'search.examples[0] must have at most 256 characters, but has 257.',
    ],
    [
      'many keywords',
      { keywords: Array.from({ length: 65 }, String) },
      'search.keywords must have at most 64 texts, but has 65.',
    ],
    [
      'many examples',
      { examples: Array.from({ length: 17 }, String) },
      'search.examples must have at most 16 texts, but has 17.',
    ],
    [
      'a line break',
      { keywords: ['a\nb'] },
      'search.keywords[0] must be one line of text without control characters.',
    ],
    [
      'half a character',
      { keywords: ['a\ud800'] },
      'search.keywords[0] must be one line of text without control characters.',
    ],
  ])('cannot be %s', (_, search, message) => {
    expect(() => readDefinition(define(search))).toThrow(
      new ErrInvalidTool(`Tool "pay": ${message}`, {
        hint: "Write search: { keywords: ['…'], examples: ['…'] }.",
        details: { field: 'search' },
      }),
    );
  });

  it('are checked without throwing, whatever they are', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withSparseArray: true }), (words) => {
        const problem = findSearchProblem(words);
        expect(problem === undefined || /[.?]$/.test(problem)).toBe(true);
        if (problem === undefined) expect(() => copySearchWords(words as object)).not.toThrow();
      }),
    );
  });
});
