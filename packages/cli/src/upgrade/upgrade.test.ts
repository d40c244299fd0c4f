import { spawnSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { run } from '../run.js';
import { movedImports } from './moved-imports.js';

type Files = Readonly<Record<string, string | Buffer>>;

function createFolder(files: Files): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-upgrade-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

async function upgrade(...argv: string[]) {
  const written = { out: '', err: '' };
  const collect = (key: 'out' | 'err') =>
    new Writable({
      write(chunk: Buffer, _, done) {
        written[key] += String(chunk);
        done();
      },
    });
  const host = { stdin: new PassThrough(), stdout: collect('out'), stderr: collect('err') };
  const code = await run(['upgrade', ...argv], Object.assign(new EventEmitter(), host));
  return { code, ...written };
}

const readAll = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.keys(files).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));

const manifest = (fields: object): string => `${JSON.stringify(fields, undefined, 2)}\n`;

const project = {
  'README.md':
    'Tests use `toolfold/testing`:\n\n```ts\nimport { createTestClient } from "toolfold/testing";\n```\n',
  'package.json': manifest({ name: 'a', dependencies: { toolfold: '^1.2.0', zod: '^4.0.0' } }),
  'src/a.test.ts': `import { createTestClient } from 'toolfold/testing';\nimport 'toolfold/testing/vitest';\n`,
  'src/a.ts': `import { ToolRegistry } from 'toolfold';\nimport { fromOpenAPI } from 'toolfold/openapi';\nconst path = 'toolfold/code';\n`,
};

