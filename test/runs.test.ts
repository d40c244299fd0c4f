import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../', import.meta.url);

/** The files of these folders with this end, relative to the repository. */
const filesIn = (folders: readonly string[], end: string): string[] =>
  folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith(end) && !file.includes('node_modules'))
      .map((file) => folder + file),
  );
const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');

it('tests with more cases in the slow suite are in files that the slow suite runs', () => {
  const drawing = filesIn(['packages/', 'test/'], '.test.ts').filter((file) =>
    /\/runs\.js'/.test(textOf(file)),
  );
  expect(drawing.length).toBeGreaterThan(40);
  expect(drawing.filter((file) => !file.endsWith('.properties.test.ts'))).toEqual([]);
});

it.each(['vitest.config.ts', 'vitest.slow.config.ts'])('%s names test files that exist', (config) => {
  const named = [...textOf(config).matchAll(/'([\w/.-]+\.test\.ts)'/g)].map(([, file = '']) => file);
  expect(named.length).toBeGreaterThan(4);
  expect(named.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
});

it('modules that test files share have no hooks, which would run for the first of these files alone', () => {
  const shared = filesIn(['packages/', 'test/', 'examples/'], '.ts').filter(
    (file) => !file.endsWith('.test.ts') && textOf(file).includes("from 'vitest'"),
  );
  expect(shared.length).toBeGreaterThan(20);
  expect(shared.filter((file) => /^(?:after|before)(?:All|Each)\(/m.test(textOf(file)))).toEqual([]);
});
