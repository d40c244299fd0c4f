import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fillBlocks, markdownFiles, outputOf } from '../scripts/docs.js';

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const files = markdownFiles();

describe('the examples', () => {
  it.each(readdirSync(new URL('examples/', root)))('%s runs and checks itself', (name) => {
    expect(outputOf(`examples/${name}/main.ts`)).not.toBe('');
  });
});

describe.each(files)('%s', (file) => {
  const markdown = read(file);

  it('shows code and output as they are; otherwise run `npm run docs`', () => {
    expect(fillBlocks(markdown)).toBe(markdown);
  });

  it('takes every TypeScript block from a file that is tested', () => {
    const loose = [...markdown.matchAll(/(.*)\n```(?:ts|js|typescript)\n/g)].filter(
      ([, above]) => !above?.startsWith('<!-- code: '),
    );
    expect(loose.map(([block]) => block)).toEqual([]);
  });

  it('links to files that are there', () => {
    const folder = new URL(file, root);
    const links = [...markdown.matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(
      ([, link]) => link ?? '',
    );
    expect(links.filter((link) => !existsSync(new URL(link, folder)))).toEqual([]);
  });
});

describe('the README', () => {
  const readme = read('README.md');

  it('has exactly two set-up lines, and CI runs the one that tests', () => {
    const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, line]) => line);
    expect(lines).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(read('.ci/run')).toContain('npm ci && npm test');
  });

  it('shows what `npm start` runs', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(scripts['start']).toContain('tsx examples/hello/main.ts');
    expect(readme).toContain('<!-- code: examples/hello/main.ts -->');
    expect(readme).toContain('<!-- output: examples/hello/main.ts -->');
  });
});

describe('the guide to toolsets', () => {
  it('[S003-40] shows in three steps how a module is added, with code that runs', () => {
    const [, steps = ''] = read('docs/guides/toolsets.md').split('## Adding a module');
    const titles = [...steps.split('\n## ')[0]!.matchAll(/^### (\d)\. (.*)$/gm)].map(([, step, title]) => [
      step,
      title,
    ]);
    expect(titles).toEqual([
      ['1', 'A function that registers tools'],
      ['2', 'An adapter'],
      ['3', 'A place in a toolset'],
    ]);
    for (const region of ['register', 'adapters', 'catalog'])
      expect(steps).toContain(`<!-- code: examples/toolsets/main.ts#${region} -->`);
  });
});

describe('the advice in docs/reference', () => {
  const advice = read('docs/reference/model.md').split('## Advice')[1] ?? '';

  it('is to keep a namespace when the backend moves [S002-31]', () => {
    expect(advice).toMatch(/namespace.*stays the same/is);
  });

  it('is to keep tags short and searchable [S002-32]', () => {
    expect(advice).toMatch(/tags.*short.*search/is);
  });

  it('is to write 2020-12 with type and required [S002-35]', () => {
    const schemas = read('docs/reference/schemas.md').split('## Advice')[1] ?? '';
    expect(schemas).toMatch(/2020-12.*`type`.*`required`/is);
  });
});
