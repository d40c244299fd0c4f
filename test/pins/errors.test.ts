import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { errorTable } from 'toolfold/errors';

it('docs/reference/errors.md has the rows of the error table, in its order', () => {
  const page = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)].map(([, code, audience, when]) => [
    code,
    audience,
    when,
  ]);
  expect(rows).toEqual(
    Object.entries(errorTable).map(([code, { audience, when }]) => [code, audience, when]),
  );
});
