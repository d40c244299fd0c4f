import { readFileSync, readdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, expect, it } from 'vitest';
import { inlined } from '../../rolldown.config.js';

/** From the ground up: a folder may import only from the folders before it, and types count too. */
const floors = [
  'runtime',
  'errors.ts',
  'values',
  'protocol',
  'model',
  'callers',
  'schema',
  'profiles',
  'stores',
  'guards',
  'define',
  'compile',
  'questions',
  'engine',
  'build',
  'openapi',
  'views',
  'tasks',
  'registry',
  'search',
  'code',
  'toolsets',
  'redis',
  'serve',
  'upstream',
  'client',
  'testing',
  'analysis',
  'devtools',
  'cli',
];
/** The entry points, which only programs import. */
const entryPoints = new Set([
  'index.ts',
  'client.ts',
  'code.ts',
  'devtools.ts',
  'lexicon.ts',
  'model.ts',
  'web.ts',
  'node.ts',
  'openapi.ts',
  'profiles.ts',
  'redis.ts',
  'otel.ts',
  'search.ts',
  'testing.ts',
]);
/** The command line and the page use the package like any other program, and are built apart from the other entry points. */
const programs = new Set(['analysis', 'devtools', 'cli']);
/** These may import values of an MCP SDK. */
const sdkFloors = new Set(['serve', 'upstream', 'client', 'testing', 'devtools', 'cli']);
/** These may need Node; the rest runs anywhere. */
const nodeFloors = new Set([
  'redis',
  'serve',
  'upstream',
  'client',
  'testing',
  'analysis',
  'devtools',
  'cli',
]);
/** These entry points run in a worker without Node compatibility. */
const portableEntryPoints = [
  'index.ts',
  'errors.ts',
  'lexicon.ts',
  'model.ts',
  'openapi.ts',
  'profiles.ts',
  'search.ts',
  'web.ts',
];

interface Import {
  readonly file: string;
  readonly from: string;
  readonly typeOnly: boolean;
}

