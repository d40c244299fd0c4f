#!/usr/bin/env node
import { flushOutput } from './terminal/output.js';
import { run } from './run.js';

const code = await run(process.argv.slice(2));
await flushOutput();
// A module that was loaded, or a server that does not end, may hold the process.
process.exit(code);
