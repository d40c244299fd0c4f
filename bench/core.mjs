import { runSuites } from './run-suites.mjs';

await runSuites({
  command: 'bench/core.mjs',
  bench: 'core',
  purpose: 'Compares Toolfold with the libraries that it builds on, and checks it against its targets.',
  suites: {
    call: 'A validated call',
    scale: 'A call among many actions',
    middleware: 'Middleware',
    guard: 'Guards and observers',
    build: 'Building and registering',
    view: 'View lookup',
    search: 'First search',
    list: 'tools/list',
    types: 'Types',
  },
});
