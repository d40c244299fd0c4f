import { describe, expect, it } from 'vitest';
import { describeCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';

describe('describeCuts', () => {
  const cut: Cut = { path: ['items'], kept: 20, of: 400, unit: 'items' };

  it('names the cuts and the fields that narrow the call', () => {
    const names = ['projectId', 'limit', 'pageToken', 'createdSince', 'searchQuery', 'fields', 'accessToken'];
    expect(describeCuts([cut], names)).toBe(
      'Cut to fit the output limit: items (first 20 of 400 items). To see the rest, ' +
        'page with limit, pageToken; filter with createdSince, searchQuery; choose with fields.',
    );
  });

  it('advises to ask for less if no field narrows the call', () => {
    expect(describeCuts([{ ...cut, path: [], kept: 0, of: 9, unit: 'characters' }], ['id'])).toBe(
      'Cut to fit the output limit: the result (none of 9 characters). To see the rest, ask for less at once.',
    );
    expect(describeCuts([], ['limit'])).toBe('');
  });

  it('stays one short line for long keys with line breaks', () => {
    const path = ['rows', 3, `a\nb\u2028c ${'x'.repeat(500)}`];
    const text = describeCuts(
      Array.from({ length: 40 }, () => ({ ...cut, path })),
      ['limit'.repeat(300)],
    );
    expect(text).toContain('rows[3].a b c xxx');
    expect(text).toContain('and 37 more');
    expect(text).not.toMatch(/[\n\u2028]/);
    expect(text.length).toBeLessThan(500);
  });
});
