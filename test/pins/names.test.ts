import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The table rows of the page: name, kind, entry point, and the file that holds it. */
const rows = [
  ...read('docs/reference/names.md').matchAll(/^\| `([^`]+)` \| (\w+) \| (.*?) ?\| (.+) \|$/gm),
].map(([, name = '', kind = '', entry = '', place = '']) => ({ name, kind, entry, place }));

/** The names of values and types that an entry point exports, by the path that authors import. */
const exportsOf = new Map(
  [
    'index',
    'client',
    'errors',
    'lexicon',
    'model',
    'web',
    'node',
    'openapi',
    'redis',
    'otel',
    'profiles',
    'search',
    'testing',
  ].map((file) => {
    const source = read(`src/${file}.ts`);
    const listed = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim()),
    );
    const declared = [
      ...source.matchAll(/^export (?:abstract )?(?:class|const|function|type|interface) (\w+)/gm),
    ];
    const path = file === 'index' ? 'toolfold' : `toolfold/${file}`;
    return [path, new Set([...listed, ...declared.map(([, name = '']) => name)])] as const;
  }),
);

it('docs/reference/names.md points at files that exist', () => {
  expect(rows.length).toBeGreaterThan(170);
  for (const { name, place } of rows) {
    const [, file = ''] = /`((?:src|docs|test)\/[^`]+)`/.exec(place) ?? [];
    expect(existsSync(new URL(file, root)), `${name}: ${file}`).toBe(true);
  }
});

it('docs/reference/names.md names the entry points that export each name', () => {
  for (const { name, kind, entry } of rows) {
    const actual = [...exportsOf].filter(([, names]) => names.has(name)).map(([path]) => `\`${path}\``);
    if (kind === 'exported') expect(actual.join(', '), name).toBe(entry);
    else expect(entry, name).toBe('');
  }
});
