import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runNpm } from '../../scripts/run-npm.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('the package', () => {
  let folder: string;
  let tarball: string;
  let packed: string[];

  beforeAll(() => {
    // Below node_modules, so that programs in it find the dependencies.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    folder = mkdtempSync(join(root, 'node_modules/.cache/pack-'));
    // `npm test` has already built the package.
    const { stdout } = runNpm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ filename, files }] = JSON.parse(String(stdout)) as [
      { filename: string; files: { path: string }[] },
    ];
    tarball = join(folder, filename);
    packed = files.map(({ path }) => path);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contains only the files that a user needs', () => {
    const others = packed.filter(
      (path) => !/^dist\/.+\.(js|d\.ts)$|^dist\/devtools\/page\/assets\/.+\.(css|svg)$/.test(path),
    );
    const [templates, rest] = [true, false].map((isTemplate) =>
      others.filter((path) => path.startsWith('templates/') === isTemplate),
    );
    expect(rest?.toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/NOTICES.txt',
      'dist/devtools/page/NOTICES.txt',
      'dist/devtools/page/index.html',
      'package.json',
    ]);
    const listed = readdirSync(join(root, 'templates'), { recursive: true, withFileTypes: true });
    const written = listed
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    expect(templates?.toSorted()).toEqual(written.map((path) => path.slice(root.length)).toSorted());
    expect(packed.filter((path) => path.startsWith('dist/') && path.includes('.test.'))).toEqual([]);
    expect(packed).toContain('dist/index.js');
    expect(packed).toContain('dist/index.d.ts');
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({
      pack: { tarball: new Uint8Array(readFileSync(tarball)).buffer },
      strict: true,
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it('has types that resolve in every ESM mode', async () => {
    const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
    expect(result.types).toMatchObject({ kind: 'included' });
    const problems = 'problems' in result ? result.problems : [];
    // An ESM-only package: CommonJS loads it with import(), or with require() if Node supports that.
    expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM' && kind !== 'NoResolution')).toEqual([]);
    expect(
      problems.filter((problem) => problem.kind === 'NoResolution' && problem.resolutionKind !== 'node10'),
    ).toEqual([]);
  });

  it('has declarations that compile without skipLibCheck', () => {
    const installed = join(folder, 'node_modules/toolfold');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    const program = [
      "import { readSchema } from 'toolfold';",
      "import { Tool } from 'toolfold/model';",
      "export const tool: Tool = new Tool({ name: 'a', inputSchema: readSchema({}).jsonSchema });",
      ...['devtools', 'errors', 'lexicon', 'node', 'otel', 'profiles', 'redis', 'search', 'web'].map(
        (entry) => `export * as ${entry} from 'toolfold/${entry}';`,
      ),
    ];
    writeFileSync(join(folder, 'main.mts'), program.join('\n'));
    const options = [
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      'false',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ];
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--ignoreConfig',
        '--types',
        'node',
        ...options,
        'main.mts',
      ],
      { cwd: folder, encoding: 'utf8' },
    );
    expect(stdout).toBe('');
    expect(status).toBe(0);
  });

  it('brings a command that runs and prints the version of the package', () => {
    const { bin, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      bin: Record<string, string>;
      version: string;
    };
    expect(Object.keys(bin)).toEqual(['toolfold']);
    expect(packed).toContain(bin['toolfold']);
    expect(execFileSync(join(root, bin['toolfold'] as string), ['--version'], { encoding: 'utf8' })).toBe(
      `${version}\n`,
    );
  });

  it('has the required metadata and strict compiler options', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>;
    expect(manifest).toMatchObject({
      name: 'toolfold',
      type: 'module',
      license: 'MIT',
      // The matchers of `toolfold/testing/vitest` are registered by their import.
      sideEffects: ['./dist/testing/vitest.js'],
      engines: { node: '>=20.19' },
      homepage: expect.stringMatching(/^https:/),
      bugs: expect.stringMatching(/^https:/),
      repository: { type: 'git', url: expect.stringMatching(/^git\+https:.*\.git$/) },
    });
    const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
      compilerOptions: object;
    };
    expect(compilerOptions).toMatchObject({
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
    });
  });

  it.each([
    'package-lock.json',
    'test/conformance/package-lock.json',
    'test/runtimes/package-lock.json',
    'bench/package-lock.json',
    'bench/newer/package-lock.json',
    'examples/finance-server/package-lock.json',
  ])('has no registry addresses in %s', (lockfile) => {
    // Packages of this repository resolve to a folder.
    const lock = readFileSync(join(root, lockfile), 'utf8');
    const places = [...lock.matchAll(/"resolved": "([^"]*)"/g)].map(([, place = '']) => place);
    expect(places.filter((place) => !place.startsWith('..') && place !== 'toolception')).toEqual([]);
  });
});
