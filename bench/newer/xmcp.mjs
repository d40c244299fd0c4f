import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../http/work.mjs';

/**
 * xmcp, which answers without sessions. It is built from a folder with one file per tool. Building 1,000 tools takes
 * minutes, so the build is kept.
 *
 * @param {string} catalog
 */
export async function serve(catalog) {
  const { tools } = await loadCatalog(catalog);
  const folder = fileURLToPath(new URL(`node_modules/.cache/xmcp-${catalog}/`, import.meta.url));
  const built = `${folder}dist/http.js`;
  if (!existsSync(built)) {
    writeProject(folder, tools);
    const cli = fileURLToPath(new URL('node_modules/xmcp/dist/cli.js', import.meta.url));
    execFileSync(process.execPath, [cli, 'build'], {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, XMCP_TELEMETRY_DISABLED: 'true' },
    });
  }
  const port = catchPort();
  createRequire(import.meta.url)(built);
  return port;
}

/**
 * Its port is fixed at build time, but several servers run at once here, so it gets a free port. It probes the port
 * with another server first, which is closed by the next turn.
 */
function catchPort() {
  const { listen } = Server.prototype;
  return new Promise((resolve) => {
    Server.prototype.listen = /** @this {Server} @param {unknown[]} given */ function listenAnywhere(
      ...given
    ) {
      this.once('listening', () =>
        setImmediate(() => {
          const address = this.address();
          if (address && typeof address === 'object') resolve(address.port);
        }),
      );
      const then = /** @type {(() => void) | undefined} */ (given.find((each) => typeof each === 'function'));
      return listen.call(this, { port: 0, host: '127.0.0.1' }, then);
    };
  });
}

/**
 * @param {string} folder
 * @param {readonly import('../http/work.mjs').Tool[]} tools
 */
function writeProject(folder, tools) {
  mkdirSync(`${folder}src/tools`, { recursive: true });
  writeFileSync(`${folder}package.json`, '{ "name": "bench", "private": true }');
  const compilerOptions = {
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    skipLibCheck: true,
  };
  writeFileSync(`${folder}tsconfig.json`, JSON.stringify({ compilerOptions, include: ['src'] }));
  const config = { http: { host: '127.0.0.1' }, paths: { prompts: false, resources: false } };
  writeFileSync(`${folder}xmcp.config.ts`, `export default ${JSON.stringify(config)};`);
  for (const { name, description } of tools) {
    writeFileSync(
      `${folder}src/tools/${name}.ts`,
      `import { z } from 'zod';
export const schema = { text: z.string(), times: z.number().int() };
export const metadata = { name: '${name}', description: '${description}' };
export default async ({ text, times }: { text: string; times: number }) => JSON.stringify({ text, times });
`,
    );
  }
}
