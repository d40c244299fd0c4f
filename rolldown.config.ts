import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';
import { minifySync } from 'rolldown/experimental';
import { parseAst } from 'rolldown/parseAst';
import type { Plugin } from 'rolldown';
import { ZodFirstPartyTypeKind } from 'zod/v3';

interface Manifest {
  readonly imports: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { exports, imports } = JSON.parse(read('package.json')) as Manifest;

/** Small packages that are built in, because Node takes longer to find and load their files than to run them. */
export const inlined = [
  '@noble/hashes',
  '@scalar/helpers',
  '@scalar/openapi-upgrader',
  '@sveltejs/acorn-typescript',
  '@toon-format/toon',
  'acorn',
  'ajv-formats',
  'chokidar',
  'gpt-tokenizer',
  'lru-cache',
  'readdirp',
  'yaml',
  'zod-to-json-schema',
];

const ZOD_3 = 'zod/v3';

const isInlined = (id: string): boolean =>
  id === ZOD_3 || inlined.some((name) => id.startsWith(`${name}/`) || id === name);

const isOtherPackage = (id: string): boolean => !id.startsWith('.') && !id.startsWith('/') && !isInlined(id);

/**
 * Each entry point of the package, by the file in `dist` that it is. `toolfold/devtools` is a program that uses the others, and is built
 * like the command line.
 */
const entries = Object.values(exports)
  .flatMap((target) =>
    typeof target === 'string' ? [] : [target.default.slice('./dist/'.length, -'.js'.length)],
  )
  .filter((entry) => entry !== 'devtools');

/** The files that some runtimes load and others do not, as `imports` of package.json says. */
const conditional = Object.values(imports)
  .flatMap((targets) => Object.values(targets))
  .filter((target) => target.startsWith('./dist/'))
  .map((target) => target.slice('./dist/'.length, -'.js'.length));

/** The name of a built-in package, and its licence. */
function licenceOf(name: string): string {
  const files = readdirSync(new URL(`node_modules/${name}`, import.meta.url));
  const file = files.find((path) => path.startsWith('LICENSE'));
  return `${name}\n\n${read(`node_modules/${name}/${file}`).trim()}`;
}

/** Builds in the enum that `zod-to-json-schema` imports from Zod 3, so that servers do not load the rest of Zod 3. */
const zod3Kinds: Plugin = {
  name: 'zod3-kinds',
  resolveId: (id) => (id === ZOD_3 ? id : undefined),
  load: (id) =>
    id === ZOD_3
      ? `export const ZodFirstPartyTypeKind = ${JSON.stringify(ZodFirstPartyTypeKind)};`
      : undefined,
};

const ACORN_NAMESPACE = 'import * as acornNamespace from "acorn";';

/**
 * Lets the parser of TypeScript use the names that acorn keeps on its class. For a namespace object, rolldown would add a file with its
 * helper, which every start would load.
 */
const acornNames: Plugin = {
  name: 'acorn-names',
  transform: (code, id) =>
    id.includes('@sveltejs/acorn-typescript')
      ? code.replace(
          ACORN_NAMESPACE,
          'import { Parser as AcornParser } from "acorn"; const acornNamespace = AcornParser.acorn;',
        )
      : undefined,
};

const escapeUnit = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Writes characters beyond ASCII as escapes, because V8 stores and scans a file in half the memory if all of it is Latin-1. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replaceAll(/[^\0-\x7F]/g, escapeUnit);
    }
  },
};

/** The ranges of the template literals of a program, whose lines must keep their spaces. */
function templatesIn(code: string): (readonly [start: number, end: number])[] {
  const found: (readonly [number, number])[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, start, end } = node as { type?: unknown; start?: number; end?: number };
    if (type === 'TemplateElement' && start !== undefined && end !== undefined) found.push([start, end]);
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseAst(code));
  return found;
}

/** Removes the indentation, which is 5 % of the bytes that every start reads. Lines stay, so that stack traces can be read. */
const unindent: Plugin = {
  name: 'unindent',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const templates = templatesIn(chunk.code);
      const isKept = (at: number): boolean => templates.some(([start, end]) => start < at && at <= end);
      chunk.code = chunk.code.replaceAll(/^\t+/gm, (tabs, at: number) => (isKept(at) ? tabs : ''));
    }
  },
};

const SEARCH_INDEX = 'tool-search';
const BASE = 'base';

