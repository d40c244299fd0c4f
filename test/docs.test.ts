import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findUndocumented, renderApiPages } from '../scripts/docs-api-pages.js';
import { statedDefaults } from '../scripts/docs-defaults.js';
import { fillLintRules, LINT_PAGE } from '../scripts/docs-lint.js';
import { fillErrors } from '../scripts/docs-errors.js';
import { headerLikeTexts } from '../scripts/docs-headers.js';
import { anchorsOf, faultOf, linksOf } from '../scripts/docs-links.js';
import { faultsOfTables } from '../scripts/docs-option-tables.js';
import { fillPackages } from '../scripts/docs-packages.js';
import { PROFILES_PAGE, renderProfiles } from '../scripts/docs-profiles.js';
import { fillBlocks, markdownFiles } from '../scripts/docs.js';
import { packageFolders } from '../scripts/packages.js';

const root = new URL('../', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');
const files = markdownFiles();
const apiPages = renderApiPages();
const API = 'docs/reference/api';
/** Resolves a link to a path in the repository. */
const targetOf = (file: string, link: string): string => {
  const { pathname, hash } = new URL(link, new URL(file, 'file:///'));
  return `${decodeURIComponent(pathname).slice(1)}${hash}`;
};
const isElsewhere = (link: string): boolean => /^[a-z]+:/i.test(link);

describe.each(files)('%s', (file) => {
  const markdown = read(file);

  it('takes every TypeScript block from a tested file', () => {
    if (apiPages.has(file)) return;
    const loose = [...markdown.matchAll(/(.*)\n```(?:ts|js|typescript)\n/g)].filter(
      ([, above]) => !above?.startsWith('<!-- code: '),
    );
    expect(loose.map(([block]) => block)).toEqual([]);
  });

  it('links to existing files and headings', () => {
    const dead = linksOf(markdown).filter(({ target: link }) => {
      if (isElsewhere(link)) return false;
      const [path = '', anchor] = targetOf(file, link).split('#');
      if (!existsSync(new URL(path, root))) return true;
      return anchor !== undefined && !anchorsOf(read(path)).has(decodeURIComponent(anchor));
    });
    expect(dead.map(({ target }) => target)).toEqual([]);
  });

  it('links only to known hosts', () => {
    const faults = linksOf(markdown).flatMap(({ target }) => {
      const fault = isElsewhere(target) ? faultOf(target) : undefined;
      return fault === undefined ? [] : [`${target} ${fault}`];
    });
    expect(faults).toEqual([]);
  });

  it('describes every picture', () => {
    const silent = [...markdown.matchAll(/!\[\s*\]\([^)]*\)|<img(?![^>]*\balt="[^"]+")[^>]*>/g)];
    expect(silent.map(([picture]) => picture)).toEqual([]);
  });

  it('has tables with the options of their types', () => {
    expect(faultsOfTables(markdown)).toEqual([]);
  });
});

describe('the checks of the documentation', () => {
  it('reject a block with lines after the end of the output, which would stay empty', () => {
    const block = (range: string) => `<!-- code: examples/hello/main.ts ${range} -->\n\`\`\`ts\n\`\`\`\n`;
    expect(fillBlocks(block('1-2')).split('\n')).toHaveLength(6);
    expect(() => fillBlocks(block('1-9999'))).toThrow('examples/hello/main.ts has no line 9999');
  });

  it('find links, pictures and references, and none in code', () => {
    const page = '[a](b.md#c) ![d](e.svg) `[f](g)`\n```\n[h](i)\n```\n[j]: k.md\n<img src="l.png" alt="m">';
    expect(linksOf(page).map(({ target }) => target)).toEqual(['b.md#c', 'e.svg', 'l.png', 'k.md']);
  });

  it('compute the anchors of headings', () => {
    const page = '# One `two` — three\n## [Four](five.md)!\n```\n# six\n```\n## Four';
    expect([...anchorsOf(page)]).toEqual(['one-two--three', 'four', 'four-1']);
  });

  it('reject addresses of unknown hosts', () => {
    expect(faultOf('https://modelcontextprotocol.io/specification')).toBeUndefined();
    expect(faultOf('http://modelcontextprotocol.io')).toBe('is not https');
    expect(faultOf('https://elsewhere.example')).toContain('elsewhere.example');
    expect(faultOf('https://[')).toBe('is no address');
  });

  it('find missing, duplicate and unknown options in a table', () => {
    const table = (rows: string): string =>
      `<!-- options: ConcurrencyOptions -->\n| option | |\n|---|---|\n${rows}\n`;
    expect(faultsOfTables(table('| `max`, `queue` | |'))).toEqual([]);
    expect(faultsOfTables(table('| `max` | |'))).toEqual(['the table of ConcurrencyOptions lacks queue']);
    expect(faultsOfTables(table('| `max`, `queue` | |\n| `max` | |'))).toEqual([
      'the table of ConcurrencyOptions has max twice',
    ]);
    expect(faultsOfTables(table('| `max`, `queue`, `more` | |'))).toEqual(['ConcurrencyOptions has no more']);
    expect(faultsOfTables('text\n| option | |\n|---|---|\n| `max` | |\n')).toHaveLength(1);
  });
});

describe('the documentation as a whole', () => {
  it('can be reached from its index and the README', () => {
    const reached = new Set(['README.md', 'docs/README.md']);
    for (const file of reached) {
      if (!file.endsWith('.md')) continue;
      for (const { target } of linksOf(read(file))) {
        if (isElsewhere(target)) continue;
        const [path = ''] = targetOf(file, target).split('#');
        if (existsSync(new URL(path, root))) reached.add(path);
      }
    }
    const all = readdirSync(new URL('docs/', root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name))
      .map((name) => `docs/${name}`);
    expect(all.filter((file) => !reached.has(file))).toEqual([]);
  });

  it('lists every guide and reference page in its index', () => {
    const index = new Set(
      linksOf(read('docs/README.md')).map(({ target }) => targetOf('docs/README.md', target)),
    );
    const pages = files.filter((file) => /^docs\/(?:guides|reference)\/[^/]+\.md$/.test(file));
    expect(pages.filter((file) => !index.has(file))).toEqual([]);
  });

  const pictures = readdirSync(new URL('docs/pictures/', root));

  it('has screenshots of together less than 1.5 MB', () => {
    const screenshots = pictures.filter((name) => name.endsWith('.png'));
    const bytes = screenshots.map((name) => readFileSync(new URL(`docs/pictures/${name}`, root)).length);
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_500_000);
  });

  const drawings = pictures.filter((name) => name.endsWith('.svg'));
  it.each(drawings)('has a picture %s for light and dark', (name) => {
    const picture = read(`docs/pictures/${name}`);
    expect(picture).toMatch(/<title[^>]*>[^<]+<\/title>/);
    expect(picture).toContain('prefers-color-scheme: dark');
    // A picture fetches nothing and runs no code.
    expect(picture.replace('xmlns="http://www.w3.org/2000/svg"', '')).not.toMatch(
      /https?:|<script|<image|@import|url\(/,
    );
    expect(picture.length).toBeLessThan(10_000);
  });
});

describe('the reference', () => {
  it('lists every export; otherwise run `npm run docs`', () => {
    expect(readdirSync(new URL(`${API}/`, root)).map((name) => `${API}/${name}`)).toEqual(
      [...apiPages.keys()].toSorted(),
    );
    for (const [file, text] of apiPages) expect(read(file)).toBe(text);
  });

  it('has a comment for every export, option and member; write the missing ones in the source', () => {
    expect(findUndocumented()).toEqual([]);
  });

  it('states the defaults of the code', () => {
    const stated = statedDefaults();
    expect(stated.length).toBeGreaterThan(60);
    expect(stated.filter(({ isRight, inCode }) => !isRight && inCode.length > 0)).toEqual([]);
    /** Defaults that are no literal in the code, because the code compares with the opposite or passes `undefined` on. */
    const unwritten = stated.filter(({ inCode }) => inCode.length === 0).map(({ option }) => option);
    expect(unwritten.toSorted()).toEqual([
      'ApiBody.required',
      'ApiKeysOptions.header',
      'Authenticator.headers',
      'CacheOptions.shared',
      'ClientHints.alwaysLoad',
      'ClientHints.requiresPerson',
      'CodeLimits.callBytes',
      'CodeLimits.calls',
      'CodeLimits.codeBytes',
      'CodeLimits.concurrentCalls',
      'CodeLimits.cpuMs',
      'CodeLimits.logBytes',
      'CodeLimits.memoryBytes',
      'CodeLimits.resultBytes',
      'CodeLimits.wallMs',
      'CodeSettings.limits',
      'ConcurrencyOptions.queue',
      'ExposurePolicy.namespaceToolsWithSetKey',
      'ExposurePolicy.readOnly',
      'FromMcpServerOptions.roots',
      'OAuthOptions.audience',
      'OAuthOptions.scopesSupported',
      'SchemaInput.onConflict',
      'SessionContextConfig.allowCredentials',
      'TaskRule.input',
      'TaskRule.required',
      'ToolDefinition.textFormat',
      'ToolDefinition.unknownOutput',
      'ToolMetadata.allowNarrower',
      'ToolRegistryOptions.wireNames',
      'ToolsetConfig.loaderTimeoutMs',
      'ViewPolicy.readOnly',
    ]);
  });

  it('lists every error with its hints; otherwise run `npm run docs`', () => {
    const page = read('docs/reference/errors.md');
    expect(fillErrors(page)).toBe(page);
  });

  it('lists every rule of toolfold lint; otherwise run `npm run docs`', () => {
    const page = read(LINT_PAGE);
    expect(fillLintRules(page)).toBe(page);
  });

  it('lists every rule of the client profiles; otherwise run `npm run docs`', () => {
    expect(read(PROFILES_PAGE)).toBe(renderProfiles());
  });

  it('lists exactly the headers that are read or sent', () => {
    const page = read('docs/reference/headers.md');
    const tables = page.split('## Paths')[0] ?? '';
    const documented = [...tables.matchAll(/^\| `([\w*-]+)` \| (?:both|2025|2026) \| /gm)].map(
      ([, name = '']) => name.toLowerCase().replace('*', ''),
    );
    /** Texts that look like headers but are not. */
    const others = new Set([
      'no-cache',
      'no-transform',
      'related-task',
      'session-message',
      'session-message-taken',
      'x-mcp-header',
    ]);
    const found = [...headerLikeTexts().keys()];
    expect([...others].filter((text) => !found.includes(text))).toEqual([]);
    expect(found.filter((text) => !others.has(text)).toSorted()).toEqual([...new Set(documented)].toSorted());
  });

  it('lists the environment variables that choose a mode', () => {
    const [, names = ''] =
      /const names[^=]*= \{([\s\S]*?)\n\};/.exec(read('packages/toolfold/src/toolsets/server-mode.ts')) ?? [];
    const known = [...new Set(names.match(/[A-Z]+(?:_[A-Z]+)+/g))].toSorted();
    const tables = files.flatMap(
      (file) => read(file).match(/^\| command line \| environment \|.*(?:\n\|.*)+/gm) ?? [],
    );
    const told = [...tables.join('\n').matchAll(/`([A-Z_]+)=/g)].map(([, name]) => name).toSorted();
    expect(known.length).toBeGreaterThan(3);
    expect(told).toEqual(known);
  });
});

describe('docs/architecture.md', () => {
  const page = read('docs/architecture.md');
  const folders = [...page.matchAll(/^\| `(\w+)\/` \| .+ \| `[\w./-]+` \|$/gm)].map(([, name = '']) => name);
  /** Paths on the page are relative to the source of the framework, unless they begin with `packages/`. */
  const pathOf = (file: string): string =>
    file.startsWith('packages/') ? file : `packages/toolfold/src/${file}`;

  it('lists every package with its figures, within 5 %; otherwise run `npm run docs`', () => {
    const figure = /\| (\d[\d,]*)(?= \|)/g;
    const [now, listed] = [fillPackages(page), page].map((text) => ({
      words: text.replaceAll(figure, '| n'),
      figures: [...text.matchAll(figure)].map(([, count = '']) => Number(count.replace(',', ''))),
    }));
    expect(listed?.words).toBe(now?.words);
    expect(listed?.figures).toHaveLength(2 * (packageFolders.length + 2));
    const isOff = (count: number, at: number): boolean =>
      Math.abs(count - (now?.figures[at] ?? 0)) > Math.max(3, count * 0.05);
    expect(listed?.figures.filter(isOff)).toEqual([]);
  });

  it('says for every package with sources where to start', () => {
    const [, table = ''] = /^\| package \| folders \|.*\n((?:\|.*\n)+)/m.exec(page) ?? [];
    const started = [...table.matchAll(/^\| `@toolfold\/(\w+)` \|.* \| `packages\/(\w+)\/src\//gm)];
    const others = packageFolders.filter((name) => !['toolfold', 'create-toolfold'].includes(name));
    expect(started.map(([, name]) => name)).toEqual(others);
    expect(started.map(([, , folder]) => folder)).toEqual(others);
  });

  it('lists every folder of the framework, in the order of the import rule', () => {
    const [, list = ''] = /const floors = \[([^\]]+)\]/.exec(read('test/pins/imports.test.ts')) ?? [];
    expect(folders).toEqual([...list.matchAll(/'([\w.]+)'/g)].map(([, name]) => name));
    const there = readdirSync(new URL('packages/toolfold/src/', root), { withFileTypes: true });
    const found = there.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    expect(folders.toSorted()).toEqual(found.toSorted());
  });

  it('names existing files', () => {
    const named = [...page.matchAll(/`([\w-]+\/[\w/-]+\.ts)`/g)].map(([, file = '']) => file);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((file) => !existsSync(new URL(pathOf(file), root)))).toEqual([]);
  });

  it('names functions and types that their files declare', () => {
    const path = String.raw`\`([\w-]+\/[\w/-]+\.ts)\``;
    const name = String.raw`\`[#\w.]+(?:\([^)\`]*\))?\``;
    // For example "`a` and `b` in `folder/file.ts`", "`a`, `folder/file.ts`" or "| `a` | `folder/file.ts` |".
    const places = new RegExp(
      String.raw`((?:${name}(?:, | and ))*${name})(?:,\s| \| |\s(?:of|in)\s)${path}`,
      'g',
    );
    const named = [...page.matchAll(places)].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/`([#\w.]+)/g)].flatMap(([, dotted = '']) => {
        const [last = '', ...owners] = dotted.split('.').toReversed();
        return [last, ...owners.filter((owner) => /^[A-Z]/.test(owner))].map((one) => ({ name: one, file }));
      }),
    );
    const isDeclared = ({ name: one, file }: (typeof named)[number]): boolean =>
      new RegExp(
        String.raw`\b(?:function|class|const|interface|type) ${one}\b|^ +(?:\w+ )*${one}(?:[?:=(<]| =)`,
        'm',
      ).test(read(pathOf(file)));
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter((each) => !isDeclared(each))).toEqual([]);
  });

  it('shows a walk through files that exist; otherwise run `npm run docs`', () => {
    const [, walk = ''] = /<!-- npm run walk -->\n```\n([\s\S]*?)\n```/.exec(page) ?? [];
    const walked = walk.split('\n\n')[0]?.split('\n  packages/').slice(1) ?? [];
    const files = walked.flatMap((part) => {
      const [folder = '', ...lines] = part.split('\n');
      return lines.map((line) => `packages/${folder}${line.trim().split(':')[0]}`);
    });
    expect(files.length).toBeGreaterThan(15);
    expect(files.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });

  it('draws the same packages and folders', () => {
    const drawn = [...read('docs/pictures/architecture.svg').matchAll(/class="name"[^>]*>([^<]+)</g)].map(
      ([, name = '']) => name.replace('/', ''),
    );
    expect(drawn.toSorted()).toEqual([...folders, ...packageFolders, 'clients'].toSorted());
  });

  it('numbers the steps of a call like the comments in the code', () => {
    const sources = readdirSync(new URL('packages/toolfold/src/engine/', root), {
      recursive: true,
      encoding: 'utf8',
    }).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    const numbered = sources.flatMap((name) =>
      [...read(`packages/toolfold/src/engine/${name}`).matchAll(/^\s*(?:\/\/|\/\*\*) (\d [a-z]+)\b/gm)].map(
        ([, step = '']) => step,
      ),
    );
    const steps = [...new Set(numbered)].toSorted();
    expect(steps).toHaveLength(7);
    const rows = [...page.matchAll(/^\| (\d \w+) \| /gm)].map(([, step]) => step);
    expect(rows).toEqual(steps);
    for (const step of steps) {
      expect(read('docs/pictures/call.svg')).toContain(`>${step}<`);
      expect(read('docs/lifecycle.md')).toContain(`─ ${step} `);
    }
  });
});

describe('the README', () => {
  const readme = read('README.md');

  it('has exactly two set-up lines, and CI runs the test command', () => {
    const lines = [...readme.matchAll(/^```sh\n([\s\S]*?)\n```$/gm)].map(([, line]) => line);
    expect(lines).toEqual(['npm ci && npm start', 'npm ci && npm test']);
    expect(read('.ci/run')).toContain('npm ci && npm test');
  });

  it('shows a program with its output, and links to the program of `npm start`', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(readme).toContain('<!-- code: examples/hello/server.ts -->');
    expect(readme).toContain('<!-- output: examples/hello/main.ts -->');
    expect(scripts['start']).toContain(' examples/showcase/start.ts');
    expect(readme).toContain('(examples/showcase/)');
  });

  it('names the packages to install before the commands that open the page', () => {
    const [page = ''] = /^\[The page\][^]*?(?=^## )/m.exec(readme) ?? [];
    expect(page).toMatch(/npm install --save-dev @toolfold\/cli\nnpx toolfold ui /);
    expect(page).toMatch(/`npm install --save-dev tsx` and `npx toolfold dev server\.ts`/);
  });

  it('has only figures that are on the pages it links to', () => {
    const [, section = ''] = readme.split('## Benchmarks');
    let page = '';
    for (const row of section.matchAll(/^\| (?!---)(.+?) \| (.+?) \| (.*?) \| (.*?) ?\|$/gm)) {
      page = /\]\(([^)]+)\)/.exec(row[4] ?? '')?.[1] ?? page;
      const figures = `${row[2]} ${row[3]}`.match(/\d[\d,.]*\d(?!\w)/g) ?? [];
      for (const figure of figures) expect(read(page), `${row[1]}: ${figure}`).toContain(figure);
    }
    expect(page).not.toBe('');
  });
});

describe.each(packageFolders)('the README of %s', (folder) => {
  const file = `packages/${folder}/README.md`;

  it('has links that work on the page of npm, which shows it without the repository', () => {
    const links = linksOf(read(file)).map(({ target }) => target);
    expect(links.length).toBeGreaterThan(0);
    const repository = 'https://github.com/toolfold/toolfold/blob/main/';
    const broken = links.filter((link) => {
      if (!link.startsWith('https://')) return !link.startsWith('#');
      const [path = '', anchor] = link.replace(repository, '').split('#');
      if (!link.startsWith(repository)) return false;
      if (!existsSync(new URL(path, root))) return true;
      return anchor !== undefined && !anchorsOf(read(path)).has(anchor);
    });
    expect(broken).toEqual([]);
  });
});

describe('the guide to toolsets', () => {
  it('[S003-40] shows in three steps how a module is added, with code that runs', () => {
    const [, steps = ''] = read('docs/guides/toolsets.md').split('## Add a module');
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

it('draws the chart and the table of growth from the measured figures', async () => {
  const chart = new URL('../bench/growth-chart.mjs', import.meta.url);
  const { drawGrowth, tabulateGrowth } = (await import(chart.href)) as Record<
    string,
    (rows: unknown) => string
  >;
  const { rows } = JSON.parse(read('bench/growth.json')) as { rows: unknown };
  expect(read('docs/pictures/growth.svg')).toBe(drawGrowth?.(rows));
  expect(read('docs/reference/performance.md')).toContain(`<!-- growth -->\n${tabulateGrowth?.(rows)}`);
});
