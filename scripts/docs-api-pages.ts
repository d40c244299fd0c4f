/** Renders the pages of `docs/reference/api` from the exports. `npm run docs` writes them, and a test compares them. */
import { basesOf, isErrorOfTable, readEntries, undocumented, unexported } from './docs-api.js';
import { renderDeclaration } from './docs-render-declaration.js';
import { resolve } from './docs-read-declarations.js';
import type { Declaration } from './docs-read-declarations.js';

interface Page {
  readonly file: string;
  readonly title: string;
  readonly from: string;
  /** For an entry point with several pages: the folders, packages or files whose exports are on this page. */
  readonly folders?: readonly string[];
  /** Names that most readers look for, which come first. */
  readonly first?: readonly string[];
  /** Pages that explain these exports, relative to `docs/`. */
  readonly guides: readonly (readonly [title: string, path: string])[];
}

const FOLDER = 'docs/reference/api';

const pages: readonly Page[] = [
  {
    file: 'registry.md',
    title: 'The registry',
    from: 'toolfold',
    folders: ['registry', 'engine', 'views', 'questions', 'callers', 'schema/errors'],
    guides: [
      ['Tools and the registry', 'reference/tools.md'],
      ['Guards, formatting, caching', 'reference/guards.md'],
      ['Forms', 'reference/forms.md'],
    ],
  },
  {
    file: 'definitions.md',
    title: 'Definitions and handlers',
    from: 'toolfold',
    folders: ['define', 'compile', 'protocol/mcp-types', 'protocol/input-required'],
    first: [
      'ToolDefinition',
      'Handler',
      'ToolContext',
      'ToolCall',
      'Middleware',
      'PromptDefinition',
      'ResourceDefinition',
    ],
    guides: [
      ['Tools and the registry', 'reference/tools.md'],
      ['Guards, formatting, caching', 'reference/guards.md'],
    ],
  },
  {
    file: 'builder.md',
    title: 'The builder',
    from: 'toolfold',
    folders: ['build'],
    guides: [['Tools and the registry', 'reference/tools.md']],
  },
  {
    file: 'results.md',
    title: 'Results',
    from: 'toolfold',
    folders: ['engine/response-formatter', 'engine/error-handler', 'guards/budget', 'protocol/tool-result'],
    guides: [['Guards, formatting, caching', 'reference/guards.md']],
  },
  {
    file: 'guards.md',
    title: 'Guards',
    from: 'toolfold',
    folders: ['guards', 'engine/security-wrapper', 'values/logger', 'stores/rate-limiter'],
    guides: [['Guards, formatting, caching', 'reference/guards.md']],
  },
  {
    file: 'toolsets.md',
    title: 'Toolsets',
    from: 'toolfold/web',
    folders: ['toolsets', 'define'],
    guides: [['Toolsets', 'guides/toolsets.md']],
  },
  {
    file: 'session-context.md',
    title: 'Session contexts',
    from: 'toolfold/web',
    folders: ['callers'],
    guides: [
      ['Toolsets', 'guides/toolsets.md'],
      ['Guards, formatting, caching', 'reference/guards.md'],
    ],
  },
  {
    file: 'model.md',
    title: 'The model',
    from: 'toolfold/model',
    guides: [['Model', 'reference/model.md']],
  },
  {
    file: 'schemas.md',
    title: 'Schemas',
    from: 'toolfold',
    folders: ['schema', 'values/json-schema'],
    guides: [['Schemas', 'reference/schemas.md']],
  },
  {
    file: 'schema.md',
    title: 'Schemas without a server',
    from: '@toolfold/schema',
    guides: [['Schemas', 'reference/schemas.md']],
  },
  {
    file: 'stores.md',
    title: 'Stores and shared state',
    from: 'toolfold',
    folders: ['stores', 'guards/cache'],
    guides: [
      ['Guards, formatting, caching', 'reference/guards.md'],
      ['Run several nodes', 'guides/scaling.md'],
    ],
  },
  {
    file: 'errors.md',
    title: 'Errors',
    from: 'toolfold/errors',
    guides: [['Errors', 'reference/errors.md']],
  },
  {
    file: 'web.md',
    title: 'Serve on any runtime',
    from: 'toolfold/web',
    folders: ['serve', 'stores'],
    guides: [
      ['Serve over HTTP', 'guides/http.md'],
      ['Mount in an existing app', 'guides/mounting.md'],
      ['Authentication and CORS', 'guides/auth.md'],
    ],
  },
  {
    file: 'node.md',
    title: 'Serve on Node',
    from: 'toolfold/node',
    guides: [
      ['Serve over HTTP', 'guides/http.md'],
      ['Run over stdio', 'guides/stdio.md'],
      ['Mount in an existing app', 'guides/mounting.md'],
      ['Authentication and CORS', 'guides/auth.md'],
    ],
  },
  {
    file: 'gateway.md',
    title: 'Upstream servers',
    from: '@toolfold/gateway',
    guides: [['Upstream servers', 'guides/upstream.md']],
  },
  {
    file: 'openapi.md',
    title: 'OpenAPI',
    from: '@toolfold/openapi',
    guides: [['OpenAPI', 'guides/openapi.md']],
  },
  {
    file: 'search.md',
    title: 'Search',
    from: '@toolfold/search',
    guides: [['Search', 'guides/search.md']],
  },
  {
    file: 'code.md',
    title: 'Code',
    from: '@toolfold/code',
    guides: [['Code', 'guides/code.md']],
  },
  {
    file: 'profiles.md',
    title: 'Profiles',
    from: '@toolfold/profiles',
    guides: [['Client profiles', 'reference/profiles.md']],
  },
  {
    file: 'testing.md',
    title: 'Testing',
    from: '@toolfold/testing',
    guides: [['Test a server', 'guides/test.md']],
  },
  {
    file: 'testing-vitest.md',
    title: 'Vitest matchers',
    from: '@toolfold/testing/vitest',
    guides: [['Test a server', 'guides/test.md']],
  },
  {
    file: 'client.md',
    title: 'Typed clients',
    from: '@toolfold/testing/client',
    guides: [['Call actions from code', 'guides/callers.md']],
  },
  {
    file: 'analysis.md',
    title: 'Analysis',
    from: '@toolfold/analysis',
    guides: [['Check a surface', 'guides/check-a-surface.md']],
  },
  {
    file: 'analysis-text.md',
    title: 'Hidden characters',
    from: '@toolfold/analysis/text',
    guides: [['Lint rules', 'reference/lint.md']],
  },
  {
    file: 'devtools.md',
    title: 'The page',
    from: '@toolfold/devtools',
    guides: [['The page', 'guides/page.md']],
  },
  {
    file: 'redis.md',
    title: 'Redis',
    from: '@toolfold/redis',
    guides: [['Run several nodes', 'guides/scaling.md']],
  },
  {
    file: 'otel.md',
    title: 'OpenTelemetry',
    from: 'toolfold/otel',
    guides: [['Guards, formatting, caching', 'reference/guards.md#opentelemetry']],
  },
];