/** The files of `toolfold/search`, which also runs in browsers. Servers load the base too, so its names stay readable in stack traces. */
const minified: Readonly<Record<string, object>> = {
  [SEARCH_INDEX]: {},
  [BASE]: { compress: false, mangle: false },
};

const minifySearch: Plugin = {
  name: 'minify-search',
  generateBundle: (_, bundle) => {
    for (const chunk of Object.values(bundle)) {
      const options = chunk.type === 'chunk' ? minified[chunk.name] : undefined;
      if (chunk.type !== 'chunk' || !options) continue;
      const { code, errors } = minifySync(chunk.fileName, chunk.code, { module: true, ...options });
      const [error] = errors;
      if (error) throw error;
      chunk.code = code;
    }
  },
};

/** What the lexicon was made from, and under which licence: the head of its file. */
const LEXICON = 'src/search/index/lexicon-data.ts';
const [lexiconHead = ''] = /^(?:\/\/.*\n)+/.exec(read(LEXICON)) ?? [];

/** The file with the licences of built-in packages, which must accompany every copy. Every start would read them in the code. */
const NOTICES = 'NOTICES.txt';

const notices: Plugin = {
  name: 'notices',
  generateBundle() {
    const source = `The code in this folder has parts of these packages.\n\n${inlined.map(licenceOf).join('\n\n')}\n`;
    this.emitFile({ type: 'asset', fileName: NOTICES, source });
  },
};

/** Names the code of others in a file. */
function writeNotices({ moduleIds }: { readonly moduleIds: readonly string[] }): string {
  if (moduleIds.some((id) => id.endsWith(LEXICON)))
    return `/*! The lexicon in this file:\n${lexiconHead.replaceAll(/^\/\//gm, '')}*/`;
  const contained = inlined.filter((name) => moduleIds.some((id) => id.includes(`/node_modules/${name}/`)));
  return contained.length === 0
    ? ''
    : `/*! With parts of ${contained.join(', ')}: see toolfold/dist/${NOTICES}. */`;
}

/** The program of the threads that run code. One file, because each thread loads it. */
const CODE_THREAD = 'code/sandbox/threads/code-thread';

/** The code of the code form, which is loaded with the first view of that form. */
const isForCode = (id: string): boolean =>
  /\/src\/code\/sandbox\/(?!sandbox\.ts)|\/node_modules\/(?:@sveltejs\/acorn-typescript|acorn)\//.test(id);

/** The code of `toolfold/openapi`, which no other entry point loads, and the patterns that upstream servers load later. */
const isForOpenApi = (id: string): boolean =>
  /\/src\/(?:openapi\/|schema\/patterns\/(?:linear-|pattern-syntax))|\/node_modules\/(?:@scalar|yaml)\//.test(
    id,
  );

/** The tokenizer of `toolfold tokens`: 2 MB, which no other command loads. */
const TOKENIZER = 'analysis/tokens/o200k';

const isTokenizer = (id: string): boolean => id === './o200k.js';

/** The server of the page, which is loaded when the page is first served. Its folder has the files of the page. */
const PAGE = 'devtools/page';

/** The program of the thread that counts tokens for the page. */
const TOKEN_THREAD = 'devtools/tokens/token-thread-program';

const isPage = (id: string): boolean => id === './page.js';

/** The command line is a program that uses the package: what it takes from the entry points stays there. */
const isEntryPoint = (id: string): boolean =>
  /^(?:\.\.\/)+(?:index|devtools|errors|lexicon|model|node|openapi|otel|profiles|redis|search|web)\.js$/.test(
    id,
  );

/** The search index, which is loaded with the first search, without the data of the lexicon. */
const isSearchIndex = (id: string): boolean =>
  /\/src\/search\/(?:confidence|index|thesaurus)\//.test(id) && !/\/(?:english|lexicon-data)\.ts$/.test(id);

/** Modules of `toolfold` that `toolfold/search` needs too, so that it does not load all that entry points share. */
const baseModules = ['errors.ts', 'runtime/runtime.ts', 'search/index/lexicon.ts', 'search/index/slices.ts'];

const isBase = (id: string): boolean => baseModules.some((path) => id.endsWith(`/src/${path}`));

/** Modules that `toolfold/web` and `toolfold/node` share, and `toolfold` does not need. */
const servingModules = [
  'callers/client-identity',
  'code/form/code-settings',
  'code/form/load-code',
  'protocol/messages',
  'search',
  'serve',
  'stores/memory/memory-session-store',
  'toolsets',
  'upstream/client-sdk',
  'upstream/options',
  'views/view-cache',
];

