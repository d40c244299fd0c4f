import { runSuites } from './run-suites.mjs';

/** One needs Redis, the other the packages of `bench/newer`. */
const onRequest = ['published', 'newer'];

await runSuites({
  command: 'bench/http.mjs',
  bench: 'http',
  purpose: 'Loads servers over loopback HTTP with 16 connections, and checks Toolfold against its targets.',
  notes: ` Nothing else should run on the machine: the server uses one core and the client
another. "published" and "newer" run only if they are named. "published" needs redis-server, "newer" needs
npm --prefix bench/newer ci.`,
  suites: {
    call: 'tools/call, 2026-07-28, 1 tool',
    scale: 'tools/call, 2026-07-28, each catalog',
    list: 'tools/list, each catalog',
    session: 'tools/call, session of 2025-11-25',
    peers: 'Peers',
    memory: 'Idle sessions',
    rejections: 'Cost of rejecting a request',
    published: 'Workload of a public comparison',
    newer: 'Peers that need a newer Node',
  },
  onRequest,
  // The client is this process.
  runSuite: async (name, quick) => {
    const { run } = await import(`./http/suites/${name}.mjs`);
    const effort = quick
      ? { spawns: 1, rounds: 3, sampleMs: 500, warmMs: 1_500 }
      : { spawns: 3, rounds: 3, sampleMs: 1_000, warmMs: 3_000 };
    return run({ quick, effort });
  },
});
