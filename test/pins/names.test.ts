import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { entriesOf, exportsOf, manifestOf, packages } from './package-sources.js';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The table rows of the page: name, kind, entry point, and the file that holds it. */
const rows = [
  ...read('docs/reference/names.md').matchAll(/^\| `([^`]+)` \| (\w+) \| (.*?) ?\| (.+) \|$/gm),
].map(([, name = '', kind = '', entry = '', place = '']) => ({ name, kind, entry, place }));

/** The names of values and types that each entry point exports, by the path that authors import. */
const exportsByEntry = packages
  .flatMap((folder) => entriesOf(manifestOf(folder)))
  .filter(({ subpath }) => subpath !== './internal')
  .map(({ name, source }) => {
    // `toolfold/errors` exports the errors that are defined in another package.
    const file = name === 'toolfold/errors' ? 'packages/schema/src/errors.ts' : source;
    return {
      name,
      names: new Set(exportsOf(file).flatMap(({ entries }) => entries.map((each) => each.name))),
    };
  });

it('docs/reference/names.md points at files that exist', () => {
  expect(rows.length).toBeGreaterThan(170);
  for (const { name, place } of rows) {
    const [, file = ''] = /`((?:packages|docs|test)\/[^`]+)`/.exec(place) ?? [];
    expect(existsSync(new URL(file, root)), `${name}: ${file}`).toBe(true);
  }
});

it('docs/reference/names.md names the entry points that export each name', () => {
  for (const { name, kind, entry } of rows) {
    const actual = exportsByEntry.filter(({ names }) => names.has(name)).map((each) => `\`${each.name}\``);
    // Authors who have the framework need not install the package below it for a name that both export.
    const own = actual.filter((each) => each.startsWith('`toolfold'));
    if (kind === 'exported') expect((own.length > 0 ? own : actual).join(', '), name).toBe(entry);
    else expect(entry, name).toBe('');
  }
});
