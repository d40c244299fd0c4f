import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

interface Row {
  readonly name: string;
  readonly kind: string;
  readonly place: string;
}

const page = readFileSync(new URL('../../docs/reference/names.md', import.meta.url), 'utf8');
const rows: Row[] = [...page.matchAll(/^\| `([^`]+)` \| (\w+) \| (.+) \|$/gm)].map(
  ([, name = '', kind = '', place = '']) => ({ name, kind, place }),
);

it('docs/reference/names.md points at files that are there', () => {
  expect(rows.length).toBeGreaterThan(80);
  for (const { name, place } of rows) {
    const [, file = ''] = /`((?:src|docs|test)\/[^`]+)`/.exec(place) ?? [];
    expect(existsSync(new URL(`../../${file}`, import.meta.url)), `${name}: ${file}`).toBe(true);
  }
});

it('docs/reference/names.md calls exported what the package exports', () => {
  const entries = ['index', 'errors', 'model', 'web', 'node', 'redis', 'otel', 'search']
    .map((entry) => readFileSync(new URL(`../../src/${entry}.ts`, import.meta.url), 'utf8'))
    .join('\n');
  for (const { name } of rows.filter(({ kind }) => kind === 'exported')) {
    expect(new RegExp(`\\b${name}\\b`).test(entries), name).toBe(true);
  }
});
