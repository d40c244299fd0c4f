import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { ToolRegistry } from '../packages/toolfold/dist/index.js';
import { fromOpenAPI } from '../packages/openapi/dist/index.js';
import { Exposure } from '../packages/toolfold/dist/web.js';

const help = `Imports OpenAPI specifications, and prints the time and the tokens of each form.

  npm run bench:openapi -- [options] [file…]

  file       further specifications: JSON, or JSON compressed with Brotli (.br)
  --reasons  print why operations were skipped
  --json     print JSON
  --help     show this text

Each specification is imported in a process of its own, five times. "first" is the processor time of the first import, with code that the
runtime has not compiled yet; "later" is the median of the others. Both include registering the tools, and not parsing the JSON. Processor
time includes the threads of the garbage collector, so an idle machine takes less time. Tokens are those of the list of tools that a 2026
client gets, counted with o200k.`;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    reasons: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
    one: { type: 'string' },
  },
});

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} version
 * @property {number} operations
 * @property {number} actions
 * @property {number} groups
 * @property {string[]} skipped
 * @property {number} firstMs
 * @property {number} laterMs
 * @property {Record<'grouped' | 'flat' | 'search' | 'code', number>} tokens
 */

const METHODS = /^(?:get|put|post|delete|patch|head|options|query)$/;
const IMPORTS = 5;

/** @param {string} file */
function readText(file) {
  const bytes = readFileSync(file);
  return (file.endsWith('.br') ? brotliDecompressSync(bytes) : bytes).toString();
}

/** @param {string} file @returns {Promise<Row>} */
async function measure(file) {
  const text = readText(file);
  /** @type {{ openapi?: string, swagger?: string, paths: Record<string, object> }} */
  const described = JSON.parse(text);
  const operations = Object.values(described.paths).flatMap((item) =>
    Object.keys(item).filter((method) => METHODS.test(method)),
  );
  /** @type {string[]} */
  const skipped = [];
  /** @type {number[]} */
  const times = [];
  let registry = new ToolRegistry();
  let groups = 0;
  for (let round = 0; round < IMPORTS; round++) {
    const spec = JSON.parse(text);
    skipped.length = 0;
    const start = process.cpuUsage();
    const builders = fromOpenAPI(spec, {
      onSkipped: (operation, reason) => void skipped.push(`${operation}: ${reason}`),
    });
    registry = new ToolRegistry({ name: 'api', rateLimiter: false });
    for (const builder of builders) registry.register(builder);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1_000);
    groups = builders.length;
  }
  const [firstMs = 0, ...later] = times;
  const laterMs = later.toSorted((a, b) => a - b)[Math.floor(later.length / 2)] ?? 0;
  const flat = registry.view({ form: 'flat' });
  /** @param {'search' | 'code'} form */
  const behind = async (form) =>
    new Exposure(registry, { view: { form } }).viewFor({ protocolVersion: '2026-07-28' });
  return {
    name: basename(file).replace(/\.json(?:\.br)?$/, ''),
    version: described.openapi ?? described.swagger ?? '',
    operations: operations.length,
    actions: flat.tools.size,
    groups,
    skipped,
    firstMs,
    laterMs,
    tokens: {
      grouped: tokensOf(registry.view()),
      flat: tokensOf(flat),
      search: tokensOf(await behind('search')),
      code: tokensOf(await behind('code')),
    },
  };
}

/** @param {import('../packages/toolfold/dist/index.js').View} view */
function tokensOf(view) {
  const pages = view.listPages({ protocolVersion: '2026-07-28' });
  return pages.reduce((sum, page) => sum + countTokens(`{"tools":${page}}`), 0);
}

/** @param {string} file @returns {Row} */
function measureApart(file) {
  const output = execFileSync(
    process.execPath,
    [...process.execArgv, fileURLToPath(import.meta.url), '--one', file],
    { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(output);
}

const number = (/** @type {number} */ value) => Math.round(value).toLocaleString('en-US');
const seconds = (/** @type {number} */ ms) => `${(ms / 1_000).toFixed(2)} s`;

if (options.help) console.log(help);
else if (options.one !== undefined) console.log(JSON.stringify(await measure(options.one)));
else {
  const folder = fileURLToPath(new URL('../test/data/openapi/', import.meta.url));
  const shipped = readdirSync(folder).filter((file) => file.endsWith('.br'));
  const rows = [...shipped.map((file) => `${folder}${file}`), ...positionals].map(measureApart);
  if (options.json) console.log(JSON.stringify(rows));
  else {
    console.log(
      '| specification | OpenAPI | operations | actions | tools, grouped | skipped | first import | later | grouped | flat | search | code |',
    );
    console.log('|---|---|---|---|---|---|---|---|---|---|---|---|');
    for (const { name, version, operations, actions, groups, skipped, firstMs, laterMs, tokens } of rows) {
      const { grouped, flat, search, code } = tokens;
      const counts = [operations, actions, groups, skipped.length].map(number);
      const cells = [name, version, ...counts, seconds(firstMs), seconds(laterMs)];
      console.log(`| ${[...cells, ...[grouped, flat, search, code].map(number)].join(' | ')} |`);
    }
    if (options.reasons) {
      for (const { name, skipped } of rows) for (const reason of skipped) console.log(`${name}: ${reason}`);
    }
  }
}
