#!/usr/bin/env node
import { constants } from 'node:os';
import { run } from './run.js';

// If no command handles a signal, such as the second Ctrl-C, end the process here, so that the servers that it started also end.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
  });

// Exit explicitly, because a loaded module or a hanging server may keep the process alive.
process.exit(await run(process.argv.slice(2)));
