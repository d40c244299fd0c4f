import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { bundleWorker } from './bundle-worker.js';
import { INSTALL_MS, Project } from './project.js';
import { startProgram } from './programs.js';
import type { RunningProgram } from './programs.js';
import { installRuntimes, programOf, skipped } from './runtimes.js';
import type { Runtime } from './runtimes.js';
import { checkHttp, checkServer, eras } from './smoke.js';

const nodes = ['Node 20', 'Node 22', 'Node 24'] as const;
/** The arguments before the program. */
const argsOf: Readonly<Partial<Record<Runtime, readonly string[]>>> = {
  Deno: ['run', '--allow-all', '--node-modules-dir=manual'],
};
const commandOf = (runtime: Runtime, file: string): { command: string; args: string[] } => ({
  command: programOf(runtime),
  args: [...(argsOf[runtime] ?? []), file],
});

describe.skipIf(skipped)(`the published package${skipped ? ` (skipped: ${skipped})` : ''}`, () => {
  let project: Project;

  beforeAll(async () => {
    installRuntimes();
    project = new Project();
    await project.install('toolfold', 'zod', '@modelcontextprotocol/server');
    project.copyPrograms();
  }, INSTALL_MS);
  afterAll(() => project?.remove());

  describe.each([
    ...nodes.map((runtime) => [runtime, 'serveHttp', 'node-http.mjs'] as const),
    ['Bun', 'serveHttp', 'node-http.mjs'] as const,
    ['Bun', 'Bun.serve', 'bun-web.mjs'] as const,
    ['Deno', 'serveHttp', 'node-http.mjs'] as const,
    ['Deno', 'Deno.serve', 'deno-web.mjs'] as const,
  ])('on %s, with %s', (runtime, _, file) => {
    let server: RunningProgram;

    beforeAll(async () => {
      const { command, args } = commandOf(runtime, file);
      server = await startProgram(command, args, { cwd: project.folder });
    }, INSTALL_MS);
    afterAll(() => server?.stop());

    it.each(eras)('serves %s clients', async (version, mode) => {
      await checkHttp(server.url, version, mode);
    });
  });

  describe.each([...nodes, 'Bun', 'Deno'] as const)('on %s, over stdio', (runtime) => {
    it.each(eras)('serves %s clients', async (version, mode) => {
      const { command, args } = commandOf(runtime, 'stdio.mjs');
      const transport = new StdioClientTransport({ command, args, cwd: project.folder });
      await checkServer(transport, version, mode);
    });
  });

  describe('on workerd, without Node compatibility', () => {
    let server: RunningProgram;

    beforeAll(async () => {
      const { code } = await bundleWorker(project.path('worker.mjs'));
      project.write('worker/worker.js', code);
      project.write('worker/config.capnp', workerdConfig);
      server = await startProgram(programOf('workerd'), ['serve', 'config.capnp', '--control-fd=3'], {
        cwd: project.path('worker'),
        pipe: 3,
        addressIn: (line) => {
          const { port } = JSON.parse(line) as { port?: number };
          return port === undefined ? undefined : `http://127.0.0.1:${port}/mcp`;
        },
      });
    }, INSTALL_MS);
    afterAll(() => server?.stop());

    it.each(eras)('serves %s clients', async (version, mode) => {
      await checkHttp(server.url, version, mode);
    });
  });
});

/** No `compatibilityFlags`, so there is no module of Node. */
const workerdConfig = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (
    modules = [(name = "worker.js", esModule = embed "worker.js")],
    compatibilityDate = "2026-07-28",
  ))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`;