interface Placed {
  readonly page: Page;
  readonly anchor: string;
}

/** Every generated page, by its path in the repository. */
export function renderApiPages(): ReadonlyMap<string, string> {
  const entries = readEntries();
  const all = new Set(entries.flatMap(({ exports }) => [...exports.values()]));
  const hidden = unexported(all);
  const onPage = new Map<Declaration, Page>();
  for (const { from, exports } of entries)
    for (const declaration of exports.values())
      if (!onPage.has(declaration)) onPage.set(declaration, pageOf(from, declaration));
  for (const [declaration, by] of hidden) onPage.set(declaration, onPage.get(by) as Page);
  const contents = pages.map((page) => contentsOf(page, all, hidden, onPage));
  const places = new Map(
    contents.flatMap(({ page, anchors }) =>
      [...anchors].map(([declaration, anchor]) => [declaration, { page, anchor }] as const),
    ),
  );

  const linkTo = (target: Declaration, from: Page): string | undefined => {
    const place = places.get(target);
    if (!place) return undefined;
    if (isErrorOfTable(target)) return `../errors.md#${target.name.toLowerCase()}`;
    return `${place.page === from ? '' : place.page.file}#${place.anchor}`;
  };
  const written = new Map<string, string>();
  for (const { page, exported, others } of contents) {
    const render = (declaration: Declaration, level = '##'): string =>
      renderDeclaration(declaration, {
        level,
        bases: basesOf(declaration),
        isPublic: (base) => places.has(base),
        mentions: mentionsOf(declaration, places),
        constants: [...declaration.mentions]
          .flatMap((name) => resolve(declaration.source, name) ?? [])
          .filter((other) => other.kind === 'constant' && !places.has(other)),
        linkTo: (target) => linkTo(target, page),
      });
    written.set(
      `${FOLDER}/${page.file}`,
      [
        `# ${page.title}`,
        `${GENERATED}\n\nImported from \`${page.from}\`. Explained in ${page.guides
          .map(([title, path]) => `[${title}](../../${path})`)
          .join(', ')}.`,
        ...(page.file === 'errors.md' ? [ERRORS] : []),
        ...exported.map((declaration) => render(declaration)),
        ...(others.length === 0 ? [] : [HIDDEN, ...others.map((declaration) => render(declaration, '###'))]),
      ].join('\n\n') + '\n',
    );
  }
  written.set(
    `${FOLDER}/README.md`,
    renderIndex(entries, (target) => linkTo(target, INDEX)),
  );
  return written;
}

/** Lists exports and parts of signatures without a comment. */
export function findUndocumented(): readonly string[] {
  const all = new Set(readEntries().flatMap(({ exports }) => [...exports.values()]));
  const shown = new Set([...all, ...unexported(all).keys()]);
  for (const declaration of shown) for (const base of basesOf(declaration)) shown.add(base);
  return [...shown].flatMap((declaration) =>
    undocumented(declaration).map(
      (name) => `${declaration.source.path.replace('dist/', 'src/').replace('.d.ts', '.ts')}: ${name}`,
    ),
  );
}

const GENERATED = '<!-- Generated from the code by `npm run docs`. Change the comments in `src`. -->';
const ERRORS =
  'Each row of [the error table](../errors.md) has a class. Create an error with `new ErrRateLimited(message, options)`.';
