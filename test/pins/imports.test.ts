import { readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifestOf, packages, readText, siblingOf, sources, targetOf } from './package-sources.js';
import type { Import, Manifest, SourceFile } from './package-sources.js';

/** From the ground up: a folder of the framework may import only from the folders before it, and types count too. */
const floors = [
  'runtime',
  'values',
  'protocol',
  'model',
  'callers',
  'stores',
  'guards',
  'define',
  'compile',
  'questions',
  'engine',
  'build',
  'views',
  'tasks',
  'registry',
  'toolsets',
  'serve',
];
/** The only entry point that defines what it exports. */
const errorClasses = 'packages/schema/src/errors.ts';
/** The floors of `@toolfold/schema` that know no schema. Its other folders may import each other. */
const groundOfSchema = ['runtime', 'errors.ts', 'values'];
/** These may import values of an MCP SDK. */
const sdkFolders =
  /^packages\/(?:toolfold\/src\/serve|gateway\/src|testing\/src|devtools\/src|devtools\/page\/src|cli\/src)\//;
/** These may need Node; the rest runs anywhere. */
const nodeFolders =
  /^packages\/(?:toolfold\/src\/serve|gateway\/src|redis\/src|testing\/src|analysis\/src|devtools\/src|cli\/src)\//;
/** These entry points run in a worker without Node compatibility. */
const portableEntryPoints = [
  'schema/src/index.ts',
  'schema/src/errors.ts',
  'schema/src/internal.ts',
  'profiles/src/index.ts',
  'profiles/src/internal.ts',
  'toolfold/src/index.ts',
  'toolfold/src/errors.ts',
  'toolfold/src/internal.ts',
  'toolfold/src/model.ts',
  'toolfold/src/web.ts',
  'search/src/index.ts',
  'search/src/internal.ts',
  'code/src/index.ts',
  'code/src/internal.ts',
  'openapi/src/index.ts',
].map((file) => `packages/${file}`);

/** The forms of packages above the framework, which it imports when a server first offers them, and only then. */
const loadedForms: Readonly<Record<string, readonly string[]>> = {
  'packages/toolfold/src/toolsets/forms/load-form.ts': ['@toolfold/search', '@toolfold/code'],
};
/** Dependencies that no source imports. */
const notImported: Readonly<Record<string, string>> = {
  'toolfold: @toolfold/cli': 'bin/toolfold.js starts it',
  'create-toolfold: @toolfold/cli': 'main.js starts it',
  'devtools: quickjs-wasi': 'its server checks that the package is installed',
  'cli: @toolfold/code': '`--form code` lets the framework load it',
  'cli: @modelcontextprotocol/server': 'the commands that serve check that it is installed',
  'cli: @opentelemetry/api': '`toolfold proxy --otel` checks that it is installed',
  'cli: tsx': 'the commands start programs in TypeScript with it',
};

const imports = sources.flatMap((source) => source.imports);
const sourceOf = new Map(sources.map((source) => [source.path, source]));
const isPage = (path: string): boolean => path.startsWith('packages/devtools/page/');
const show = ({ file, from }: Import): string => `${file} -> ${from}`;
const isLoadedForm = ({ file, from, isDynamic }: Import): boolean =>
  isDynamic && loadedForms[file]?.includes(from) === true;
const folderOf = (path: string): string => path.split('/')[1] ?? '';
/** The folder of a package in which a file lies, or the file itself. */
const floorOf = (path: string): string => path.split('/')[3] ?? '';
const manifests = new Map<string, Manifest>(packages.map((folder) => [folder, manifestOf(folder)]));
const entryPoints = new Set(
  packages.flatMap((folder) =>
    Object.values(manifestOf(folder).exports ?? {}).map((target) =>
      toSource(folder, typeof target === 'string' ? target : target.default),
    ),
  ),
);

/** The source of a file in the `dist` of a package. */
function toSource(folder: string, built: string): string {
  return `packages/${folder}/${built.replace('./dist/', 'src/').replace(/\.js$/, '.ts')}`;
}

/** The name of the package of an import; `undefined` for files, modules of Node and mapped names. */
function packageOf({ from }: Import): string | undefined {
  return /^(?:\.|#|node:)/.test(from) ? undefined : /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0];
}

/** Groups of files that import each other, directly or through others (Tarjan's algorithm). */
function findCycles(): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    lowest.set(path, index);
    stack.push(path);
    for (const found of sourceOf.get(path)?.imports ?? []) {
      const target = targetOf(found);
      if (target === undefined || !sourceOf.has(target) || isLoadedForm(found)) continue;
      if (order.has(target) && !stack.includes(target)) continue;
      const reached = order.has(target) ? (order.get(target) ?? 0) : visit(target);
      lowest.set(path, Math.min(lowest.get(path) ?? index, reached));
    }
    if (lowest.get(path) === index) {
      const cycle = stack.splice(stack.indexOf(path));
      if (cycle.length > 1) cycles.push(cycle.toSorted());
    }
    return lowest.get(path) ?? index;
  };
  for (const { path } of sources) if (!order.has(path) && !isPage(path)) visit(path);
  return cycles.toSorted();
}

