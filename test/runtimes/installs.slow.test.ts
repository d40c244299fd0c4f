import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { INSTALL_MS, Project } from './project.js';
import { compilers, installRuntimes, programOf, skipped } from './runtimes.js';

const root = new URL('../../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const types = fileURLToPath(new URL('types/', import.meta.url));

/** The packages of the install command in the README. */
const [, packages = ''] = /^npm install (toolfold .+)$/m.exec(read('README.md')) ?? [];
const readmePackages = packages.split(' ');

/** The packages that export types, and their entry points. */
const typed = readdirSync(new URL('packages/', root)).flatMap((folder) => {
  const { name, exports = {} } = JSON.parse(read(`packages/${folder}/package.json`)) as {
    name: string;
    exports?: Readonly<Record<string, string | object>>;
  };
  const entries = Object.keys(exports).filter((entry) => typeof exports[entry] === 'object');
  return entries.length === 0 ? [] : [{ name, entries: entries.map((entry) => `${name}${entry.slice(1)}`) }];
});
/** Entry points that need an optional peer, which is not installed. */
const withPeers = new Set(['toolfold/otel', '@toolfold/testing/vitest']);
const entries = typed.flatMap((each) => each.entries).filter((entry) => !withPeers.has(entry));
/** Entry points that need no types of Node. */
const portable = ['toolfold', 'toolfold/errors', 'toolfold/model', 'toolfold/web', '@toolfold/search'];

const reexport = (names: readonly string[]): string =>
  names.map((name, at) => `export * as e${at} from '${name}';`).join('\n');

beforeAll(() => installRuntimes(), INSTALL_MS);

/** Compiles files of a project with all checks, declarations of packages included. Returns the errors. */
function compile(version: string, project: Project, files: readonly string[], options: object): string {
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      // The declarations that TypeScript brings itself take a quarter of the time.
      skipDefaultLibCheck: true,
      noEmit: true,
      target: 'es2022',
      ...options,
    },
    files,
  };
  project.write('tsconfig.json', JSON.stringify(config));
  const compiler = compilers[version] ?? '';
  return spawnSync(process.execPath, [compiler, '-p', '.'], { cwd: project.folder, encoding: 'utf8' }).stdout;
}

const resolutions = {
  node16: { module: 'node16' },
  nodenext: { module: 'nodenext' },
  bundler: { module: 'esnext', moduleResolution: 'bundler' },
} as const;

describe('the packages of the README', () => {
  let project: Project;

  beforeAll(async () => {
    project = new Project();
    await project.install(...readmePackages, '@toolfold/search');
    cpSync(types, project.folder, { recursive: true });
    project.write('entries.mts', reexport(entries));
    project.write('portable.mts', reexport(portable));
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  it.each(Object.keys(compilers))(
    'compile with TypeScript %s and without the types of Node, except toolfold/node',
    (version) => {
      expect(compile(version, project, ['portable.mts', 'main.cts'], { module: 'nodenext' })).toBe('');
    },
  );

  /** Each compiler, each resolution and each types of Node, and all resolutions with the newest compiler. */
  const pairs: Readonly<Record<string, readonly (readonly [string, keyof typeof resolutions])[]>> = {
    // The newest types of Node need TypeScript 5.6 or later.
    '@types/node@24': [['5.4', 'node16']],
    '@types/node': [
      ['5.9', 'nodenext'],
      ['6.0', 'bundler'],
      ['7.0', 'node16'],
      ['7.0', 'nodenext'],
      ['7.0', 'bundler'],
    ],
  };

  describe.each(Object.keys(pairs))('with %s', (nodeTypes) => {
    beforeAll(() => project.install(...typed.map(({ name }) => name), nodeTypes), INSTALL_MS);

    it.each(pairs[nodeTypes] ?? [])('compile with TypeScript %s under %s', (version, resolution) => {
      const files = ['entries.mts', 'main.mts', ...(resolution === 'bundler' ? [] : ['main.cts'])];
      expect(compile(version, project, files, resolutions[resolution])).toBe('');
    });
  });

  it('would not compile with a mistake', () => {
    project.write('wrong.mts', "import { ToolRegistry } from 'toolfold';\nnew ToolRegistry({ name: 1 });");
    expect(compile('7.0', project, ['wrong.mts'], { module: 'nodenext' })).toMatch(/wrong\.mts.*TS2322/);
  });
});

describe.each(['zod@3.25.76', 'zod@3.23.8'])('a project on %s', (zod) => {
  let project: Project;

  beforeAll(async () => {
    project = new Project({ dependencies: { zod: zod.slice('zod@'.length) } });
    await project.install('toolfold', '@modelcontextprotocol/server');
    project.copyPrograms();
    cpSync(types, project.folder, { recursive: true });
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  it('keeps its Zod, beside the Zod 4 of Toolfold', () => {
    const versionOf = (path: string): string =>
      (JSON.parse(readFileSync(project.path(`${path}/package.json`), 'utf8')) as { version: string }).version;
    expect(versionOf('node_modules/zod')).toBe(zod.slice('zod@'.length));
    expect(versionOf('node_modules/toolfold/node_modules/zod')).toMatch(/^4\./);
  });

  it('lists and validates its schemas', () => {
    const output = execFileSync(process.execPath, ['zod3.mjs'], { cwd: project.folder, encoding: 'utf8' });
    expect(output).toBe('ok\n');
  });

  // Zod implements Standard Schema since 3.24, from which the types are read.
  it.skipIf(zod === 'zod@3.23.8').each(['5.9', '7.0'])(
    'gets the types of its inputs from TypeScript %s',
    (version) => {
      expect(compile(version, project, ['zod3.mts'], { module: 'nodenext' })).toBe('');
    },
  );
});

describe('a project without Zod', () => {
  let project: Project;

  beforeAll(async () => {
    project = new Project();
    await project.install('toolfold', '@modelcontextprotocol/server');
    project.copyPrograms();
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  it('uses JSON Schemas', () => {
    const output = execFileSync(process.execPath, ['no-zod.mjs'], { cwd: project.folder, encoding: 'utf8' });
    expect(output).toBe('ok\n');
  });

  it.skipIf(skipped).each(['Node 20', 'Node 22', 'Node 24'] as const)(
    'loads Toolfold from CommonJS with require() and import() on %s',
    (runtime) => {
      const output = execFileSync(programOf(runtime), [join(project.folder, 'require.cjs')], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      expect(JSON.parse(output)).toEqual(['hello', 'function', 'function', true]);
    },
  );
});
