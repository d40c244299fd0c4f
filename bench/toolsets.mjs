import { runSuites } from './run-suites.mjs';

await runSuites({
  command: 'bench/toolsets.mjs',
  purpose:
    'Measures the cost of toolsets, compared with the same tools without them, and checks it against its targets.',
  suites: {
    'toolset-forms': 'Every form, in process: 1,000 tools, 100 toolsets',
    'toolset-growth': 'Among more and more toolsets, and more and more tools',
    'toolset-callers': 'For more and more callers: 100 tools, 10 toolsets',
    'toolset-first': 'What is asked for the first time: 10 toolsets',
    'toolset-http': 'Over HTTP: 1,000 tools, 100 toolsets',
  },
});
