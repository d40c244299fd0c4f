import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);

it('tests with more cases in the slow suite are in files that the slow suite runs', () => {
  const files = ['packages/', 'test/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
      .map((file) => folder + file),
  );
  const drawing = files.filter((file) => /\/runs\.js'/.test(readFileSync(new URL(file, root), 'utf8')));
  expect(drawing.length).toBeGreaterThan(40);
  expect(drawing.filter((file) => !file.endsWith('.properties.test.ts'))).toEqual([]);
});
