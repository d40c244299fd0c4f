import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { ToolRegistry } from '../packages/toolfold/dist/index.js';
import { Exposure } from '../packages/toolfold/dist/web.js';
import { createFinance } from '../examples/showcase/finance.js';
import { createServer } from '../examples/showcase/server.js';
import { githubToolsets } from '../test/catalog/github-toolsets.js';
import { gitHubLoops, showcaseLoops } from './search-loop-tasks.mjs';

const help = `Counts the tokens of finding, describing and calling tools in the search form, for ten tasks.

  npm run bench:search-loop -- [options]

  --limit <n>  the limit of each search. Default: that of the server
  --print      print the answers of the server too
  --help       show this text

"before" asks one query per search and describes every tool, as models had to do before search results had signatures. Its answers are
those of today without the columns that were added. "after" asks all steps in one search, and describes a tool only if its signature
does not show an argument that the call needs. Both include the arguments that the model writes. Results of the called tools are not
counted.`;

const { values: options } = parseArgs({
  options: { limit: { type: 'string' }, print: { type: 'boolean' }, help: { type: 'boolean' } },
});

/** @typedef {import('./search-loop-tasks.mjs').Loop} Loop */
/** @typedef {import('./search-loop-tasks.mjs').Step} Step */
/** @typedef {{ address: string, signature?: string, kind: string }} Row */
/** @typedef {{ readonly text: string, readonly rows: readonly Row[] }} Answer */
/** @typedef {(name: string, args: object) => Promise<Answer>} Call */

/** @returns {Promise<Call>} */
async function openGitHub() {
  const registry = new ToolRegistry({ name: 'github', rateLimiter: false });
  const toolsets = /** @type {never} */ (githubToolsets('STATIC'));
  const exposure = new Exposure(registry, { toolsets, view: { form: 'search' } });
  return createCall(registry, await exposure.viewFor({}));
}

/** @returns {Promise<Call>} */
async function openShowcase() {
  // The books are not read, because no action is called.
  const finance = createFinance(/** @type {never} */ ({}), () => new Date('2026-03-15T12:00:00Z'));
  const {
    registry,
    http: { toolsets, view },
  } = createServer(finance, { form: 'search' });
  return createCall(registry, await new Exposure(registry, { toolsets, view }).viewFor({}));
}

/**
 * @param {ToolRegistry} registry
 * @param {import('../packages/toolfold/dist/index.js').View} view
 * @returns {Call}
 */
function createCall(registry, view) {
  return async (name, args) => {
    const { content, structuredContent, isError } = await registry.executeTool(
      { name, arguments: { ...args } },
      view,
    );
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    if (isError === true) throw new Error(text);
    if (options.print) console.log(`${JSON.stringify(args)}\n${text}\n`);
    return { text, rows: /** @type {{ tools: Row[] }} */ (structuredContent).tools };
  };
}

/** Tokens of a call: what the model writes, and what it reads. */
const cost = (/** @type {string} */ name, /** @type {object} */ args, text = '') =>
  countTokens(JSON.stringify({ name, arguments: args })) + countTokens(text);

const more = options.limit === undefined ? {} : { limit: Number(options.limit) };

/** @param {Row | undefined} row @param {Step} step */
function costOfCall(row, { address, arguments: args }) {
  if (!row) throw new Error(`${address} was not found.`);
  return cost(`call_${row.kind}_tool`, { address, arguments: args });
}

/** @param {Call} call @param {Loop} loop */
async function measureBefore(call, { steps }) {
  let search = 0;
  let calls = 0;
  for (const step of steps) {
    const args = { query: step.query, ...more };
    const { text, rows } = await call('search_tools', args);
    search += cost('search_tools', args, withoutNewColumns(text, rows));
    calls += costOfCall(
      rows.find(({ address }) => address === step.address),
      step,
    );
  }
  const args = { addresses: steps.map(({ address }) => address) };
  const describe = cost('describe_tools', args, (await call('describe_tools', args)).text);
  return { search, describe, call: calls, requests: 2 * steps.length + 1, total: search + describe + calls };
}

