#!/usr/bin/env node
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2));
// Something may still hold the process; what was written gets out before.
setTimeout(() => process.exit(), 2_000).unref();
