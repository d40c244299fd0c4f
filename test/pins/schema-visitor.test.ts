import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The sources of all packages and of the page, by path. */
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => !file.split(sep).some((part) => ['node_modules', 'dist', '.git'].includes(part)))
  .filter((file) => file.split(sep).includes('src') && /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

/** The files of which a line matches. */
function filesWith(pattern: RegExp): string[] {
  return sources.filter(([, text]) => pattern.test(text)).map(([file]) => file.replaceAll(sep, '/'));
}

it('reads all sources', () => {
  expect(sources.length).toBeGreaterThan(500);
});

it('escapes the keys of JSON pointers in one file', () => {
  expect(filesWith(/replaceAll\(\s*['"`]~|['"`]~[01]['"`]/)).toEqual([
    expect.stringMatching(/\/json-pointer\.ts$/),
  ]);
});

it.each([
  ['walkSchema', 'walk-schema'],
  ['typesOf', 'own-facts'],
])('defines %s once', (name, file) => {
  expect(filesWith(new RegExp(`(?:function\\*?|const) ${name}\\b`))).toEqual([
    expect.stringMatching(new RegExp(`/${file}\\.ts$`)),
  ]);
});
