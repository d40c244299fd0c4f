import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
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
  const names = files.map((url) => {
    const [, folder] = /\/packages\/([^/]+)\//.exec(url) ?? [];
    if (folder !== undefined) return folder === 'toolfold' ? folder : `@toolfold/${folder}`;
    return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? url;
  });
  return [...new Set(names)].toSorted();
}

/** The files of the packages of Toolfold, below `packages`. */
const own = (files: readonly string[]): string[] =>
  files
    .filter((url) => !url.includes('/node_modules/'))
    .map((url) => url.slice(root.href.length + 'packages/'.length));

const read = (path: string): string => readFileSync(new URL(`packages/${path}`, root), 'utf8');

const kBOf = (paths: readonly string[]): number => gzipSync(paths.map(read).join('')).length / 1000;

// A start costs almost in proportion to the loaded code and the number of its files. See docs/decisions/0007-start-up.md.
describe('loading toolfold', () => {
  const files = filesOf(`await import('toolfold');`);

  it('loads these packages and no other', () => {
    expect(packagesOf(files)).toEqual(['@toolfold/profiles', '@toolfold/schema', 'toolfold', 'zod']);
  });

  it('loads about 245 kB of code, gzipped', () => {
    expect(kBOf(own(files))).toBeLessThan(270);
  });

  it('loads only those files of Zod that its user loads', () => {
    const alone = filesOf(`await import('zod');`);
    expect(alone.length).toBeGreaterThan(10);
    expect(files.filter((url) => url.includes('/node_modules/') && !alone.includes(url))).toEqual([]);
  });

  it('formats no number in a language, because the first one takes nine milliseconds', () => {
    filesOf(`
      Number.prototype.toLocaleString = Intl.NumberFormat = () => { throw new Error('formatted'); };
      await import('toolfold');
      await import('toolfold/node');
    `);
  });

  it('loads the package of a form when a server offers it, not before', () => {
    const use = (form: string): string[] =>
      packagesOf(
        filesOf(`
          const { ToolRegistry } = await import('toolfold');
          const { Exposure } = await import('toolfold/web');
          const registry = new ToolRegistry({ name: 'a' });
          registry.register({ name: 'b', description: 'B', inputSchema: {}, handler: () => 'b' });
          await new Exposure(registry, { view: { form: '${form}' } }).viewFor({});
        `),
      );
    expect(use('grouped')).not.toContain('@toolfold/search');
    expect(use('search')).toContain('@toolfold/search');
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
    expect(packagesOf(files)).toEqual(['@toolfold/profiles', '@toolfold/schema', 'toolfold', 'zod']);
    expect(own(files).filter((path) => /stdio|sdk|linear|generate/.test(path))).toEqual([]);
  });
});

describe('loading @toolfold/search', () => {
  it('loads no other form', () => {
    const files = filesOf(`
      const { createToolSearch } = await import('@toolfold/search');
      const search = createToolSearch([{ address: 'a', name: 'find_bikes' }]);
      if (search.search('a bike')[0]?.address !== 'a') throw new Error('not found');
    `);
    expect(packagesOf(files)).not.toContain('@toolfold/code');
  });
});

describe('loading @toolfold/devtools', () => {
  const use = (options: string): string[] =>
    own(
      filesOf(`
        process.env.NODE_ENV = 'production';
        const { ToolRegistry } = await import('toolfold');
        const { devtools } = await import('@toolfold/devtools');
        const page = await devtools(new ToolRegistry({ name: 'a' }), { port: 0, ${options} });
        await page.close();
      `),
    ).filter((path) => path.startsWith('devtools/'));

  it('loads little in production, and none of the page', () => {
    const files = use('');
    expect(files).not.toContain('devtools/dist/chunks/page.js');
    expect(kBOf(files)).toBeLessThan(10);
  });

  it('loads the page when it is served', () => {
    expect(use('enabled: true')).toContain('devtools/dist/chunks/page.js');
  });
});

describe('the command line', () => {
  const packagesFor = (...argv: string[]): string[] =>
    packagesOf(
      filesOf(`
        const { write } = process.stdout;
        process.stdout.write = (_text, done) => (done?.(), true);
        process.argv = ['node', 'toolfold', ...${JSON.stringify(argv)}];
        process.exit = () => {};
        await import('@toolfold/cli/main');
        process.stdout.write = write;
      `),
    );

  it('loads the tokenizer of 2 MB only for commands that count', () => {
    const list = 'test/data/servers/playwright-0.0.83.json';
    expect(packagesFor('search', 'explain', list, 'click')).not.toContain('gpt-tokenizer');
    expect(packagesFor('inspect', list)).toContain('gpt-tokenizer');
  });
});
