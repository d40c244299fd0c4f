import { spawnSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleWorker } from './bundle-worker.js';
import { INSTALL_MS, Project } from './project.js';
import { startProgram } from './programs.js';
import { installRuntimes, programOf, skipped } from './runtimes.js';

const found = { call: 42, loop: 'cpu', jobs: 'cpu', deep: 'stack', resumed: 7 };

describe.skipIf(skipped)(`code in the published package${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
  let project: Project;

  beforeAll(async () => {
    installRuntimes();
    project = new Project({ type: 'module' });
    // The last test bundles a worker, and esbuild also resolves what is never loaded, such as the SDK's server.
    await project.install('@toolfold/code', '@modelcontextprotocol/server');
    project.copyPrograms();
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  it.each(['Node 20', 'Node 22', 'Node 24', 'Bun', 'Deno'] as const)(
    'runs in threads and without threads on %s',
    (runtime) => {
      const before = runtime === 'Deno' ? ['run', '--allow-all', '--node-modules-dir=manual'] : [];
      const { stdout, stderr } = spawnSync(programOf(runtime), [...before, 'code.mjs'], {
        cwd: project.folder,
        encoding: 'utf8',
        timeout: 110_000,
      });
      expect(stderr).toBe('');
      expect(JSON.parse(stdout)).toEqual({ threads: found, inline: found });
    },
  );

  it('names the package to install if it is missing', () => {
    const installed = project.path('node_modules/quickjs-wasi');
    renameSync(installed, project.path('quickjs-wasi'));
    try {
      const program = `
        import { createQuickJsSandbox } from '@toolfold/code';
        for (const threads of [true, false])
          await createQuickJsSandbox({ threads }).prepare().catch((error) => console.log(error.message));`;
      const args = ['--input-type=module', '--eval', program];
      const { stdout } = spawnSync(process.execPath, args, { cwd: project.folder, encoding: 'utf8' });
      const message =
        'The code form needs the package "quickjs-wasi". Install it: npm install quickjs-wasi\n';
      expect(stdout).toBe(message.repeat(2));
    } finally {
      renameSync(project.path('quickjs-wasi'), installed);
    }
  });

  it('runs on workerd, whose clock stands still while code computes', async () => {
    const { code } = await bundleWorker(project.path('code-worker.mjs'), ['./quickjs.wasm']);
    project.write('worker/worker.js', code);
    project.write('worker/config.capnp', workerdConfig);
    copyFileSync(project.path('node_modules/quickjs-wasi/quickjs.wasm'), project.path('worker/quickjs.wasm'));
    const server = await startProgram(programOf('workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
      cwd: project.path('worker'),
      pipe: 3,
      addressIn: (line) => {
        const { port } = JSON.parse(line) as { port?: number };
        return port === undefined ? undefined : `http://127.0.0.1:${port}/`;
      },
    });
    try {
      expect(await (await fetch(server.url)).json()).toEqual(found);
    } finally {
      await server.stop();
    }
  });
});

const workerdConfig = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [
      (name = "worker.js", esModule = embed "worker.js"),
      (name = "quickjs.wasm", wasm = embed "quickjs.wasm"),
    ],
    compatibilityDate = "2026-07-28",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
