import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { measureAcceptance, writeAcceptance } from '../scripts/docs-acceptance.js';

const measured = await measureAcceptance();

describe.each(measured)('the $tools tools of $name', ({ tools, profiles }) => {
  it.each(profiles)('are all accepted by $profile after they are lowered', ({ after, violations }) => {
    expect(violations).toEqual([]);
    expect(after).toBe(tools);
  });
});

it('compares lists of which clients reject some tools before', () => {
  const rejected = measured.flatMap(({ profiles, tools }) => profiles.filter(({ before }) => before < tools));
  expect(rejected.length).toBeGreaterThan(measured.length);
});

it('is the table of docs/guides/check-a-surface.md; otherwise run `npm run docs`', () => {
  const page = readFileSync(new URL('../docs/guides/check-a-surface.md', import.meta.url), 'utf8');
  expect(page).toContain(`<!-- acceptance -->\n${writeAcceptance(measured)}\n`);
});
