/** docs/guides/secure.md names a test or an example for each of its claims. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const guide = new URL('../../docs/guides/secure.md', import.meta.url);
const tables = readFileSync(guide, 'utf8').split('## Rejected by default')[1] ?? '';
const rows = [...tables.matchAll(/^\| (.*) \| (.*) \|$/gm)]
  .map(([, what = '', shownBy = '']) => ({ what, shownBy }))
  .filter(({ shownBy }) => shownBy !== 'shown by');

describe('the check list of docs/guides/secure.md', () => {
  it('has 49 lines', () => {
    expect(rows).toHaveLength(49);
  });

  it.each(rows)('$what', ({ shownBy }) => {
    const links = [...shownBy.matchAll(/\]\(([^)#]+)[^)]*\)(?:: "([^"]+)")?/g)];
    expect(links).not.toHaveLength(0);
    for (const [, file = '', title] of links) {
      const path = new URL(file, guide);
      expect(existsSync(path), file).toBe(true);
      // The formatter may write a long title on a line of its own.
      const text = readFileSync(path, 'utf8').replaceAll(/\(\s+'/g, "('");
      if (title !== undefined) expect(text).toContain(`('${title}'`);
    }
  });
});
