import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
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

/** Entry points that need further packages, which the README does not install. */
const withPackages = new Set(['./client', './otel', './redis', './testing', './testing/vitest']);
const entries = Object.keys((JSON.parse(read('package.json')) as { exports: object }).exports).filter(
  (entry) => entry !== './package.json' && !withPackages.has(entry),
);

beforeAll(() => installRuntimes(), INSTALL_MS);

/** Compiles files of a project with all checks, declarations of packages included. Returns the errors. */
function compile(version: string, project: Project, files: readonly string[], options: object): string {
  const config = {
    compilerOptions: {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
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

const resolutions = [
  ['node16', { module: 'node16' }],
  ['nodenext', { module: 'nodenext' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const;

describe('the packages of the README', () => {
  let project: Project;

  beforeAll(() => {
    project = new Project();
    project.install(...readmePackages);
    cpSync(types, project.folder, { recursive: true });
    const lines = entries.map((entry, index) => `export * as e${index} from 'toolfold${entry.slice(1)}';`);
    project.write('entries.mts', lines.join('\n'));
    const portable = ['', '/errors', '/model', '/search', '/web'].map(
      (entry, index) => `export * as e${index} from 'toolfold${entry}';`,
    );
    project.write('portable.mts', portable.join('\n'));
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  it.each(Object.keys(compilers))(
    'compile with TypeScript %s and without the types of Node, except toolfold/node',
    (version) => {
      expect(compile(version, project, ['portable.mts', 'main.cts'], { module: 'nodenext' })).toBe('');
    },
  );

  describe.each([
    // The newest types of Node need TypeScript 5.6 or later.
    ['@types/node@24', ['5.4']],
    ['@types/node', ['5.9', '6.0', '7.0']],
  ])('with %s', (nodeTypes, versions) => {
    beforeAll(() => project.install('--save-dev', nodeTypes), INSTALL_MS);

    it.each(
      versions.flatMap((version) => resolutions.map(([name, options]) => [version, name, options] as const)),
    )('compile with TypeScript %s under %s', (version, name, options) => {
      const files = ['entries.mts', 'main.mts', ...(name === 'bundler' ? [] : ['main.cts'])];
      expect(compile(version, project, files, options)).toBe('');
    });
  });

  it('would not compile with a mistake', () => {
    project.write('wrong.mts', "import { ToolRegistry } from 'toolfold';\nnew ToolRegistry({ name: 1 });");
    expect(compile('7.0', project, ['wrong.mts'], { module: 'nodenext' })).toMatch(/wrong\.mts.*TS2322/);
  });
});

describe.each(['zod@3.25.76', 'zod@3.23.8'])('a project on %s', (zod) => {
  let project: Project;

  beforeAll(() => {
    project = new Project({ dependencies: { zod: zod.slice('zod@'.length) } });
    project.install('toolfold', '@modelcontextprotocol/server');
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

  beforeAll(() => {
    project = new Project();
    project.install('toolfold', '@modelcontextprotocol/server');
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
