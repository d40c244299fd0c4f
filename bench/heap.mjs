// What a server keeps in memory for each of its tools, from heap snapshots: after the author made the schemas, after registration, after
// the first list, and after a call of each tool.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { findHolders } from './heap-holders.mjs';
import { readSnapshot } from './heap-snapshot.mjs';

const HELP = `node bench/heap.mjs [options]

  --tools <count>   number of tools; may be repeated; default: 1000 and 10000
  --least <bytes>   leave out parts of fewer bytes for each tool; default: 50
  --module <file>   a module that exports ToolRegistry and createHandler, such as those of another version
  --help            show this text`;
const { values } = parseArgs({
  options: {
    tools: { type: 'string', multiple: true, default: ['1000', '10000'] },
    least: { type: 'string', default: '50' },
    module: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const at = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the sources, because private fields have other names in the built packages. */
async function bundle() {
  const outfile = at('../node_modules/.cache/toolfold-heap.mjs');
  await build({
    stdin: {
      contents: "export { ToolRegistry } from 'toolfold'; export { createHandler } from 'toolfold/web';",
      resolveDir: at('../packages/toolfold/src'),
    },
    tsconfig: at('../tsconfig.sources.json'),
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
  });
  return outfile;
}

/**
 * @param {number} tools
 * @param {string} module
 */
async function report(tools, module) {
  const folder = mkdtempSync(join(tmpdir(), 'toolfold-heap-'));
  const read = (/** @type {string} */ step) => readSnapshot(join(folder, `${step}.heapsnapshot`));
  const print = (/** @type {string} */ title, /** @type {number} */ bytes) =>
    console.log(
      `  ${Math.round(bytes / tools)
        .toLocaleString('en')
        .padStart(7)}  ${title}`,
    );
  try {
    const child = fork(at('heap-process.mjs'), [String(tools), module, folder], {
      execArgv: ['--expose-gc', '--max-old-space-size=8192'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`The process ended with ${code}.`);
    const older = new Set(read('start').id);
    /** What is not Toolfold's although the schemas do not hold it, such as the registry of Zod. */
    const before = findHolders(read('schemas'), older).paths;
    for (const step of ['register', 'list', 'call']) {
      const { author, paths } = findHolders(read(step), older);
      const own = [...paths].map(
        ([path, bytes]) => /** @type {const} */ ([path, bytes - (before.get(path) ?? 0)]),
      );
      console.log(`\n${tools.toLocaleString('en')} tools, after ${step}: bytes per tool`);
      print('held by the schemas of the author', author);
      print(
        'held by Toolfold, of which',
        own.reduce((sum, [, bytes]) => sum + bytes, 0),
      );
      for (const [path, bytes] of own.toSorted(([, left], [, right]) => right - left))
        if (bytes / tools >= Number(values.least)) print(`  ${path}`, bytes);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (values.help) console.log(HELP);
else {
  const module = values.module ?? (await bundle());
  for (const tools of values.tools) await report(Number(tools), module);
}
