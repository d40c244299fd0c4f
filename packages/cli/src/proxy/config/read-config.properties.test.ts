import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/runs.js';
import { readTemplate, fillTemplate } from './template.js';

describe('a template', () => {
  it('keeps every text without variables, and never evaluates a value again', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, value) => {
        const options = { place: 'x', env: { V: value }, takesSession: true };
        const plain = text.replaceAll('${', '$${');
        expect(fillTemplate(readTemplate(plain, options), {}, 's')).toBe(text);
        expect(fillTemplate(readTemplate('<${V}>', options), {}, 's')).toBe(`<${value}>`);
      }),
      { numRuns: runs(500) },
    );
  });
});
