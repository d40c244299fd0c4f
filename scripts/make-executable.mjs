// Makes the files named on the command line, relative to the repository, executable.
import { chmodSync } from 'node:fs';

for (const file of process.argv.slice(2)) chmodSync(new URL(`../${file}`, import.meta.url), 0o755);
