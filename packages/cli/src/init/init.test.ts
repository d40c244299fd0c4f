import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { packageVersion } from 'toolfold/internal';
import { run } from '../run.js';
import { findNameProblem, nameOfFolder } from './project-name.js';
import { renderTemplate } from './render-template.js';
import type { ProjectChoices } from './render-template.js';
import { writeProject } from './write-project.js';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-init-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Started {
  readonly exit: Promise<number>;
  readonly written: { out: string; err: string };
  readonly host: EventEmitter & { readonly stdin: PassThrough };
}

/** Runs the command with streams of its own. `answers` are typed at a terminal, one for each question. */
function start(argv: readonly string[], answers?: readonly string[]): Started {
  const written = { out: '', err: '' };
  const isTTY = answers !== undefined;
  const left = [...(answers ?? [])];
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const collect = (key: 'out' | 'err') =>
    Object.assign(
      new Writable({
        write(chunk: Buffer, _, done) {
          written[key] += String(chunk);
          // A question ends with its default in parentheses.
          const answer = key === 'err' && String(chunk).endsWith(') ') ? left.shift() : undefined;
          if (answer !== undefined) setImmediate(() => stdin.write(answer));
          done();
        },
      }),
      { isTTY },
    );
  const host = Object.assign(new EventEmitter(), { stdin, stdout: collect('out'), stderr: collect('err') });
  return { exit: run(['init', ...argv], host), written, host };
}

async function init(argv: readonly string[], answers?: readonly string[]) {
  const { exit, written } = start(argv, answers);
  return { code: await exit, ...written };
}

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
const manifestOf = (folder: string): { name: string; dependencies: Record<string, string> } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as never;

const defaults: ProjectChoices = { name: 'acme', transport: 'both', auth: 'none' };

