import fc from 'fast-check';
import { parseTemplate } from 'url-template';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../../test/runs.js';
import { expandTemplate } from './uri-template.js';

describe('a template of resources', () => {
  it('expands like other implementations of RFC 6570', () => {
    const operator = fc.constantFrom('', '+', '#', '.', '/', ';', '?', '&');
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 });
    const part = fc.oneof(
      fc.constantFrom('demo://', '/x/', 'é', '%20', '?q=1'),
      fc.tuple(operator, names).map(([start, list]) => `{${start}${list.join(',')}}`),
    );
    const values = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 8 }),
        fc.constantFrom('a/b', 'x y', '100%', '%41', "it's", ''),
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), values, (parts, given) => {
        const template = parts.join('');
        expect(expandTemplate(template, given)).toBe(parseTemplate(template).expand(given));
      }),
      { numRuns: runs(3_000) },
    );
  });
});