const source = new URL('../../src/', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  dependencies: object;
  peerDependencies: object;
  imports: Record<string, { require?: string; node: string; default: string }>;
};
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /(?<!\.d|\.test)\.ts$/.test(file) && !entryPoints.has(file),
);
const importsOf = (file: string): Import[] =>
  [
    ...readFileSync(new URL(file, source), 'utf8').matchAll(
      /^(?:import|export) (type )?(?:[^;']*?from )?'([^']+)';|\bimport\('([^']+)'\)/gm,
    ),
  ].map(([, type, from, dynamic]) => ({ file, from: from ?? dynamic ?? '', typeOnly: type !== undefined }));
const imports: Import[] = files.flatMap(importsOf);
/** The source of a file in `dist`. */
const toSource = (file: string): string => file.replace('./dist/', '').replace(/\.js$/, '.ts');
const floorOf = (file: string): string => file.split('/')[0] ?? '';

/** The file of `src` that an import names; `undefined` for packages and entry points. */
function targetOf(file: string, from: string): string | undefined {
  if (!from.startsWith('.')) return undefined;
  const target = new URL(from, new URL(file, source)).href.slice(source.href.length).replace(/\.js$/, '.ts');
  return entryPoints.has(target) ? undefined : target;
}

/** Groups of files that import each other, directly or through others (Tarjan's algorithm). */
function findCycles(): string[][] {
  const targets = new Map<string, string[]>(files.map((file) => [file, []]));
  for (const { file, from } of imports) {
    const target = targetOf(file, from);
    if (target !== undefined) targets.get(file)?.push(target);
  }
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    lowest.set(file, index);
    stack.push(file);
    for (const target of targets.get(file) ?? []) {
      if (order.has(target) && !stack.includes(target)) continue;
      const reached = order.has(target) ? (order.get(target) ?? 0) : visit(target);
      lowest.set(file, Math.min(lowest.get(file) ?? index, reached));
    }
    if (lowest.get(file) === index) {
      const cycle = stack.splice(stack.indexOf(file));
      if (cycle.length > 1) cycles.push(cycle.toSorted());
    }
    return lowest.get(file) ?? index;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return cycles.toSorted();
}

describe('the import rule', () => {
  it('knows every folder', () => {
    expect([...new Set(files.map(floorOf))].filter((floor) => !floors.includes(floor))).toEqual([]);
    expect(imports.length).toBeGreaterThan(50);
  });

  it('lists only folders that exist', () => {
    expect(floors.filter((floor) => !files.some((file) => floorOf(file) === floor))).toEqual([]);
  });

  it('lets a folder import only from those below it, so that the model needs no engine [S000-01]', () => {
    const wrong = imports
      .map(({ file, from }) => ({ file, target: targetOf(file, from) }))
      .filter(
        ({ file, target }) =>
          target !== undefined && floors.indexOf(floorOf(target)) > floors.indexOf(floorOf(file)),
      )
      .map(({ file, target }) => `${file} -> ${target}`);
    expect(wrong).toEqual([]);
  });

  it('has no cycles among files, including type imports', () => {
    const cycles = findCycles().map((cycle) => cycle.join(' '));
    expect(cycles).toEqual([]);
  });

  it('keeps at most 16 source files in a folder', () => {
    const folders = new Map<string, number>();
    for (const file of files) {
      const folder = file.split('/').slice(0, -1).join('/');
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
    }
    expect([...folders].filter(([, count]) => count > 16)).toEqual([]);
  });

  it('keeps the values of MCP SDKs at the edge', () => {
    const wrong = imports.filter(
      ({ file, from, typeOnly }) =>
        !typeOnly && from.startsWith('@modelcontextprotocol/') && !sdkFloors.has(floorOf(file)),
    );
    expect(wrong).toEqual([]);
  });

  it('keeps Node modules out of portable code, except for the files that replace them', () => {
    const stands = new Set(
      Object.values(manifest.imports).flatMap(({ require = '', node }) => [
        toSource(require),
        toSource(node),
      ]),
    );
    // The program of a thread, which no other file imports.
    stands.add('code/sandbox/threads/code-thread.ts');
    stands.add('code/sandbox/threads/thread-cpu.ts');
    expect(
      imports.filter(
        ({ file, from }) => from.startsWith('node:') && !nodeFloors.has(floorOf(file)) && !stands.has(file),
      ),
    ).toEqual([]);
  });

  it('lets the portable entry points reach no module of Node, so that they load in a worker without it', () => {
    const reached = new Set(portableEntryPoints);
    for (const file of reached) {
      for (const { from, typeOnly } of importsOf(file)) {
        const target = targetOf(file, from);
        if (target !== undefined && !typeOnly) reached.add(target);
      }
    }
    expect(reached.size).toBeGreaterThan(150);
    const wrong = [...reached]
      .flatMap(importsOf)
      .filter(({ from, typeOnly }) => !typeOnly && from.startsWith('node:'));
    expect(wrong).toEqual([]);
    const globals = [...reached].filter((file) =>
      /\b(?:Buffer[.(]|process\.[a-z]|require\(|__dirname)|(?<!typeof setImmediate === 'function'\) )\bsetImmediate\(/.test(
        readFileSync(new URL(file, source), 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, ''),
      ),
    );
    expect(globals).toEqual([]);
  });

  it('maps `#` imports to modules of Node, dependencies or files for Node, and elsewhere to files of the package', () => {
    const mapped = Object.entries(manifest.imports);
    const used = new Set(imports.filter(({ from }) => from.startsWith('#')).map(({ from }) => from));
    expect(mapped.map(([name]) => name)).toEqual([...used].toSorted());
    for (const [, { require, node, default: portable }] of mapped) {
      // Node cannot require a name that is mapped to a built-in module.
      if (isBuiltin(node)) expect(files).toContain(toSource(require ?? ''));
      const isDependency = Object.hasOwn(manifest.dependencies, node.split('/')[0] ?? '');
      expect(isBuiltin(node) || isDependency || files.includes(toSource(node))).toBe(true);
      expect(files).toContain(toSource(portable));
    }
  });

  it('keeps Node globals out of portable code', () => {
    const users = files.filter(
      (file) =>
        !nodeFloors.has(floorOf(file)) &&
        /\b(?:Buffer[.(]|process\.[a-z]|setImmediate\(|require\(|__dirname)/.test(
          readFileSync(new URL(file, source), 'utf8'),
        ),
    );
    expect(users).toEqual([]);
  });

  it('lets no file import the index, or packages that are not declared', () => {
    const { dependencies, peerDependencies } = manifest;
    const declared = new Set([...Object.keys({ ...dependencies, ...peerDependencies }), ...inlined]);
    const packages = imports.map(({ from }) => from).filter((from) => !/^(?:\.|#|node:)/.test(from));
    const nameOf = (from: string): string =>
      from
        .split('/')
        .slice(0, from.startsWith('@') ? 2 : 1)
        .join('/');
    expect([...new Set(packages.map(nameOf))].filter((name) => !declared.has(name))).toEqual([]);
    const users = imports.filter(
      ({ file, from }) =>
        /^(?:\.\.?\/)+(?:code|index|model|web|node|openapi|redis|otel|search|testing)\.js$|^(?:\.\.\/)+lexicon\.js$/.test(
          from,
        ) && !programs.has(floorOf(file)),
    );
    expect(users).toEqual([]);
  });
});
