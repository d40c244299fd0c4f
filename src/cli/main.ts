#!/usr/bin/env node
import { run } from './run.js';

const code = await run(process.argv.slice(2));
// What was written gets out first. A module that was loaded, or a server that does not end, may hold the process then.
await Promise.all(
  [process.stdout, process.stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
);
process.exit(code);
