// Removes the folders named on the command line, relative to the repository.
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) {
  rmSync(new URL(`../${folder}`, import.meta.url), { recursive: true, force: true });
}
