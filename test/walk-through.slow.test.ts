import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packOnce, tarballsOf } from '../scripts/pack.js';
import type { Packed } from '../scripts/pack.js';

const root = fileURLToPath(new URL('../', import.meta.url));
const MINUTES = 60_000;

let folder: string;
let packed: ReadonlyMap<string, Packed>;
const children: ChildProcess[] = [];

/** Runs a command, and returns its standard output. The error of a failed command shows its output. */
function runIn(cwd: string, command: string, ...args: readonly string[]): string {
  try {
    return execFileSync(command, args, {
      cwd,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}\n${stderr}`, { cause: error });
  }
}

/** The environment without the settings of the test runner and of npm, which would change the programs in the project. */
function environment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(
    ([name]) =>
      !/^(?:VITEST|TEST$|NODE_ENV$|npm_(?:lifecycle|package|command|node)|INIT_CWD$|CI$|FORCE_COLOR$)/.test(
        name,
      ),
  );
  return { ...Object.fromEntries(entries), ...more };
}

/** Starts a program, and waits until it prints an address. */
async function serve(
  cwd: string,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ url: string; output: () => string; stop: () => Promise<number | null> }> {
  const child = spawn(command, args, { cwd, env: environment(env), stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      output += String(chunk);
      const found = /http:\/\/\S+\/mcp/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    void exit.then((code) => reject(new Error(`${command} ended with ${code}:\n${output}`)));
  });
  return {
    url,
    output: () => output,
    stop: () => {
      child.kill('SIGTERM');
      return exit;
    },
  };
}

interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  overrides: Record<string, string>;
}

/** The project whose packages the later ones use, because all of them need the same. */
let installed: { readonly project: string; readonly packages: object } | undefined;

function createProject(name: string, ...options: readonly string[]): string {
  runIn(folder, join(folder, 'node_modules/.bin/create-toolfold'), name, '--yes', ...options);
  const project = join(folder, name);
  const file = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  // The packed versions in place of the published ones.
  const packages = Object.fromEntries([...packed].map(([each, { tarball }]) => [each, `file:${tarball}`]));
  for (const group of [manifest.dependencies, manifest.devDependencies])
    for (const each of Object.keys(group)) group[each] = packages[each] ?? (group[each] as string);
  // This repository pins two packages whose newer versions are incomplete in some registries, so that npm ci fails.
  const { overrides } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  manifest.overrides = { ...overrides, ...packages };
  writeFileSync(file, JSON.stringify(manifest, undefined, 2));
  const { dependencies, devDependencies } = manifest;
  if (installed) {
    expect({ dependencies, devDependencies }).toEqual(installed.packages);
    symlinkSync(join(installed.project, 'node_modules'), join(project, 'node_modules'), 'junction');
    // The lock file names the project, and npm ci compares it with the manifest.
    const lock = readFileSync(join(installed.project, 'package-lock.json'), 'utf8');
    writeFileSync(
      join(project, 'package-lock.json'),
      lock.replaceAll(`"${basename(installed.project)}"`, `"${name}"`),
    );
    return project;
  }
  runIn(project, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline');
  installed = { project, packages: { dependencies, devDependencies } };
  return project;
}

beforeAll(async () => {
  // Outside of this repository, so that nothing is found in its node_modules.
  folder = mkdtempSync(join(tmpdir(), 'toolfold-walk-'));
  packed = await packOnce();
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  runIn(
    folder,
    'npm',
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    ...tarballsOf(packed, ['create-toolfold']),
  );
}, 5 * MINUTES);

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}, 2 * MINUTES);

describe('an author', () => {
  it(
    'creates a project, develops it, edits it, tests it and serves it',
    async () => {
      const project = createProject('notebook');
      const connect = async (url: string, mode: 'auto' | 'legacy'): Promise<Client> => {
        const client = new Client({ name: 'walk', version: '1.0.0' }, { versionNegotiation: { mode } });
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        return client;
      };

      // The project as it was created passes its own checks.
      expect(runIn(project, 'npm', 'test')).toContain('4 passed');
      runIn(project, 'npm', 'run', 'check');
      expect(runIn(project, 'npm', 'run', 'inspect')).toContain('1 tool with 3 actions');

      // dev: a client is connected while the author edits a file.
      const dev = await serve(project, join(project, 'node_modules/.bin/toolfold'), [
        'dev',
        'src/server.ts',
        '--port',
        '0',
      ]);
      const client = await connect(dev.url, 'legacy');
      let changes = 0;
      client.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
      await client.callTool({ name: 'notes', arguments: { action: 'add', text: 'Feed the cat' } });
      const registry = join(project, 'src/server.ts');
      const before = readFileSync(registry, 'utf8');

      // edit: a new tool. Its author sees a mistake of the first attempt without losing the server.
      writeFileSync(registry, before.replace('.register(', '.register(('));
      await expect
        .poll(dev.output, { timeout: MINUTES })
        .toContain('cannot be loaded. The last version goes on.');
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes']);
      const shout = `{
    name: 'shout',
    description: 'Writes in capitals',
    readOnly: true,
    inputSchema: z.object({ text: z.string() }),
    handler: ({ input }) => input.text.toUpperCase(),
  }`;
      writeFileSync(
        registry,
        before
          .replace("from 'toolfold';", "from 'toolfold';\nimport * as z from 'zod';")
          .replace('.register(createNotes())', `.register(createNotes(), ${shout})`),
      );
      await expect.poll(() => changes, { timeout: MINUTES }).toBeGreaterThan(0);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['notes', 'shout']);
      expect((await client.callTool({ name: 'shout', arguments: { text: 'hi' } })).content).toEqual([
        { type: 'text', text: 'HI' },
      ]);
      // The output may arrive after the answer, because it takes another pipe.
      await expect.poll(dev.output, { timeout: MINUTES }).toMatch(/^ {2}\+ shout$/m);
      await expect.poll(dev.output, { timeout: MINUTES }).toMatch(/^shout {2}[\d.]+ ms {2}ok$/m);
      await client.close();
      expect(await dev.stop()).toBe(0);

      // test
      const test = join(project, 'src/server.test.ts');
      writeFileSync(
        test,
        `${readFileSync(test, 'utf8')}
it('writes in capitals', async () => {
  await using client = await createTestClient(createServer());
  expect((await client.call('shout', { text: 'hi' })).content).toEqual([{ type: 'text', text: 'HI' }]);
});
`,
      );
      expect(runIn(project, 'npm', 'test')).toContain('5 passed');
      runIn(project, 'npm', 'run', 'check');

      // serve over HTTP, to clients of both eras; the script builds first
      const http = await serve(project, 'npm', ['start'], { PORT: '0' });
      for (const mode of ['auto', 'legacy'] as const) {
        const remote = await connect(http.url, mode);
        expect((await remote.callTool({ name: 'shout', arguments: { text: mode } })).content).toEqual([
          { type: 'text', text: mode.toUpperCase() },
        ]);
        await remote.close();
      }
      const ready = await fetch(new URL('/readyz', http.url));
      expect(ready.status).toBe(200);
      await http.stop();

      // serve over stdio: the built program, and the development server that .mcp.json names
      const { mcpServers } = JSON.parse(readFileSync(join(project, '.mcp.json'), 'utf8')) as {
        mcpServers: Record<string, { command: string; args: string[] }>;
      };
      for (const server of [{ command: join(project, 'dist/stdio.js'), args: [] }, mcpServers['notebook']]) {
        if (server?.args.length === 0) chmodSync(server.command, 0o755);
        const local = new Client({ name: 'walk', version: '1.0.0' });
        await local.connect(
          new StdioClientTransport({
            ...(server as NonNullable<typeof server>),
            cwd: project,
            stderr: 'ignore',
          }),
        );
        expect((await local.callTool({ name: 'shout', arguments: { text: 'over stdio' } })).content).toEqual([
          { type: 'text', text: 'OVER STDIO' },
        ]);
        await local.close();
      }
    },
    10 * MINUTES,
  );

  it.each([
    ['with API keys', ['--auth', 'api-keys'], '6 passed'],
    ['over HTTP alone', ['--transport', 'http'], '4 passed'],
    ['over stdio alone', ['--transport', 'stdio'], '4 passed'],
  ])(
    'gets a project %s that passes its own tests and builds',
    (_what, options, passed) => {
      const project = createProject(`project-${options[1]}`, ...options);
      expect(runIn(project, 'npm', 'test')).toContain(passed);
      runIn(project, 'npm', 'run', 'check');
      runIn(project, 'npm', 'run', 'build');
    },
    5 * MINUTES,
  );

  it(
    'builds and starts the project with the commands of its Dockerfile',
    async () => {
      const project = createProject('image');
      const dockerfile = readFileSync(join(project, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
      const [build = '', final = ''] = dockerfile.split(/^FROM .*$/m).slice(1);
      const app = mkdtempSync(join(tmpdir(), 'toolfold-image-'));
      try {
        const target = join(app, 'build');
        mkdirSync(target);
        for (const line of build.split('\n')) {
          const copied = /^COPY (.+)$/.exec(line)?.[1]?.split(' ') ?? [];
          const to = copied.pop();
          for (const from of copied.map((path) => path.replace(/\*$/, '')))
            cpSync(join(project, from), join(target, to === './' ? from : (to ?? '')), { recursive: true });
          const [, command] = /^RUN (.+)$/.exec(line) ?? [];
          if (command !== undefined) runIn(target, 'sh', '-c', command);
        }
        // The second stage has only these, and runs as another user than root.
        expect([...final.matchAll(/^COPY --from=build \/app\/(\S+) /gm)].map(([, path]) => path)).toEqual([
          'package.json',
          'node_modules',
          'dist',
        ]);
        expect(final).toMatch(/^USER node$/m);
        const command = JSON.parse(/^CMD (\[.*\])$/m.exec(final)?.[1] ?? '') as [string, ...string[]];
        const http = await serve(target, command[0], command.slice(1), { PORT: '0', NODE_ENV: 'production' });
        const health = JSON.parse(/^HEALTHCHECK .*CMD (\[.*\])$/m.exec(final)?.[1] ?? '') as [
          string,
          ...string[],
        ];
        const check = (port: string): number | null => {
          try {
            execFileSync(health[0], health.slice(1), { env: environment({ PORT: port }), stdio: 'ignore' });
            return 0;
          } catch (error) {
            return (error as { status: number | null }).status;
          }
        };
        const { port } = new URL(http.url);
        expect(check(port)).toBe(0);
        await http.stop();
        expect(check(port)).toBe(1);
        // Development packages are left out of the image.
        expect(() => runIn(target, 'ls', 'node_modules/vitest')).toThrow();
      } finally {
        rmSync(app, { recursive: true, force: true });
      }
    },
    5 * MINUTES,
  );
});