describe('toolfold upgrade', () => {
  it('shows what would change, and writes nothing', async () => {
    const folder = createFolder(project);
    expect(await upgrade(folder)).toEqual({
      code: 0,
      err: '',
      out: `src/a.test.ts:1  toolfold/testing → @toolfold/testing
src/a.test.ts:2  toolfold/testing/vitest → @toolfold/testing/vitest
src/a.ts:2  toolfold/openapi → @toolfold/openapi

Packages to add:
  npm install @toolfold/openapi@^1.2.0 && npm install --save-dev @toolfold/testing@^1.2.0

Check these paths, which are not changed:
README.md:1  toolfold/testing → @toolfold/testing
README.md:4  toolfold/testing → @toolfold/testing
src/a.ts:3  toolfold/code → @toolfold/code

Nothing is written. To change 3 files, add --write.
`,
    });
    expect(readAll(folder, project)).toEqual(project);
  });

  it('changes the files and package.json with --write, and has nothing to do then', async () => {
    const folder = createFolder(project);
    const { code, out } = await upgrade(folder, '--write');
    expect({ code, end: out.split('\n\n').at(-1) }).toEqual({ code: 0, end: 'Changed 3 files.\n' });
    expect(out).toContain('Install the packages:\n  npm install\n');
    expect(readAll(folder, project)).toEqual({
      'README.md': project['README.md'],
      'package.json': manifest({
        name: 'a',
        dependencies: { '@toolfold/openapi': '^1.2.0', toolfold: '^1.2.0', zod: '^4.0.0' },
        devDependencies: { '@toolfold/testing': '^1.2.0' },
      }),
      'src/a.test.ts': `import { createTestClient } from '@toolfold/testing';\nimport '@toolfold/testing/vitest';\n`,
      'src/a.ts': project['src/a.ts'].replace('toolfold/openapi', '@toolfold/openapi'),
    });
    const again = await upgrade(folder, '--write');
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/\n\nNothing to change: no import uses a path that has moved\.\n$/);
  });

  it('prints JSON', async () => {
    const folder = createFolder(project);
    const { out } = await upgrade(folder, '--json');
    expect(JSON.parse(out)).toEqual({
      folder,
      isWritten: false,
      imports: [
        { file: 'src/a.test.ts', line: 1, from: 'toolfold/testing', to: '@toolfold/testing' },
        { file: 'src/a.test.ts', line: 2, from: 'toolfold/testing/vitest', to: '@toolfold/testing/vitest' },
        { file: 'src/a.ts', line: 2, from: 'toolfold/openapi', to: '@toolfold/openapi' },
      ],
      packages: ['openapi', 'testing'].map((name) => ({
        name: `@toolfold/${name}`,
        range: '^1.2.0',
        section: name === 'testing' ? 'devDependencies' : 'dependencies',
        manifest: join(folder, 'package.json'),
      })),
      mentions: expect.any(Array),
      install: expect.stringContaining('npm install @toolfold/openapi@^1.2.0 && '),
    });
  });

  it('knows every path that moved', async () => {
    const before = Object.keys(movedImports).map((path) => `import '${path}';`);
    const after = Object.values(movedImports).map((path) => `import '${path}';`);
    const folder = createFolder({ 'a.mts': before.join('\n') });
    const { out } = await upgrade(folder, '--write');
    expect(readFileSync(join(folder, 'a.mts'), 'utf8')).toBe(after.join('\n'));
    // No package.json depends on toolfold.
    expect(out).toContain('  npm install @toolfold/code@latest @toolfold/devtools@latest ');
  });

  it('keeps all other bytes, such as line ends, quotes and texts that are not UTF-8', async () => {
    const bytes = (path: string): Buffer =>
      Buffer.concat([
        Buffer.from(`\uFEFFimport "${path}"\r\n// `),
        Buffer.from([0xff, 0x80]),
        Buffer.from('\n\t'),
      ]);
    const folder = createFolder({ 'a.cjs': bytes('toolfold/redis') });
    await upgrade(folder, '--write');
    expect(readFileSync(join(folder, 'a.cjs'))).toEqual(bytes('@toolfold/redis'));
  });

  it.each([
    ['{"dependencies":{"toolfold":"1"}}', '{"dependencies":{"@toolfold/redis": "1","toolfold":"1"}}'],
    [
      '{\r\n\t"files": ["a"],\r\n\t"dependencies": {\r\n\t\t"a": "1",\r\n\t\t"toolfold": "~1.0.0"\r\n\t}\r\n}\r\n',
      '{\r\n\t"files": ["a"],\r\n\t"dependencies": {\r\n\t\t"@toolfold/redis": "~1.0.0",\r\n\t\t"a": "1",\r\n\t\t"toolfold": "~1.0.0"\r\n\t}\r\n}\r\n',
    ],
    [
      '{ "a": { "devDependencies": {} }, "devDependencies": { "@a/b": "1", "toolfold": "workspace:*" } }',
      '{ "a": { "devDependencies": {} }, "devDependencies": { "@a/b": "1", "@toolfold/redis": "workspace:*", "toolfold": "workspace:*" } }',
    ],
    [
      '{ "peerDependencies": { "toolfold": "file:.." } }',
      '{ "peerDependencies": { "@toolfold/redis": "latest", "toolfold": "file:.." } }',
    ],
    [
      '{ "dependencies": { "toolfold": "1" }, "devDependencies": { "@toolfold/redis": "2" } }',
      '{ "dependencies": { "toolfold": "1" }, "devDependencies": { "@toolfold/redis": "2" } }',
    ],
  ])('adds packages to %s', async (before, after) => {
    const folder = createFolder({ 'package.json': before, 'a.ts': `import 'toolfold/redis'` });
    await upgrade(folder, '--write');
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(after);
  });

  it.each([
    '{"dependencies":{"toolfold":"1"}}',
    '{ "dependencies": { "toolfold": "1" }, "devDependencies": {} }',
    '{\n  "devDependencies": {},\n  "dependencies": {\n    "toolfold": "1"\n  }\n}\n',
  ])('adds packages for tests to %s', async (before) => {
    const folder = createFolder({ 'package.json': before, 'test/a.ts': `import 'toolfold/redis'` });
    await upgrade(folder, '--write');
    const after = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
    expect(after).toEqual({ dependencies: { toolfold: '1' }, devDependencies: { '@toolfold/redis': '1' } });
  });

  it('adds packages that options and scripts need', async () => {
    const folder = createFolder({
      'package.json': manifest({ scripts: { dev: 'toolfold dev a.ts' }, dependencies: { toolfold: '1' } }),
      'a.ts': `import { serveHttp } from 'toolfold/node';\nserveHttp(registry, { view: { form: 'search' } });`,
    });
    const { out } = await upgrade(folder);
    expect(out).toContain(
      'npm install --save-dev @toolfold/cli@1 && npm install @toolfold/search@1\n\nNothing is written. To change 1 file,',
    );
  });

  it('changes the nearest package.json that depends on toolfold', async () => {
    const files = {
      'package.json': manifest({ devDependencies: { toolfold: '1' } }),
      'packages/a/package.json': manifest({ dependencies: { toolfold: '2' } }),
      'packages/a/a.ts': `import 'toolfold/redis'`,
      'packages/b/package.json': manifest({ dependencies: { zod: '4' } }),
      'packages/b/a.ts': `import 'toolfold/code'`,
    };
    const folder = createFolder(files);
    await upgrade(join(folder, 'packages'), '--write');
    expect(readAll(folder, files)).toMatchObject({
      'package.json': manifest({ devDependencies: { '@toolfold/code': '1', toolfold: '1' } }),
      'packages/a/package.json': manifest({ dependencies: { '@toolfold/redis': '2', toolfold: '2' } }),
      'packages/b/package.json': files['packages/b/package.json'],
    });
  });

  it('skips installed, built and ignored files', async () => {
    const text = `import 'toolfold/redis'`;
    const folder = createFolder({
      '.gitignore': '*.gen.ts\n/out/\n!kept.gen.ts\n',
      'node_modules/a/a.js': text,
      'packages/a/dist/a.js': text,
      'out/a.js': text,
      'a.gen.ts': text,
      'kept.gen.ts': text,
      'a.txt': text,
    });
    spawnSync('git', ['init', '--quiet'], { cwd: folder });
    expect((await upgrade(folder)).out.split('\n')[0]).toContain('kept.gen.ts:1 ');
    expect((await upgrade(folder, '--json')).out.match(/"file"/g)).toHaveLength(1);
  });

  it('reports folders and files that it cannot use', async () => {
    const folder = createFolder({
      'a.ts': `import 'toolfold/redis'`,
      'b/package.json': '{',
      'b/a.ts': `import 'toolfold/code'`,
    });
    expect(await upgrade(join(folder, 'c'))).toMatchObject({
      code: 1,
      out: '',
      err: `toolfold: ${join(folder, 'c')} is not a folder. Name that of a project: toolfold upgrade my-server\n`,
    });
    expect(await upgrade(join(folder, 'a.ts'))).toMatchObject({ code: 1 });
    expect(await upgrade(folder, 'b')).toMatchObject({ code: 2 });
    expect((await upgrade(join(folder, 'b'))).err).toContain(
      `${join(folder, 'b/package.json')} is not valid JSON: `,
    );
  });

  it.runIf(process.getuid?.() !== 0)('names a file that it cannot write', async () => {
    const folder = createFolder({ 'a.ts': `import 'toolfold/redis'` });
    chmodSync(join(folder, 'a.ts'), 0o444);
    expect(await upgrade(folder, '--write')).toMatchObject({
      code: 1,
      err: expect.stringContaining(`toolfold: ${join(folder, 'a.ts')} cannot be written: `),
    });
  });
});

