// Installs the examples that are separate packages, unless they match their lockfiles. npm prints to standard error.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runNpm } from './run-npm.js';

const examples = new URL('../examples/', import.meta.url);

interface Packages {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly link?: boolean }>>;
}

for (const name of readdirSync(examples)) {
  const folder = new URL(`${name}/`, examples);
  if (!existsSync(new URL('package-lock.json', folder)) || isInstalled(folder)) continue;
  const { status } = runNpm(['ci', '--no-audit', '--no-fund'], {
    cwd: fileURLToPath(folder),
    stdio: ['ignore', 2, 2],
  });
  if (status === 0) continue;
  console.error(`examples/${name} could not be installed. Run \`npm --prefix examples/${name} ci\`.`);
  process.exitCode = 1;
}

/** npm writes a lockfile of the installed packages into node_modules. */
function isInstalled(folder: URL): boolean {
  const installed = new URL('node_modules/.package-lock.json', folder);
  if (!existsSync(installed)) return false;
  const [wanted, found] = [new URL('package-lock.json', folder), installed].map(
    (file) => (JSON.parse(readFileSync(file, 'utf8')) as Packages).packages,
  );
  return Object.entries(wanted ?? {}).every(
    ([place, { version, link }]) =>
      !place.startsWith('node_modules/') || link === true || found?.[place]?.version === version,
  );
}
