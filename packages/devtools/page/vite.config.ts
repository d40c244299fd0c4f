import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { alias } from '../../../sources.config.js';
import { notices } from './notices.js';

/** Builds the page into the package. `devtools` serves the files; nothing else loads them. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [notices],
  resolve: {
    alias: [
      ...alias,
      {
        find: '@modelcontextprotocol/client/_shims',
        replacement: fileURLToPath(new URL('src/mcp/client-shims.ts', import.meta.url)),
      },
    ],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The development server shows the page of a running server: TOOLFOLD_PAGE=http://127.0.0.1:4400 npx vite --config packages/devtools/page/vite.config.ts
  server: {
    proxy: Object.fromEntries(
      ['/api', '/mcp'].map((path) => [
        path,
        {
          target: process.env['TOOLFOLD_PAGE'] ?? 'http://127.0.0.1:4400',
          changeOrigin: true,
          headers: { origin: process.env['TOOLFOLD_PAGE'] ?? 'http://127.0.0.1:4400' },
        },
      ]),
    ),
  },
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2022',
    cssTarget: ['chrome120', 'firefox121', 'safari17'],
    // The content security policy of the page allows no inlined data for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // The libraries of the code editor, which is loaded on demand, in one file. A test limits the size of the other files.
        codeSplitting: {
          groups: [
            {
              name: 'editor',
              test: /[\\/]node_modules[\\/](?:@codemirror|@lezer|@marijn|crelt|style-mod|w3c-keyname)[\\/]/,
            },
          ],
        },
      },
    },
  },
});