describe('toolfold init', () => {
  it('creates a project with the defaults, and names the next steps', async () => {
    const folder = join(emptyFolder(), 'new', 'mail-server');
    const { code, out, err } = await init([folder, '--yes']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('Created mail-server in ');
    expect(out).toMatch(/Next:\n {2}cd .*mail-server\n {2}npm install\n {2}npm run dev\n/);
    expect(filesIn(folder)).toEqual([
      '.claude/skills/add-a-tool/SKILL.md',
      '.dockerignore',
      '.gitignore',
      '.mcp.json',
      '.vscode/mcp.json',
      'AGENTS.md',
      'Dockerfile',
      'README.md',
      'package.json',
      'src/http.ts',
      'src/notes.ts',
      'src/server.test.ts',
      'src/server.ts',
      'src/stdio.ts',
      'tsconfig.build.json',
      'tsconfig.json',
      'vitest.config.ts',
    ]);
    expect(manifestOf(folder).name).toBe('mail-server');
    expect(readFileSync(join(folder, 'src/server.ts'), 'utf8')).toContain("name: 'mail-server'");
  });

  it('depends on the version of Toolfold that runs it', async () => {
    const folder = emptyFolder();
    await init([folder, '--yes', '--name', 'acme']);
    const range = `^${packageVersion}`;
    expect(manifestOf(folder)).toMatchObject({
      dependencies: { toolfold: range },
      devDependencies: { '@toolfold/cli': range, '@toolfold/testing': range },
    });
  });

  it('prints one JSON document with --json', async () => {
    const folder = join(emptyFolder(), 'acme');
    const { code, out } = await init([folder, '--yes', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      name: 'acme',
      transport: 'both',
      auth: 'none',
      folder,
      files: filesIn(folder),
      next: [`cd ${folder}`, 'npm install', 'npm run dev'],
    });
  });

  it('asks at a terminal, and asks again after an invalid answer', async () => {
    const folder = emptyFolder();
    const { code, err } = await init(
      [folder],
      ['Bad Name\n', '@acme/mail\n', 'tcp\n', 'http\n', 'api-keys\n'],
    );
    expect(code).toBe(0);
    expect(err).toContain('Name of the package? (toolfold-init-');
    expect(err).toContain('Write the name in lower case: bad name');
    expect(err).toContain('Answer with both or http or stdio.');
    expect(manifestOf(folder).name).toBe('@acme/mail');
    expect(readFileSync(join(folder, 'src/server.ts'), 'utf8')).toContain('keyFile(');
    expect(filesIn(folder)).not.toContain('src/stdio.ts');
  });

  it('takes an empty answer for the default, and asks only for what no option says', async () => {
    const folder = emptyFolder();
    const { code, err } = await init([folder, '--name', 'acme', '--transport', 'both'], ['\n']);
    expect(code).toBe(0);
    expect(err.match(/\? \(/g)).toHaveLength(1);
    expect(readFileSync(join(folder, 'src/server.ts'), 'utf8')).not.toContain('keyFile(');
    const stdio = emptyFolder();
    expect((await init([stdio, '--name', 'acme'], ['stdio\n'])).code).toBe(0);
    expect(filesIn(stdio)).not.toContain('src/http.ts');
  });

  it.each([
    ['Ctrl-C as a key', (host: Started['host']) => void host.stdin.write('\u0003')],
    ['a signal', (host: Started['host']) => void host.emit('SIGINT', 'SIGINT')],
  ])('ends with 130 and writes nothing on %s during a question', async (_what, interrupt) => {
    const folder = join(emptyFolder(), 'acme');
    const { exit, host, written } = start([folder], []);
    await expect.poll(() => written.err).toContain('Name of the package?');
    interrupt(host);
    expect(await exit).toBe(130);
    expect(existsSync(folder)).toBe(false);
  });

  it('ends with a message if the input ends during a question', async () => {
    const folder = join(emptyFolder(), 'acme');
    const { exit, host, written } = start([folder], []);
    await expect.poll(() => written.err).toContain('Name of the package?');
    host.stdin.end();
    expect(await exit).toBe(2);
    expect(written.err).toContain('No answer was given. Pass --yes for the defaults.');
    expect(existsSync(folder)).toBe(false);
  });

  it('needs --yes or all answers without a terminal', async () => {
    const folder = join(emptyFolder(), 'acme');
    const { code, err } = await init([folder]);
    expect(code).toBe(2);
    expect(err).toBe(
      'toolfold: There is no terminal to ask questions at. Pass --yes for the defaults, or --name, --transport and --auth.\n',
    );
    expect(existsSync(folder)).toBe(false);
    const all = ['--name', 'acme', '--transport', 'http', '--auth', 'none'];
    expect((await init([folder, ...all])).code).toBe(0);
  });

  it('refuses a folder that is not empty, and says what to do', async () => {
    const folder = emptyFolder();
    for (const name of ['b', 'a', 'c', 'd', 'e', 'f']) writeFileSync(join(folder, name), '');
    const { code, out, err } = await init([folder, '--yes', '--json']);
    expect(code).toBe(1);
    const message = `${folder} is not empty: it contains a, b, c, d, e and 1 more. Name an empty or new folder: toolfold init my-server`;
    expect(err).toBe(`toolfold: ${message}\n`);
    expect(JSON.parse(out)).toEqual({ error: { exitCode: 1, message } });
    expect(filesIn(folder)).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  it('accepts a new Git repository, and leaves it alone', async () => {
    const folder = emptyFolder();
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const head = readFileSync(join(folder, '.git/HEAD'), 'utf8');
    expect((await init([folder, '--yes', '--name', 'acme'])).code).toBe(0);
    expect(readFileSync(join(folder, '.git/HEAD'), 'utf8')).toBe(head);
    expect(existsSync(join(folder, 'package.json'))).toBe(true);
  });

  it.runIf(existsSync('/proc/self'))('names the cause if the file system takes no folders', async () => {
    const { code, err } = await init(['/proc/toolfold/acme', '--yes']);
    expect(code).toBe(1);
    expect(err).toMatch(/^toolfold: Cannot write to \/proc\/toolfold\/acme: .* Nothing is written\.\n$/);
  });

  it('refuses a file in place of the folder', async () => {
    const file = join(emptyFolder(), 'file');
    writeFileSync(file, 'mine');
    const { code, err } = await init([file, '--yes']);
    expect(code).toBe(1);
    expect(err).toContain('is a file. Name a folder that does not exist yet, or an empty one.');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it.each([
    [['--name', 'My App'], '--name: Write the name in lower case: my app'],
    [['--name', '../x'], '--name: "../x" is not a valid package name.'],
    [['--name', 'toolfold'], '--name: "toolfold" is the name of a package that the project needs.'],
    [['--transport', 'tcp'], '--transport must be both or http or stdio, not "tcp".'],
    [['--auth', 'oauth'], '--auth must be none or api-keys, not "oauth".'],
    [['--transport', 'stdio', '--auth', 'api-keys'], '--auth api-keys needs HTTP.'],
    [['other'], 'toolfold init takes one folder, not '],
    [['--', 'x'], 'toolfold init takes one folder, not '],
  ])('rejects the arguments %j, and writes nothing', async (argv, message) => {
    const folder = join(emptyFolder(), 'acme');
    const { code, err } = await init([folder, '--yes', ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(message);
    expect(existsSync(folder)).toBe(false);
  });
});

describe('a folder that cannot be used', () => {
  it.each([
    ['a link to nothing', 'link', 'is a symbolic link to a folder that does not exist'],
    ['a link to itself', 'loop', 'Cannot write to'],
    ['a folder in a file', 'file/inner', 'Cannot write to'],
    ['a name that is too long', 'a'.repeat(300), 'Cannot write to'],
  ])('is reported without a stack: %s', async (_, name, message) => {
    const folder = emptyFolder();
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
    writeFileSync(join(folder, 'file'), '');
    const { exit, written } = start([join(folder, name), '--yes']);
    expect(await exit).toBe(1);
    expect(written.err).toContain(message);
    expect(written.err).not.toContain('    at ');
    expect(readdirSync(folder)).toEqual(['file', 'link', 'loop']);
  });

  it.skipIf(process.platform === 'win32')('is written so that a shell takes its name literally', async () => {
    const folder = join(emptyFolder(), "it's $HOME `x`");
    const { exit, written } = start([folder, '--yes', '--json']);
    expect(await exit).toBe(0);
    const { next } = JSON.parse(written.out) as { next: string[] };
    const shown = execFileSync('sh', ['-c', `${next[0]} && pwd`], { encoding: 'utf8' });
    expect(shown.trimEnd()).toBe(folder);
  });
});

describe('writing a project', () => {
  it('leaves nothing behind if a file cannot be written', () => {
    const parent = emptyFolder();
    // A path that is a file and a folder.
    const files = new Map([
      ['a', '1'],
      ['a/b', '2'],
    ]);
    expect(() => writeProject(join(parent, 'x', 'y'), files)).toThrow();
    expect(readdirSync(parent)).toEqual([]);
    mkdirSync(join(parent, '.git'));
    expect(() => writeProject(parent, files)).toThrow();
    expect(readdirSync(parent)).toEqual(['.git']);
  });

  it('removes what it has moved if an entry was created meanwhile', () => {
    const folder = emptyFolder();
    writeFileSync(join(folder, 'z'), 'mine');
    expect(() =>
      writeProject(
        folder,
        new Map([
          ['a', '1'],
          ['z', '2'],
        ]),
      ),
    ).toThrow('was created meanwhile');
    expect(filesIn(folder)).toEqual(['z']);
    expect(readFileSync(join(folder, 'z'), 'utf8')).toBe('mine');
  });

  it.skipIf(process.getuid?.() === 0)('names the cause if the folder is read-only', async () => {
    const folder = emptyFolder();
    chmodSync(folder, 0o500);
    const { code, err } = await init([folder, '--yes', '--name', 'acme']);
    expect(code).toBe(1);
    expect(err).toContain(`Cannot write to ${folder}: EACCES`);
    expect(err).not.toContain('    at ');
  });
});

describe('the template', () => {
  const choices: ProjectChoices[] = [
    defaults,
    { ...defaults, auth: 'api-keys' },
    { ...defaults, transport: 'http' },
    { ...defaults, transport: 'http', auth: 'api-keys' },
    { ...defaults, transport: 'stdio' },
  ];

  it.each(choices)('leaves no marks in the files of $transport, $auth', (choice) => {
    const files = renderTemplate({ ...choice, name: '@team/acme' });
    for (const [path, text] of files) {
      expect(`${path}\n${text}`).not.toMatch(/my-server|(?:<!--|\/\/) (?:if |end$)|\r/m);
      if (path.endsWith('.json')) expect(() => JSON.parse(text) as unknown).not.toThrow();
      expect(text.endsWith('\n')).toBe(true);
    }
    expect((JSON.parse(files.get('package.json') ?? '') as { name: string }).name).toBe('@team/acme');
    expect(files.get('README.md')).toMatch(/^# acme\n/);
    expect([...files.keys()].some((path) => path.startsWith('_') || path.includes('/_'))).toBe(false);
  });

  it.each(choices)(
    'names in scripts, Dockerfile and configuration of $transport, $auth only files that exist',
    (choice) => {
      const files = renderTemplate(choice);
      const sources = [...files].filter(([path]) => !path.startsWith('src/')).map(([, text]) => text);
      const named = sources.flatMap((text) =>
        [...text.matchAll(/\b(?:dist|src)\/[\w.-]+\.(?:js|ts)\b/g)].map(([path]) => path),
      );
      const missing = named
        .map((path) => path.replace(/^dist\/(.*)\.js$/, 'src/$1.ts'))
        .filter((path) => !files.has(path));
      expect(missing).toEqual([]);
    },
  );

  it('uses the same versions of packages as this repository', () => {
    const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const template = JSON.parse(
      readFileSync(join(root, 'packages/cli/templates/server/_package.json'), 'utf8'),
    ) as typeof own;
    const used = { ...template['dependencies'], ...template['devDependencies'] };
    const known = (name: string): string | undefined =>
      name.includes('toolfold') ? `^${packageVersion}` : own['devDependencies']?.[name];
    expect(used).toEqual(Object.fromEntries(Object.keys(used).map((name) => [name, known(name)])));
  });

  it('depends on the packages that its files import and its scripts run', () => {
    const files = renderTemplate({ ...defaults, auth: 'api-keys' });
    const manifest = JSON.parse(files.get('package.json') ?? '') as Record<string, Record<string, string>>;
    const imported = [...files].flatMap(([path, text]) =>
      [...text.matchAll(/^import .*?'((?!node:)(?:@[\w-]+\/)?[\w-]+)[^']*';$/gm)].map(([, name = '']) => ({
        name,
        section:
          path.endsWith('.test.ts') || path === 'vitest.config.ts' ? 'devDependencies' : 'dependencies',
      })),
    );
    const missing = imported.filter(
      ({ name, section }) =>
        manifest['dependencies']?.[name] === undefined && manifest[section]?.[name] === undefined,
    );
    expect(missing).toEqual([]);
    expect(imported.map(({ name }) => name)).toContain('@toolfold/testing');
    expect(manifest['scripts']?.['dev']).toMatch(/^toolfold /);
    expect(manifest['devDependencies']).toHaveProperty(['@toolfold/cli']);
  });
});

describe('the name of a project', () => {
  it.each(['acme', 'a', '@acme/mail', 'my-server.v2', 'my_server', '0-notes'])('may be %s', (name) => {
    expect(findNameProblem(name)).toBeUndefined();
  });

  it.each([
    '',
    'Acme',
    'a b',
    '../a',
    '.a',
    '_a',
    'a/b',
    '@a',
    '@/a',
    '@a/',
    'ä',
    'node_modules',
    'http',
    'zod',
    'a'.repeat(215),
    'a\n',
  ])('may not be %j', (name) => {
    expect(findNameProblem(name)).toEqual(expect.any(String));
  });

  it.each([
    ['/x/My Server', 'my-server'],
    ['/x/.hidden', 'hidden'],
    ['/x/Café ÄÖ', 'cafe-ao'],
    ['/x/日本', 'my-server'],
    ['/x/toolfold', 'my-server'],
    ['/', 'my-server'],
    ['/x/a__b.c', 'a__b.c'],
  ])('of the folder %s is %s', (folder, name) => {
    expect(nameOfFolder(folder)).toBe(name);
  });
});

describe('create-toolfold', () => {
  const read = (path: string): Record<string, unknown> =>
    JSON.parse(readFileSync(join(root, path), 'utf8')) as never;

  it('has the version of Toolfold, and depends on its command', () => {
    expect(read('packages/create-toolfold/package.json')).toMatchObject({
      version: packageVersion,
      dependencies: { '@toolfold/cli': packageVersion },
      engines: read('package.json')['engines'],
    });
  });
});