const isForServing = (id: string): boolean => servingModules.some((path) => id.includes(`/src/${path}`));

/** Imports the MCP client, which bundles for workers must not contain, because it needs Node. */
const isClientSdk = (id: string): boolean => id.includes('/src/upstream/load-client-sdk');

/** The code of `toolfold/testing`, which no server loads. */
const isForTesting = (id: string): boolean => id.includes('/src/testing/');

/** The code of `toolfold/client`, and of calls in this process, which few servers load. */
const isForClient = (id: string): boolean => /\/src\/(?:client\/|protocol\/call-error)/.test(id);

const shared = {
  platform: 'neutral' as const,
  plugins: [zod3Kinds, acornNames, ascii, unindent],
  // The build of lru-cache for browsers needs nothing of Node.
  resolve: { conditionNames: ['browser', 'import', 'default'] },
  // The path of each module, as a comment, is loaded with its code.
  experimental: { attachDebugInfo: 'none' as const },
  // How long plugins take depends on the machine, and is no reason to fail.
  checks: { bundlerTimings: false },
  onLog: (level: string, { message }: { readonly message: string }) => {
    if (level === 'warn') throw new Error(message);
  },
};

const written = {
  comments: { jsdoc: false },
  banner: writeNotices,
  // Short names for local variables save a sixth of the code that every start parses. Names of functions and classes, and the lines,
  // stay as they are, so that stack traces can be read.
  minify: {
    compress: false,
    mangle: { toplevel: false, keepNames: true },
    codegen: { removeWhitespace: false },
  },
} as const;

export default defineConfig([
  {
    ...shared,
    plugins: [...shared.plugins, minifySearch, notices],
    input: Object.fromEntries([...entries, ...conditional].map((entry) => [entry, `src/${entry}.ts`])),
    external: isOtherPackage,
    output: {
      dir: 'dist',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      // Few files: each costs as much as the code of ten.
      codeSplitting: {
        groups: [
          { name: BASE, minShareCount: 2, priority: 2, test: isBase },
          {
            name: SEARCH_INDEX,
            minShareCount: 2,
            priority: 2,
            test: (id) => isSearchIndex(id) && !isBase(id),
          },
          {
            name: 'shared',
            minShareCount: 2,
            priority: 1,
            test: (id) =>
              !isForServing(id) &&
              !isForTesting(id) &&
              !isForClient(id) &&
              !isClientSdk(id) &&
              !isForOpenApi(id) &&
              !isForCode(id),
          },
          { name: 'testing', minShareCount: 2, test: isForTesting },
          { name: 'client', minShareCount: 2, test: isForClient },
          { name: 'code-sandbox', minShareCount: 2, test: isForCode },
          // Needed to serve and by no other entry point, so that `toolfold` alone does not load it.
          { name: 'serving', minShareCount: 2, test: isForServing },
        ],
      },
      ...written,
    },
  },
  {
    ...shared,
    input: 'src/cli/main.ts',
    external: (id) => isEntryPoint(id) || isTokenizer(id) || isOtherPackage(id),
    output: { ...written, file: 'dist/cli/main.js', codeSplitting: false },
  },
  {
    ...shared,
    input: 'src/devtools.ts',
    external: (id) => isEntryPoint(id) || isPage(id) || isOtherPackage(id),
    output: { ...written, file: 'dist/devtools.js', codeSplitting: false },
  },
  {
    ...shared,
    input: `src/${PAGE}.ts`,
    external: (id) => isEntryPoint(id) || isTokenizer(id) || isOtherPackage(id),
    output: { ...written, file: `dist/${PAGE}.js`, codeSplitting: false },
  },
  {
    ...shared,
    input: `src/${TOKEN_THREAD}.ts`,
    external: (id) => isTokenizer(id) || isOtherPackage(id),
    output: { ...written, file: `dist/${TOKEN_THREAD}.js`, codeSplitting: false },
  },
  {
    ...shared,
    input: `src/${CODE_THREAD}.ts`,
    external: isOtherPackage,
    output: { ...written, file: `dist/${CODE_THREAD}.js`, codeSplitting: false },
  },
  {
    ...shared,
    // The vocabulary has characters beyond ASCII and tabs in its texts, and escapes would add 0.7 MB.
    plugins: [],
    input: `src/${TOKENIZER}.ts`,
    output: { banner: writeNotices, file: `dist/${TOKENIZER}.js`, codeSplitting: false, minify: true },
  },
]);