/** The files that a program loads with these entry points in a runtime without Node. */
function reachedFrom(entries: readonly string[]): readonly SourceFile[] {
  const reached = new Set(entries);
  for (const path of reached)
    for (const found of sourceOf.get(path)?.imports ?? []) {
      const target = portableTargetOf(found);
      if (target !== undefined && !found.isType && !isLoadedForm(found)) reached.add(target);
    }
  return [...reached].map((path) => {
    const source = sourceOf.get(path);
    if (!source) throw new Error(`${path} is imported, but it is not among the sources.`);
    return source;
  });
}

function portableTargetOf(found: Import): string | undefined {
  const folder = folderOf(found.file);
  const mapped = manifests.get(folder)?.imports?.[found.from];
  return mapped ? toSource(folder, mapped.default) : targetOf(found);
}

describe('the import rule of packages', () => {
  it('reads all sources', () => {
    expect(sources.length).toBeGreaterThan(800);
    expect(imports.length).toBeGreaterThan(5_000);
    expect(packages.filter((name) => !sources.some(({ folder }) => folder === name))).toEqual([
      'create-toolfold',
    ]);
  });

  it('knows every package', () => {
    expect(readdirSync(new URL('../../packages', import.meta.url)).toSorted()).toEqual(packages.toSorted());
  });

  it('lets a package import only packages below it, so that the model needs no engine [S000-01]', () => {
    const wrong = sources.flatMap(({ folder, imports: list }) =>
      list.filter((found) => {
        const sibling = siblingOf(found.from);
        return sibling && packages.indexOf(sibling.folder) >= packages.indexOf(folder);
      }),
    );
    expect(wrong.map(show)).toEqual(
      Object.entries(loadedForms).flatMap(([file, list]) => list.map((from) => `${file} -> ${from}`)),
    );
    expect(wrong.every(isLoadedForm)).toBe(true);
  });

  it('lets a package import other packages only by name', () => {
    const wrong = imports.filter(
      ({ file, from }) =>
        from.startsWith('.') &&
        !posix.join(posix.dirname(file), from).startsWith(`packages/${folderOf(file)}/`),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it.each(packages)('lets %s depend only on packages below it', (folder) => {
    const { dependencies, devDependencies } = manifestOf(folder);
    const wrong = Object.keys({ ...dependencies, ...devDependencies }).filter((name) => {
      const sibling = siblingOf(name);
      return sibling && packages.indexOf(sibling.folder) >= packages.indexOf(folder);
    });
    expect(wrong).toEqual([]);
  });

  it.each(packages)('lets %s declare what it imports, and nothing else', (folder) => {
    const { dependencies, peerDependencies, devDependencies } = manifestOf(folder);
    // Packages in `devDependencies` are inlined, and types have no values to install.
    const declared = new Set(Object.keys({ ...dependencies, ...peerDependencies, ...devDependencies }));
    const used = new Set(
      sources
        .filter((source) => source.folder === folder && !isPage(source.path))
        .flatMap((source) => source.imports)
        .flatMap((found) => packageOf(found) ?? []),
    );
    expect([...used].filter((name) => !declared.has(name))).toEqual([]);
    const unused = [...declared].filter((name) => !used.has(name)).map((name) => `${folder}: ${name}`);
    expect(unused).toEqual(Object.keys(notImported).filter((key) => key.startsWith(`${folder}: `)));
  });

  it('lets the page import what the workspace installs or its package declares, because it is bundled', () => {
    const { devDependencies } = JSON.parse(readText('package.json')) as { devDependencies: object };
    const declared = new Set(Object.keys({ ...devDependencies, ...manifestOf('devtools').dependencies }));
    const used = new Set(
      imports.filter(({ file }) => isPage(file)).flatMap((found) => packageOf(found) ?? []),
    );
    expect([...used].filter((name) => !declared.has(name))).toEqual([]);
  });

  it('lets no file import an entry point of its own package', () => {
    const wrong = imports.filter((found) => {
      const target = targetOf(found);
      return (
        target !== undefined &&
        target !== errorClasses &&
        entryPoints.has(target) &&
        folderOf(target) === folderOf(found.file)
      );
    });
    expect(wrong.map(show)).toEqual([]);
  });
});

describe('the import rule of files', () => {
  const framework = sources.filter(({ folder }) => folder === 'toolfold');

  it('knows every folder of the framework, and lists only folders that exist', () => {
    const found = new Set(
      framework.filter(({ path }) => !entryPoints.has(path)).map(({ path }) => floorOf(path)),
    );
    expect([...found].toSorted()).toEqual(floors.toSorted());
  });

  it('lets a folder of the framework import only from those below it', () => {
    const wrong = framework
      .filter(({ path }) => !entryPoints.has(path))
      .flatMap(({ imports: list }) => list)
      .filter((found) => {
        const target = found.from.startsWith('.') ? targetOf(found) : undefined;
        return target !== undefined && floors.indexOf(floorOf(target)) > floors.indexOf(floorOf(found.file));
      });
    expect(wrong.map(show)).toEqual([]);
  });

  it('keeps errors and values free of schemas', () => {
    const ground = sources.filter(
      ({ folder, path }) => folder === 'schema' && groundOfSchema.includes(floorOf(path)),
    );
    expect(ground.length).toBeGreaterThan(8);
    const wrong = ground
      .flatMap(({ imports: list }) => list)
      .filter((found) => {
        const target = targetOf(found);
        if (target === undefined) return false;
        const floor = groundOfSchema.indexOf(floorOf(target));
        return floor === -1 || floor > groundOfSchema.indexOf(floorOf(found.file));
      });
    expect(wrong.map(show)).toEqual([]);
  });

  // The components of the page's forms render each other, as do the schemas that they show.
  it('has no cycles among files, including type imports', () => {
    expect(findCycles().map((cycle) => cycle.join(' '))).toEqual([]);
  });

  it('keeps at most 16 source files in a folder', () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) {
      const folder = posix.dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect([...counts].filter(([, count]) => count > 16)).toEqual([]);
  });

  it('keeps the values of MCP SDKs at the edge', () => {
    const wrong = imports.filter(
      ({ file, from, isType }) =>
        !isType && from.startsWith('@modelcontextprotocol/') && !sdkFolders.test(file),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('keeps Node modules out of portable code, except for the files that replace them', () => {
    const stands = new Set(
      packages.flatMap((folder) =>
        Object.values(manifestOf(folder).imports ?? {}).flatMap(({ require = '', node }) => [
          toSource(folder, require),
          toSource(folder, node),
        ]),
      ),
    );
    // The program of a thread, which no other file imports.
    stands.add('packages/code/src/sandbox/threads/code-thread-program.ts');
    stands.add('packages/code/src/sandbox/threads/thread-cpu.ts');
    const wrong = imports.filter(
      ({ file, from }) => from.startsWith('node:') && !nodeFolders.test(file) && !stands.has(file),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('lets the portable entry points reach no module of Node, so that they load in a worker without it', () => {
    const reached = reachedFrom(portableEntryPoints);
    expect(reached.length).toBeGreaterThan(350);
    const wrong = reached
      .flatMap(({ imports: list }) => list)
      .filter(({ from, isType }) => !isType && from.startsWith('node:'));
    expect(wrong.map(show)).toEqual([]);
    const globals = reached.filter(({ text }) =>
      /\b(?:Buffer[.(]|process\.[a-z]|require\(|__dirname)|(?<!typeof setImmediate === 'function'\) )\bsetImmediate\(/.test(
        text.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, ''),
      ),
    );
    expect(globals.map(({ path }) => path)).toEqual([]);
  });

  it.each(packages)(
    'maps the `#` imports of %s to modules of Node, dependencies or files for Node, and elsewhere to files of the package',
    (folder) => {
      const { imports: mapped = {}, dependencies = {} } = manifestOf(folder);
      const used = sources
        .filter((source) => source.folder === folder)
        .flatMap((source) => source.imports)
        .flatMap(({ from }) => (from.startsWith('#') ? [from] : []));
      expect(Object.keys(mapped)).toEqual([...new Set(used)].toSorted());
      for (const { require, node, default: portable } of Object.values(mapped)) {
        // Node cannot require a name that is mapped to a built-in module.
        if (isBuiltin(node)) expect(sourceOf.has(toSource(folder, require ?? ''))).toBe(true);
        const isDependency = Object.hasOwn(dependencies, node.split('/')[0] ?? '');
        expect(isBuiltin(node) || isDependency || sourceOf.has(toSource(folder, node))).toBe(true);
        expect(sourceOf.has(toSource(folder, portable))).toBe(true);
      }
    },
  );

  it('keeps Node globals out of portable code', () => {
    const users = sources.filter(
      ({ path, text }) =>
        !nodeFolders.test(path) &&
        /\b(?:Buffer[.(]|process\.[a-z]|setImmediate\(|require\(|__dirname)/.test(text),
    );
    expect(users.map(({ path }) => path)).toEqual([]);
  });
});
