import { describe, expect, it } from 'vitest';
import { exportsOf, packages, siblingOf, sources } from './package-sources.js';
import type { PackageFolder } from './package-sources.js';

const nameOf = (folder: PackageFolder): string => (folder === 'toolfold' ? folder : `@toolfold/${folder}`);
const internals = packages
  .filter((folder) => sources.some(({ path }) => path === `packages/${folder}/src/internal.ts`))
  .map((folder) => ({
    entry: `${nameOf(folder)}/internal`,
    folder,
    statements: exportsOf(`packages/${folder}/src/internal.ts`).map(({ entries, reason }) => ({
      names: entries.map(({ name }) => name),
      reason,
    })),
  }));

/** The names that sources of other packages import from the internal entry point of a package. */
function importedFrom(folder: PackageFolder): ReadonlySet<string> {
  return new Set(
    sources
      .filter((source) => source.folder !== folder)
      .flatMap((source) => source.imports)
      .filter(({ from }) => {
        const sibling = siblingOf(from);
        return sibling?.folder === folder && sibling.entry === 'internal';
      })
      .flatMap(({ names }) => names),
  );
}

it('finds the internal entry points', () => {
  expect(internals.map(({ folder }) => folder)).toEqual([
    'schema',
    'profiles',
    'toolfold',
    'search',
    'code',
    'gateway',
    'testing',
    'analysis',
    'devtools',
  ]);
});

describe.each(internals)('$entry', ({ folder, statements }) => {
  it('gives one sentence of reason for each export', () => {
    const without = statements
      .filter(({ reason }) => !/^[A-Z`][^.]{20,}(?:\.\w[^.]*)*\.$/.test(reason))
      .map(({ names, reason }) => `${names.join(', ')}: ${reason}`);
    expect(without).toEqual([]);
    const reasons = statements.map(({ reason }) => reason);
    expect(reasons.filter((reason, at) => reasons.indexOf(reason) !== at)).toEqual([]);
  });

  it('exports only names that another package imports', () => {
    const imported = importedFrom(folder);
    const unused = statements.flatMap(({ names }) => names).filter((name) => !imported.has(name));
    expect(unused).toEqual([]);
  });

  it('exports no name that users can import from the package', () => {
    const all = new Set(
      exportsOf(`packages/${folder}/src/index.ts`).flatMap(({ entries }) => entries.map(({ name }) => name)),
    );
    expect(statements.flatMap(({ names }) => names).filter((name) => all.has(name))).toEqual([]);
  });
});
