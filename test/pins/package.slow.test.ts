import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { transformSync } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { packOnce } from '../../scripts/pack.js';
import type { Packed } from '../../scripts/pack.js';
import { INSTALL_MS, Project } from '../runtimes/project.js';
import { startRedis } from '../stores/redis-server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const folders = readdirSync(join(root, 'packages'));
const nameOf = (folder: string): string => (folder.endsWith('toolfold') ? folder : `@toolfold/${folder}`);
const run = promisify(execFile);

let packed: ReadonlyMap<string, Packed>;
beforeAll(async () => {
  packed = await packOnce();
}, INSTALL_MS);

/** The unpacked size of `toolfold` and of the packages of this repository that it needs. */
const MAX_BYTES_OF_TOOLFOLD = 2_000_000;

/** Entry points that need an optional peer. */
const withPeers: Readonly<Record<string, string>> = {
  'toolfold/otel': '@opentelemetry/api',
  '@toolfold/testing/vitest': 'vitest',
};

describe.each(folders.map((folder) => [nameOf(folder), folder] as const))('%s', (name, folder) => {
  const own = (): Packed => packed.get(name) as Packed;
  const tarball = (): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(own().tarball));

  it('contains only the files that a user needs', () => {
    const others = own().files.filter((path) => !/^dist\/.+(?<!\.test)\.(?:js|d\.ts)$/.test(path));
    const more: Readonly<Record<string, readonly string[]>> = {
      cli: readdirSync(join(root, 'packages/cli/templates'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(join(root, 'packages/cli/').length)),
      'create-toolfold': ['main.js'],
      devtools: ['dist/page/NOTICES.txt', 'dist/page/index.html'],
      toolfold: ['bin/toolfold.js'],
    };
    const assets = /^dist\/page\/assets\/.+\.(?:css|svg)$/;
    // The licences of the packages that the build includes.
    const notices = own().manifest['devDependencies'] ? ['dist/NOTICES.txt'] : [];
    expect(others.filter((path) => !(folder === 'devtools' && assets.test(path))).toSorted()).toEqual(
      ['LICENSE', 'README.md', 'package.json', ...notices, ...(more[folder] ?? [])].toSorted(),
    );
  });

  it('has the metadata of the family', () => {
    expect(own().manifest).toMatchObject({
      name,
      version: packed.get('toolfold')?.manifest.version,
      type: 'module',
      license: 'MIT',
      engines: { node: '>=20.19' },
      homepage: expect.stringMatching(/^https:/),
      bugs: expect.stringMatching(/^https:/),
      repository: {
        type: 'git',
        url: expect.stringMatching(/^git\+https:.*\.git$/),
        directory: `packages/${folder}`,
      },
    });
    for (const [dependency, range] of Object.entries(own().manifest.dependencies ?? {}))
      if (packed.has(dependency)) expect(range).toBe(own().manifest.version);
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pack: { tarball: tarball().buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it.skipIf(folder === 'cli' || folder === 'create-toolfold')(
    'has types that resolve in every ESM mode',
    async () => {
      const result = await checkPackage(createPackageFromTarballData(tarball()));
      expect(result.types).toMatchObject({ kind: 'included' });
      const problems = 'problems' in result ? result.problems : [];
      // An ESM-only package: CommonJS loads it with import(), or with require() if Node supports that.
      expect(problems.filter(({ kind }) => kind !== 'CJSResolvesToESM' && kind !== 'NoResolution')).toEqual(
        [],
      );
      expect(
        problems.filter((problem) => problem.kind === 'NoResolution' && problem.resolutionKind !== 'node10'),
      ).toEqual([]);
    },
  );

  it('hides internal members, and imports only packages that it declares', () => {
    const { dependencies, peerDependencies } = own().manifest as Record<string, object | undefined>;
    const declared = new Set([name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
    const imported = new Set<string>();
    const unpacked = mkdtempSync(join(tmpdir(), 'toolfold-unpacked-'));
    onTestFinished(() => rmSync(unpacked, { recursive: true }));
    execFileSync('tar', ['-xzf', own().tarball, '-C', unpacked, '--strip-components=1']);
    for (const file of own().files.filter((path) => /^(?!dist\/page\/).+\.(?:js|d\.ts)$/.test(path))) {
      const text = readFileSync(join(unpacked, file), 'utf8');
      if (file.endsWith('.d.ts')) expect(text, file).not.toContain('@internal');
      const imports =
        /^(?:import|export)\b[^'"`;]*?\bfrom ?["']([^"']+)["']|^import ["']([^"']+)["']|\bimport\(["']([^"']+)["']\)/gm;
      for (const [, from, bare, dynamic] of text.matchAll(imports)) {
        const path = from ?? bare ?? dynamic ?? '';
        if (/^(?:[.#]|node:)/.test(path)) continue;
        imported.add(path.split('/', path.startsWith('@') ? 2 : 1).join('/'));
      }
    }
    expect([...imported].filter((each) => !declared.has(each))).toEqual([]);
  });
});

it('installs toolfold with at most 2 MB of its own', () => {
  const sizes = ['toolfold', '@toolfold/schema', '@toolfold/profiles'].map(
    (name) => packed.get(name)?.unpackedSize ?? Infinity,
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(MAX_BYTES_OF_TOOLFOLD);
});

describe('in an empty folder', { concurrent: true }, () => {
  const projects = new Map<string, { readonly project: Project; readonly installed: Promise<void> }>();
  afterAll(() => {
    for (const { project } of projects.values()) project.remove();
  }, INSTALL_MS);

  /** Installs the packages that a README names, once for all tests of the package. */
  async function install(folder: string): Promise<Project> {
    let entry = projects.get(folder);
    if (!entry) {
      const project = new Project({ type: 'module' });
      const [, names = 'create-toolfold'] =
        /^npm install (?:--save-dev )?(.+)$/m.exec(read(`packages/${folder}/README.md`)) ?? [];
      entry = { project, installed: project.install(...names.split(' ')) };
      projects.set(folder, entry);
    }
    await entry.installed;
    return entry.project;
  }

  async function runProgram(project: Project, code: string, env: object = {}): Promise<string> {
    project.write('readme.mjs', transformSync(code, { loader: 'ts', format: 'esm', target: 'es2022' }).code);
    const { stdout } = await run(process.execPath, ['readme.mjs'], {
      cwd: project.folder,
      env: { ...process.env, ...env },
    });
    return stdout;
  }

  /** Compiles a program, and the declarations of every entry point that it can use, with all checks. */
  async function compile(project: Project, name: string, code: string): Promise<string> {
    const entries = Object.entries(packed.get(name)?.manifest.exports ?? {})
      .filter(([, target]) => typeof target === 'object')
      .map(([entry]) => `${name}${entry.slice(1)}`)
      .filter((entry) => withPeers[entry] === undefined);
    project.write('readme.mts', code);
    project.write(
      'entries.mts',
      entries.map((entry, at) => `export * as e${at} from '${entry}';`).join('\n'),
    );
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
      target: 'es2023',
      module: 'nodenext',
      types: ['node'],
      typeRoots: [join(root, 'node_modules/@types')],
    };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.mts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', '.'], { cwd: project.folder }).catch(
      (error: { stdout: string }) => error,
    );
    return stdout;
  }

  const codeOf = (folder: string): string => read(`packages/${folder}/test/readme.ts`);
  const outputOf = (folder: string): string =>
    /^<!-- output: .*\n```\n([^]*?)^```$/m.exec(read(`packages/${folder}/README.md`))?.[1] ?? '';

  it.each(folders.filter((folder) => read(`packages/${folder}/README.md`).includes('<!-- output: ')))(
    '%s compiles and runs the program of its README',
    async (folder) => {
      const project = await install(folder);
      expect(await compile(project, nameOf(folder), codeOf(folder))).toBe('');
      expect(await runProgram(project, codeOf(folder))).toBe(outputOf(folder));
    },
    INSTALL_MS,
  );

  it(
    'gateway forwards calls to another server',
    async () => {
      const project = await install('gateway');
      expect(await compile(project, '@toolfold/gateway', codeOf('gateway'))).toBe('');
      const server = codeOf('toolfold').split('const running')[0]?.replace('serveHttp', 'serveStdio');
      project.write('other-server.mjs', `${server}\nawait serveStdio(registry);`);
      expect(await runProgram(project, codeOf('gateway'))).toBe(
        `[ 'greet' ]\n[ { type: 'text', text: 'Hello, Ada!' } ]\n`,
      );
    },
    INSTALL_MS,
  );

  it(
    'redis shares results between two nodes',
    async () => {
      const project = await install('redis');
      expect(await compile(project, '@toolfold/redis', codeOf('redis'))).toBe('');
      const server = await startRedis();
      if (!server) return;
      try {
        expect(await runProgram(project, codeOf('redis'), { REDIS_URL: server.url })).toBe(
          `[ { type: 'text', text: 'The first node paid 20' } ]\n`.repeat(2),
        );
      } finally {
        await server.stop();
      }
    },
    INSTALL_MS,
  );

  const runBin = (project: Project, command: string, ...args: readonly string[]) =>
    run(project.path(`node_modules/.bin/${command}`), args, { cwd: project.folder }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );

  it(
    'cli runs as npx toolfold',
    async () => {
      const project = await install('cli');
      project.write('readme.ts', codeOf('cli'));
      expect(await runBin(project, 'toolfold', 'call', 'readme.ts', 'greet', 'name=Ada')).toEqual({
        code: 0,
        stdout: 'Hello, Ada!\n',
        stderr: '',
      });
      expect((await runBin(project, 'toolfold', '--version')).stdout).toBe(
        `${packed.get('toolfold')?.manifest.version}\n`,
      );
    },
    INSTALL_MS,
  );

  it(
    'toolfold says how to install its command',
    async () => {
      const project = await install('toolfold');
      expect(await runBin(project, 'toolfold', 'inspect')).toMatchObject({
        code: 1,
        stdout: '',
        stderr:
          'The toolfold command is the package @toolfold/cli. Install it: npm install --save-dev @toolfold/cli\n',
      });
    },
    INSTALL_MS,
  );

  it(
    'create-toolfold creates a project',
    async () => {
      const project = await install('create-toolfold');
      const { code, stdout } = await runBin(project, 'create-toolfold', 'my-server', '--yes');
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Created my-server') });
      expect(readFileSync(project.path('my-server/src/http.ts'), 'utf8')).toBe(
        read('packages/cli/templates/server/src/http.ts'),
      );
    },
    INSTALL_MS,
  );
});

it('has strict compiler options', () => {
  const { compilerOptions } = JSON.parse(read('tsconfig.json')) as { compilerOptions: object };
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
  const lock = read(lockfile);
  const places = [...lock.matchAll(/"resolved": "([^"]*)"/g)].map(([, place = '']) => place);
  expect(places.filter((place) => !/^(?:\.\.|packages\/)/.test(place) && place !== 'toolception')).toEqual(
    [],
  );
});
