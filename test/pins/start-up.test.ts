import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modernRequest } from '../wire/raw-request.js';

const root = new URL('../../', import.meta.url);

/** Records every module that the loader reads; CommonJS modules are in their own cache. */
const program = (code: string): string => `
  import { createRequire, register } from 'node:module';
  import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
  const { port1, port2 } = new MessageChannel();
  const hook = \`
    let port;
    export const initialize = (data) => { port = data; };
    export const load = (url, context, next) => { port.postMessage(url); return next(url, context); };
  \`;
  register('data:text/javascript,' + encodeURIComponent(hook), { data: port2, transferList: [port2] });
  const noted = new Set();
  const loaded = () => {
    for (let note; (note = receiveMessageOnPort(port1)); ) noted.add(note.message);
    for (const path of Object.keys(createRequire(import.meta.url).cache)) noted.add('file://' + path);
    return [...noted];
  };
  ${code}
  console.log(JSON.stringify(loaded()));
`;

/** The files that a program loads. */
function filesOf(code: string): string[] {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program(code)],
    { cwd: root, encoding: 'utf8', timeout: 20_000 },
  );
  expect(stderr).toBe('');
  expect(status).toBe(0);
  const loaded = JSON.parse(stdout) as string[];
  // Node loads the files of one level in any order.
  return loaded.filter((url) => url.startsWith('file:')).toSorted();
}

function packagesOf(files: readonly string[]): string[] {
  const names = files.map((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? 'toolfold');
  return [...new Set(names)].toSorted();
}

const own = (files: readonly string[]): string[] => files.filter((url) => !url.includes('/node_modules/'));

const bytesOf = (files: readonly string[]): number =>
  own(files).reduce((sum, url) => sum + statSync(fileURLToPath(url)).size, 0);

// A start costs almost in proportion to the number of loaded files. See docs/decisions/0007-start-up.md.
describe('loading toolfold', () => {
  const files = filesOf(`await import('toolfold');`);

  it('loads these packages and no other', () => {
    expect(packagesOf(files)).toEqual(['toolfold', 'zod']);
  });

  it('loads three files of the package, of at most 628,000 bytes', () => {
    expect(own(files).map((url) => url.slice(root.href.length))).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/shared.js',
      'dist/index.js',
    ]);
    expect(bytesOf(files)).toBeLessThan(628_000);
  });

  it('loads only those files of Zod that its user loads', () => {
    const alone = filesOf(`await import('zod');`);
    expect(alone.length).toBeGreaterThan(10);
    expect(files.filter((url) => url.includes('/node_modules/') && !alone.includes(url))).toEqual([]);
  });

  it('loads files of ASCII characters only, which V8 keeps in half the memory', () => {
    const others = own(files).filter((url) => /[^\0-\x7F]/.test(readFileSync(fileURLToPath(url), 'utf8')));
    expect(others).toEqual([]);
  });

  it('loads the search code with the first query, not before', () => {
    const use = (call: string): string[] =>
      own(
        filesOf(`
          const { ToolRegistry } = await import('toolfold');
          const { Exposure } = await import('toolfold/web');
          const registry = new ToolRegistry({ name: 'a' });
          registry.register({ name: 'b', description: 'B', inputSchema: {}, handler: () => 'b' });
          const view = new Exposure(registry, { view: { form: 'search' } }).viewFor({});
          const result = await registry.executeTool(${call}, view);
          if (result.isError) throw new Error(result.content[0].text);
        `),
      ).map((url) => url.slice(root.href.length));
    expect(use(`{ name: 'call_write_tool', arguments: { address: 'b' } }`)).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/serving.js',
      'dist/chunks/shared.js',
      'dist/index.js',
      'dist/web.js',
    ]);
    expect(use(`{ name: 'search_tools', arguments: { query: 'b' } }`)).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/open-search.js',
      'dist/chunks/serving.js',
      'dist/chunks/shared.js',
      'dist/chunks/tool-search.js',
      'dist/index.js',
      'dist/web.js',
    ]);
  });

  it('loads the validator generator only for JSON Schemas that are used often', () => {
    const use = (times: number): string[] =>
      packagesOf(
        filesOf(`
          const { ToolRegistry } = await import('toolfold');
          const { z } = await import('zod');
          const registry = new ToolRegistry({ name: 'a' });
          registry.register(
            { name: 'b', description: 'B', inputSchema: z.object({}), handler: () => 'b' },
            { name: 'c', description: 'C', inputSchema: { type: 'object' }, handler: () => 'c' },
          );
          for (let use = 0; use < ${times}; use++)
            for (const name of ['b', 'c']) await registry.executeTool({ name, arguments: {} });
          // It comes some time after it was asked for; half a second is for it not to come.
          const end = Date.now() + (${times} > 100 ? 15_000 : 500);
          while (Date.now() < end && !loaded().some((url) => url.includes('/ajv/')))
            await new Promise((resolve) => setTimeout(resolve, 20));
        `),
      );
    expect(use(50)).not.toContain('ajv');
    expect(use(150)).toContain('ajv');
  });
});

