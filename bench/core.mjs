import { runSuites } from './run-suites.mjs';

await runSuites({
  command: 'bench/core.mjs',
  purpose: 'Measures toolfold against what it stands on, and holds it to its targets.',
  suites: {
    call: 'A validated call',
    scale: 'A call among many actions',
    middleware: 'Middleware',
    guard: 'Guards and observers',
    build: 'Building',
    list: 'tools/list',
    types: 'Types',
  },
});