/** The answer as it was without signatures and confidence. @param {string} text @param {readonly Row[]} rows */
function withoutNewColumns(text, rows) {
  if (rows.every(({ signature }) => signature === undefined)) return text;
  const header = '{address,summary,kind,toolset}';
  const lines = rows.map((row) => {
    const { address, summary, kind, toolset } = /** @type {Record<string, string>} */ (
      /** @type {unknown} */ (row)
    );
    return `  ${address},${/[,:]/.test(summary ?? '') ? JSON.stringify(summary) : summary},${kind},${toolset}`;
  });
  return [`tools[${rows.length}]${header}:`, ...lines].join('\n');
}

/** @param {Call} call @param {Loop} loop */
async function measureAfter(call, { steps }) {
  const args =
    steps.length > 1
      ? { queries: steps.map(({ query }) => query), ...more }
      : { query: steps[0]?.query, ...more };
  const { text, rows } = await call('search_tools', args);
  let search = cost('search_tools', args, text);
  let requests = 1 + steps.length;
  let calls = 0;
  /** @type {string[]} */
  const unclear = [];
  for (const step of steps) {
    let row = rows.find(({ address }) => address === step.address);
    if (!row) {
      const again = { query: step.query, ...more };
      const answer = await call('search_tools', again);
      search += cost('search_tools', again, answer.text);
      requests++;
      row = answer.rows.find(({ address }) => address === step.address);
    }
    calls += costOfCall(row, step);
    if (!shows(row?.signature ?? '(…)', Object.keys(step.arguments))) unclear.push(step.address);
  }
  let describe = 0;
  if (unclear.length > 0) {
    const asked = { addresses: unclear };
    describe = cost('describe_tools', asked, (await call('describe_tools', asked)).text);
    requests++;
  }
  return { search, describe, call: calls, requests, total: search + describe + calls };
}

/** Whether a signature shows all required arguments, and these ones with their types. @param {string} signature @param {readonly string[]} names */
function shows(signature, names) {
  if (/^\(…\)$|: …|more required…/.test(signature)) return false;
  return names.every((name) => {
    const [, type] = new RegExp(`[( ]${name}(\\??: [^,]*|=[^,]*)`).exec(signature) ?? [];
    return type !== undefined && !type.includes('…');
  });
}

if (options.help) {
  console.log(help);
} else {
  const all = [
    { call: await openGitHub(), loops: gitHubLoops },
    { call: await openShowcase(), loops: showcaseLoops },
  ];
  const head = ['task', 'steps', 'before', 'requests', 'after', 'search', 'describe', 'requests', 'change'];
  console.log(`| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`);
  const sums = { steps: 0, before: 0, wereSent: 0, after: 0, search: 0, describe: 0, areSent: 0 };
  for (const { call, loops } of all) {
    for (const loop of loops) {
      const before = await measureBefore(call, loop);
      const after = await measureAfter(call, loop);
      sums.steps += loop.steps.length;
      sums.before += before.total;
      sums.wereSent += before.requests;
      sums.after += after.total;
      sums.search += after.search;
      sums.describe += after.describe;
      sums.areSent += after.requests;
      print(
        loop.title,
        loop.steps.length,
        before.total,
        before.requests,
        after.total,
        after.search,
        after.describe,
        after.requests,
      );
    }
  }
  print('all', sums.steps, sums.before, sums.wereSent, sums.after, sums.search, sums.describe, sums.areSent);
}

/** @param {string} title @param {number} steps @param {number} before @param {number} wereSent @param {number} after @param {number[]} others */
function print(title, steps, before, wereSent, after, ...others) {
  const change = `${Math.round(100 * (after / before - 1))} %`;
  console.log(`| ${[title, steps, before, wereSent, after, ...others, change].join(' | ')} |`);
}