const PARTS = 'parts-of-signatures';
const HIDDEN =
  '## Parts of signatures\n\nThese types appear in the signatures above. They are not exported, because TypeScript infers them.';
const INDEX: Page = { file: 'README.md', title: 'Exports', from: '', guides: [] };

function pageOf(from: string, { name, source }: Declaration): Page {
  // The longest prefix wins, so that a page can take one file out of a folder.
  // Folders of the framework stand without its name.
  const place = source.path.replace(/^packages\/(?:toolfold\/)?/, '').replace('dist/', '');
  const [found] = pages
    .filter((page) => page.from === from)
    .flatMap((page) => (page.folders ?? ['']).map((prefix) => ({ page, prefix })))
    .filter(({ prefix }) => place.startsWith(prefix))
    .toSorted((a, b) => b.prefix.length - a.prefix.length)
    .map(({ page }) => page);
  if (!found) throw new Error(`scripts/docs-api-pages.ts has no page for ${name} of ${source.path}`);
  return found;
}

/** What a page names first, then options and values, then types, in the order in which they are exported. */
function order(list: readonly Declaration[], first: readonly string[] = []): Declaration[] {
  const leading = first.flatMap((name) => list.filter((declaration) => declaration.name === name));
  const rest = list.filter((declaration) => !leading.includes(declaration));
  const isValue = ({ kind }: Declaration): boolean =>
    kind === 'class' || kind === 'function' || kind === 'constant';
  return [...leading, ...rest.filter(isValue), ...rest.filter((declaration) => !isValue(declaration))];
}

interface Contents {
  readonly page: Page;
  readonly exported: readonly Declaration[];
  readonly others: readonly Declaration[];
  /** The anchor of a heading. If two differ only in case, the second gets a number. */
  readonly anchors: ReadonlyMap<Declaration, string>;
}

function contentsOf(
  page: Page,
  all: ReadonlySet<Declaration>,
  hidden: ReadonlyMap<Declaration, Declaration>,
  onPage: ReadonlyMap<Declaration, Page>,
): Contents {
  const here = (set: Iterable<Declaration>): Declaration[] =>
    [...set].filter((declaration) => onPage.get(declaration) === page);
  const exported = order(
    here(all).filter((declaration) => !isErrorOfTable(declaration)),
    page.first,
  );
  const others: Declaration[] = [];
  const same = new Map<Declaration, Declaration>();
  for (const declaration of order(here(hidden.keys()))) {
    // Several files declare the same type under the same name. The page shows it once.
    const before = others.find(({ name }) => name === declaration.name);
    if (before && before.texts.join() !== declaration.texts.join())
      throw new Error(`${page.file} would have two types ${declaration.name} that are not equal`);
    if (before) same.set(declaration, before);
    else others.push(declaration);
  }
  const anchors = new Map<Declaration, string>();
  const used = new Map<string, number>([[PARTS, 1]]);
  for (const declaration of [...exported, ...others]) {
    const slug = declaration.name.toLowerCase();
    const times = used.get(slug) ?? 0;
    used.set(slug, times + 1);
    anchors.set(declaration, times === 0 ? slug : `${slug}-${times}`);
  }
  for (const [declaration, before] of same) anchors.set(declaration, anchors.get(before) as string);
  for (const declaration of here(all)) if (isErrorOfTable(declaration)) anchors.set(declaration, '');
  return { page, exported, others, anchors };
}

/** Lists the declarations that this one, or one of its bases without an entry in the reference, mentions. */
function mentionsOf(declaration: Declaration, places: ReadonlyMap<Declaration, Placed>): Declaration[] {
  const open = basesOf(declaration).filter((base) => !places.has(base));
  const found = [declaration, ...open].flatMap(({ mentions, source }) =>
    [...mentions].flatMap((name) => resolve(source, name) ?? []),
  );
  return [...new Set(found)].filter((other) => other !== declaration && places.has(other));
}

function renderIndex(
  entries: ReturnType<typeof readEntries>,
  linkTo: (target: Declaration) => string | undefined,
): string {
  const tables = entries.map(({ from, exports }) => {
    const rows = [...exports]
      .toSorted(([one], [other]) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1))
      .filter(([, declaration]) => !isErrorOfTable(declaration))
      .map(([name, declaration]) => {
        const [first = ''] = declaration.doc.replaceAll(/\s+/g, ' ').split(/(?<=[.!?]) (?=[A-Z`])/);
        return `| [\`${name}\`](${linkTo(declaration)}) | ${declaration.kind} | ${first.replaceAll('|', '\\|')} |`;
      });
    return `## ${from}\n\n| export | kind | |\n|---|---|---|\n${rows.join('\n')}`;
  });
  const list = pages.map(({ file, title, from }) => `- [${title}](${file}), from \`${from}\``);
  return (
    [
      '# Exports',
      `${GENERATED}\n\nEverything that can be imported, with its options. The classes of [errors](../errors.md) are listed there.`,
      list.join('\n'),
      ...tables,
    ].join('\n\n') + '\n'
  );
}