describe('the paths that moved', () => {
  const read = (path: string): string =>
    readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
  const exportsOf = (folder: string): string[] =>
    Object.keys((JSON.parse(read(`packages/${folder}/package.json`)) as { exports: object }).exports);

  it('lead to entry points of the packages', () => {
    for (const [from, to] of Object.entries(movedImports)) {
      const [, folder = '', ...entry] = to.split('/');
      expect(exportsOf(folder), to).toContain(['.', ...entry].join('/'));
      expect(exportsOf('toolfold'), from).not.toContain(from.replace('toolfold', '.'));
    }
  });

  it('are apart from those that stay', () => {
    const [, stay = ''] = /^The imports ([^]*?) stay\./m.exec(read('docs/guides/upgrade.md')) ?? [];
    const named = [...stay.matchAll(/`toolfold(\S*)`/g)].map(([, entry]) => `.${entry}`);
    const others = exportsOf('toolfold').filter((entry) => !/internal|package\.json/.test(entry));
    expect(named.toSorted()).toEqual(others.toSorted());
  });
});

describe('docs/guides/upgrade.md', () => {
  it('has a table of all paths that moved', () => {
    const markdown = readFileSync(new URL('../../../../docs/guides/upgrade.md', import.meta.url), 'utf8');
    const rows = [...markdown.matchAll(/^\| `(toolfold\/\S+)` \| `(@toolfold\/\S+)` \|$/gm)];
    expect(Object.fromEntries(rows.map(([, from, to]) => [from, to]))).toEqual(movedImports);
  });
});
