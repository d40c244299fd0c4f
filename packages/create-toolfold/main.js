#!/usr/bin/env node
// Runs `toolfold init` of the package @toolfold/cli, with the arguments of this command.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(import.meta.url);
const manifest = require.resolve('@toolfold/cli/package.json');
const main = join(manifest, '..', require(manifest).bin['toolfold-cli']);

process.argv.splice(1, 1, main, 'init');
await import(pathToFileURL(main).href);
