#!/usr/bin/env node
import { run } from './run.js';

// A loaded module, or a server that does not end, may keep the process alive, so the exit is explicit.
process.exit(await run(process.argv.slice(2)));