describe('loading toolfold/node', () => {
  it('loads no SDK, and answers a plain call without one', () => {
    const files = filesOf(`
      const { ToolRegistry } = await import('toolfold');
      const { serveHttp } = await import('toolfold/node');
      const { z } = await import('zod');
      const registry = new ToolRegistry({ name: 'a' });
      registry.register({ name: 'b', description: 'B', inputSchema: z.object({}), handler: () => 'b' });
      const { url, close } = await serveHttp(registry, { port: 0 });
      const response = await fetch(url, ${JSON.stringify(modernRequest('tools/call', { name: 'b', arguments: {} }))});
      if ((await response.json()).result.content[0].text !== 'b') throw new Error('not answered');
      await close();
    `);
    expect(packagesOf(files)).toEqual(['toolfold', 'zod']);
    // No code for stdio, upstream servers, searches or generated validators.
    expect(own(files).map((url) => url.slice(root.href.length))).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/serving.js',
      'dist/chunks/shared.js',
      'dist/index.js',
      'dist/node.js',
    ]);
  });
});

// Code that only servers need, such as stores, belongs to `toolfold/web`.
describe('loading toolfold/search', () => {
  it('loads at most 60,000 bytes, none of the lexicon, and no package', () => {
    const files = filesOf(`
      const { createToolSearch } = await import('toolfold/search');
      const search = createToolSearch([{ address: 'a', name: 'find_bikes' }]);
      if (search.search('a bike')[0]?.address !== 'a') throw new Error('not found');
    `);
    expect(files.map((url) => url.slice(root.href.length))).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/tool-search.js',
      'dist/search.js',
    ]);
    expect(bytesOf(files)).toBeLessThanOrEqual(60_000);
  });

  it('loads the lexicon of 600 kB from toolfold/lexicon only', () => {
    const files = filesOf(`await import('toolfold/lexicon');`);
    expect(files.map((url) => url.slice(root.href.length))).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/tool-search.js',
      'dist/lexicon.js',
    ]);
    expect(bytesOf(files)).toBeGreaterThan(600_000);
  });
});

describe('loading toolfold/devtools', () => {
  const use = (options: string): string[] =>
    own(
      filesOf(`
        process.env.NODE_ENV = 'production';
        const { ToolRegistry } = await import('toolfold');
        const { devtools } = await import('toolfold/devtools');
        const page = await devtools(new ToolRegistry({ name: 'a' }), { port: 0, ${options} });
        await page.close();
      `),
    ).map((url) => url.slice(root.href.length));

  it('loads at most 40,000 bytes in production, and none of the page', () => {
    const files = use('');
    expect(files).toEqual([
      'dist/chunks/base.js',
      'dist/chunks/shared.js',
      'dist/devtools.js',
      'dist/errors.js',
      'dist/index.js',
    ]);
    expect(statSync(new URL('dist/devtools.js', root)).size).toBeLessThanOrEqual(40_000);
  });

  it('loads the page when it is served', () => {
    expect(use('enabled: true')).toContain('dist/devtools/page.js');
  });
});

describe('the command line', () => {
  const commandFiles = (...argv: string[]): string[] =>
    own(
      filesOf(`
        const { write } = process.stdout;
        process.stdout.write = (_text, done) => (done?.(), true);
        process.argv = ['node', 'toolfold', ...${JSON.stringify(argv)}];
        process.exit = () => {};
        await import('${root.href}dist/cli/main.js');
        process.stdout.write = write;
      `),
    ).map((url) => url.slice(root.href.length));

  it('loads the tokenizer of 2 MB for toolfold tokens only', () => {
    const list = 'test/data/servers/playwright-0.0.83.json';
    const tokenizer = 'dist/analysis/tokens/o200k.js';
    expect(commandFiles('inspect', list)).not.toContain(tokenizer);
    expect(commandFiles('tokens', list)).toContain(tokenizer);
    expect(statSync(new URL(tokenizer, root)).size).toBeLessThan(2_100_000);
  });
});
