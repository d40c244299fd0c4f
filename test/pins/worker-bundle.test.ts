import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { bundleWorker } from '../runtimes/bundle-worker.js';

const worker = fileURLToPath(new URL('../../examples/worker/worker.ts', import.meta.url));
/** The packages of forms, which a worker that offers none of them does not install. */
const LATER = ['@toolfold/search', '@toolfold/code'];

describe('a bundle of toolfold and toolfold/web for a worker', () => {
  const bundled = bundleWorker(worker, LATER);

  it('takes less than 385 kB gzipped without search and code, with the MCP SDK and all other dependencies except Zod', async () => {
    const { gzippedBytes } = await bundleWorker(worker, [...LATER, 'zod', 'zod/*']);
    expect(gzippedBytes).toBeGreaterThan(150_000);
    expect(gzippedBytes).toBeLessThan(385_000);
  });

  it('takes at most 35 kB more with the parts of Zod that it uses', async () => {
    const [{ gzippedBytes: all }, { gzippedBytes: withoutZod }] = await Promise.all([
      bundled,
      bundleWorker(worker, [...LATER, 'zod', 'zod/*']),
    ]);
    expect(all - withoutZod).toBeLessThan(35_000);
  });

  it('needs no module of Node', async () => {
    const { imports } = await bundleWorker(worker);
    // The package jose is optional. Only `oauth` loads it.
    expect(imports.filter((path) => path !== 'jose')).toEqual([]);
  });

  it('contains neither Ajv nor the MCP client nor the translations of Zod', async () => {
    const { inputs } = await bundled;
    const unwanted =
      /node_modules\/(?:ajv|@modelcontextprotocol\/client|cross-spawn|zod\/v4\/locales\/(?!en\.|index\.))/;
    expect(inputs.length).toBeGreaterThan(20);
    expect(inputs.filter((path) => unwanted.test(path))).toEqual([]);
  });
});

describe('a bundle with toolfold/openapi for a worker', () => {
  const program = fileURLToPath(new URL('../../examples/worker/openapi.ts', import.meta.url));

  it('needs no module of Node, and takes at most 80 kB more gzipped', async () => {
    const [plain, { gzippedBytes, imports }] = await Promise.all([
      bundleWorker(worker, LATER),
      bundleWorker(program, LATER),
    ]);
    expect(imports.filter((path) => path !== 'jose' && !LATER.includes(path))).toEqual([]);
    expect(gzippedBytes - plain.gzippedBytes).toBeLessThan(80_000);
  });
});
