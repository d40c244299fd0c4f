import { readFileSync } from 'node:fs';
import { defineConfig } from 'rolldown';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
}

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const { exports } = JSON.parse(read('package.json')) as Manifest;

/** Packages of many small files, or of CommonJS, take longer to find and load than to run: a part of us instead. */
export const inlined = ['ajv-formats', 'zod-to-json-schema'];

const isInlined = (id: string): boolean => inlined.some((name) => id.startsWith(`${name}/`) || id === name);

/** Each entry point of the package, by the file in `dist` that it is. */
const entries = Object.values(exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.slice('./dist/'.length, -'.js'.length)],
);

/** Their licences want to be with every copy. */
const licences = inlined.map((name) => `${name}\n\n${read(`node_modules/${name}/LICENSE`).trim()}`);

/** What the lexicon was made from, and under which licence: the head of its file. */
const LEXICON = 'src/search/index/lexicon-data.ts';
const [lexiconHead = ''] = /^(?:\/\/.*\n)+/.exec(read(LEXICON)) ?? [];

/** The command line is a program that uses the package: what it takes from the entry points stays there. */
const isEntryPoint = (id: string): boolean => /^(?:\.\.\/)+(?:index|errors|model|node|web)\.js$/.test(id);

/** The search index and its lexicon of 600 kB, which are loaded with the first search. */
const isSearchIndex = (id: string): boolean => id.includes('/src/search/index/');

/** Modules that `toolfold/web` and `toolfold/node` share, and `toolfold` does not need. */
const isForServing = (id: string): boolean =>
  /\/src\/(?:serve|toolsets|search|callers\/client-identity|stores\/memory\/session)/.test(id);

const shared = {
  platform: 'neutral' as const,
  // The path of each module, as a comment, is loaded with its code.
  experimental: { attachDebugInfo: 'none' as const },
  onLog: (level: string, { message }: { readonly message: string }) => {
    if (level === 'warn') throw new Error(message);
  },
};

export default defineConfig([
  {
    ...shared,
    input: Object.fromEntries(entries.map((entry) => [entry, `src/${entry}.ts`])),
    external: (id) => !id.startsWith('.') && !id.startsWith('/') && !isInlined(id),
    output: {
      dir: 'dist',
      entryFileNames: '[name].js',
      chunkFileNames: 'chunks/[name].js',
      // Few files: each costs as much as the code of ten.
      codeSplitting: {
        groups: [
          { name: 'shared', minShareCount: 2, priority: 1, test: (id) => !isForServing(id) },
          // Needed to serve and by no other entry point, so that `toolfold` alone does not load it.
          { name: 'serving', minShareCount: 2, test: (id) => isForServing(id) && !isSearchIndex(id) },
        ],
      },
      comments: { jsdoc: false },
      banner: ({ moduleIds }) => {
        if (moduleIds.some((id) => id.endsWith(LEXICON)))
          return `/*! The lexicon in this file:\n${lexiconHead.replaceAll(/^\/\//gm, '')}*/`;
        return moduleIds.some((id) => inlined.some((name) => id.includes(`/node_modules/${name}/`)))
          ? `/*! This file has parts of\n\n${licences.join('\n\n')}\n*/`
          : '';
      },
    },
  },
  {
    ...shared,
    input: 'src/cli/main.ts',
    external: (id) => isEntryPoint(id) || (!id.startsWith('.') && !id.startsWith('/')),
    output: { file: 'dist/cli/main.js', codeSplitting: false, comments: { jsdoc: false } },
  },
]);
